"""Report and viewer in a headless Chromium: no complaints, no overflow, videos that play."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from experiments.films import video
from experiments.report.page import write_report
from tests.experiments import run_folder
from tests.experiments.view import browser
from tests.experiments.view.browser import Browser
from tests.experiments.view.server_test import Served

pytestmark = [
    pytest.mark.slow,  # starts a browser
    pytest.mark.skipif(browser.PATH is None, reason=f"none of {', '.join(browser.NAMES)} is here"),
]
PATHS = (
    "/", "/run/{whole}/", "/run/{killed}/", "/run/{whole}/report.html",
    "/compare?run={whole}&run={killed}",
)  # fmt: skip
VIEWS = [(width, dark) for width in (1280, 400) for dark in (False, True)]
PLAYS = """(async () => {
  const found = [];
  for (const video of document.querySelectorAll("video")) {
    await video.play();
    await new Promise((done) => video.addEventListener("timeupdate", done, { once: true }));
    video.pause();
    const box = video.parentElement.querySelector(".timeline");
    found.push([video.videoWidth, video.currentTime > 0, box.querySelector(".now").textContent]);
  }
  return found;
})()"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run with videos, and a killed one."""
    root = tmp_path_factory.mktemp("runs")
    run_folder.make(root / "whole")
    run_folder.make(root / "killed", num_iterations=1, finished=False)
    labels = ["find_cow"] * 20 + ["use", "jump"] * 5 + ["milk_cow"] * 10
    for part in ("videos", "videos/iteration0", "videos/iteration1"):
        for name in ("success", "failure"):
            frames = [np.full((368, 832, 3), 200 - 3 * i, np.uint8) for i in range(len(labels))]
            lane = video.Lane(0, name, frames, tick=len(labels), labels=labels)
            who = {"find_cow": video.CODE, "milk_cow": video.MACRO}
            video._write(lane, root / "whole" / part, who)
    return root


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser.chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def served(root: Path) -> Iterator[Served]:
    found = Served(root)
    yield found
    found.stop()


def check(page: Browser, address: str) -> None:
    for width, dark in VIEWS:
        page.open(address, width, dark)
        page.ask("new Promise((done) => requestAnimationFrame(done))")
        assert page.ask("document.documentElement.scrollWidth") <= width
        shade = page.ask("getComputedStyle(document.body).backgroundColor")
        assert (max(int(x) for x in shade[4:-1].split(",")) < 60) == dark
    assert page.complaints == []


def test_a_report_opens_from_the_disk_and_its_videos_play(root: Path, page: Browser) -> None:
    address = write_report(root / "whole").as_uri()
    check(page, address)
    found = page.ask(PLAYS)
    assert len(found) == 6 and all(width == 832 and moved for width, moved, _ in found)
    assert "of 40: find_cow (code)" in found[0][2]


def test_a_click_on_the_bar_moves_the_video_there(root: Path, page: Browser) -> None:
    page.open(write_report(root / "whole").as_uri())
    page.ask("""(() => {
      const bar = document.querySelector(".timeline .bar"), at = bar.getBoundingClientRect();
      bar.dispatchEvent(new MouseEvent("click", { clientX: at.left + 0.9 * at.width }));
    })()""")
    page.wait('document.querySelector(".timeline").dataset.tick === "36"')
    assert abs(page.ask('document.querySelector("video").currentTime') - 35.5 / 20) < 0.06
    assert "milk_cow (macro)" in page.ask('document.querySelector(".now").textContent')


@pytest.mark.parametrize("path", PATHS)
def test_pages_of_the_viewer_fit_and_complain_of_nothing(
    path: str, served: Served, page: Browser
) -> None:
    keys = {name: served.key(name) for name in ("whole", "killed")}
    check(page, f"http://127.0.0.1:{served.port}{path.format(**keys)}")
    if "report" in path:
        assert len(page.ask(PLAYS)) == 6
    elif path != "/":
        assert page.ask('document.querySelectorAll(".js-plotly-plot .trace").length') >= 4


def test_a_page_follows_a_run_that_goes_on(
    root: Path, served: Served, page: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.view.runs._is_held", lambda folder: folder.name == "killed")
    page.open(f"http://127.0.0.1:{served.port}/run/{served.key('killed')}/")
    assert "running" in page.ask('document.getElementById("state").textContent')
    with (root / "killed/metrics.csv").open("a") as file:
        file.write("2,90,654321,0.9,7,1.5\n")
    page.wait('document.getElementById("told").textContent.includes("654,321")')
    assert page.ask("Math.max(...document.getElementById('chart-success').data[0].x)") == 654321
    monkeypatch.undo()
    page.wait('document.getElementById("state").textContent.includes("stopped")')
    assert page.complaints == []
