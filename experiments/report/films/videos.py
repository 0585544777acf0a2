"""Videos of episodes, each with a timeline of who acts when: code, a macro, or the policy."""

import itertools
import json
from pathlib import Path
from typing import Any

from experiments.configs import worlds
from experiments.report import html
from experiments.report.films.media import Media
from experiments.report.html import tag, text
from experiments.report.load import Iteration, Run
from rlgpt_jax.loop.record import read_json

WHO = {"code": "code", "macro": "a macro that the policy chose", "policy": "the policy itself"}
NAMES = {"success": "A success", "failure": "A failure"}


def videos(run: Run) -> str:
    """Episodes of what the run ends with."""
    if not run.videos:
        return ""
    task = worlds.of_run(run.config)
    shows = "" if task else ": what the agent sees, and the world from above"
    what = "whole task" if run.task_plan else "best iteration"
    what = "best code alone" if run.ends_with_code else what
    words = (
        f"Episodes of the {what} in held-out worlds{shows}. The words name "
        f"{'skill and ' * bool(run.task_plan)}action or macro in control; so does the bar below a "
        "video, in which a click chooses the moment."
    )
    cards = "".join(html.card(_video(path, run.media)) for path in run.videos)
    inner = tag("p", text(words)) + tag("div", cards, class_="grid2")
    return html.section("videos", "Videos", inner)


def of_iteration(it: Iteration, media: Media) -> str:
    """The quickest success of an iteration and its typical failure; "" if none was drawn."""
    if not it.videos:
        return ""
    films = "".join(_video(path, media) for path in it.videos)
    title = tag(
        "h3", "Its quickest success and typical failure, in validation worlds", class_="later"
    )
    return title + tag("div", films, class_="grid2")


def _video(path: Path, media: Media) -> str:
    name = NAMES.get(path.stem, path.stem.replace("_", " ").capitalize())
    player = (
        f'<video controls muted loop playsinline preload="none" src="{media.source(path)}" '
        f'aria-label="{text(name)}"></video>'
    )
    is_beside = bool(media.inside) and path not in media.inside
    told = read_json(path.with_suffix(".json"))
    pace = told["every"] if told else 1
    words = f" · shown {pace} times as fast" * (pace > 1) + " · a file beside this page" * is_beside
    caption = tag("figcaption", text(name) + words)
    return tag("figure", player + (timeline(told) if told else "") + caption, class_="film")


def timeline(told: dict[str, Any]) -> str:
    """A bar per tick range by who acts, which `script.js` keeps at the video's moment."""
    runs, total = told["runs"], max(told["ticks"], 1)
    parts, tick = [], 0
    # What the policy does changes every tick: one stretch.
    for (who, name), same in itertools.groupby(
        runs, lambda run: (run[1], "" if run[1] == "policy" else run[0])
    ):
        ticks = sum(run[2] for run in same)
        words = f"{name or 'policy'}: ticks {tick + 1} to {tick + ticks}"
        parts.append(
            f'<i class="{text(who)}" style="left:{100 * tick / total:.2f}%;'
            f'width:{100 * ticks / total:.2f}%" title="{text(words)}"></i>'
        )
        tick += ticks
    shares = {who: sum(n for _, w, n in runs if w == who) / total for who in WHO}
    shown = [(who, f"{words} {shares[who]:.0%}") for who, words in WHO.items() if shares[who]]
    bar = tag("div", "".join(parts) + '<b class="head"></b>', class_="bar who", aria_hidden="true")
    now = tag("p", f"{total} ticks", class_="now quiet", aria_live="off")
    return tag(
        "div", bar + now + html.legend(shown, "Share of the ticks"), class_="timeline",
        data_runs=json.dumps(runs, separators=(",", ":")), data_ticks=str(total),
        data_rate=str(told["every"] * told["frames_per_second"]),
    )  # fmt: skip
