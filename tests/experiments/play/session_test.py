"""Sessions in a small flat world: files of actions, and the window with posted events."""

import functools
import io
import json
import sys

import imageio.v2 as imageio
import numpy as np
import pytest
from rich.console import Console

from experiments.films.encoding import quiet_fork
from experiments.play import headless, window
from experiments.play.actions_file import read_actions
from experiments.play.frame import HEIGHT, WIDTH, frame
from experiments.play.menu import Menu
from experiments.play.session import Session
from experiments.values import ConfigError
from rlgpt_jax.envs import base
from rlgpt_jax.envs.tasks.tasks import Task
from tests.envs.voxel import worlds

pytestmark = pytest.mark.slow  # a world of one lane; what needs none is tested beside it
TASK = Task("play_test", "make 8 planks of 2 logs", goal_item="planks", goal_quantity=8,
            start_items=(("log", 2), ("dirt", 3)), horizon=60)  # fmt: skip


@functools.cache
def only_session() -> Session:
    return Session(TASK, worlds.HOST_PARAMS, worlds.pool(worlds.HOST_PARAMS), seed=1)


@pytest.fixture
def session() -> Session:
    """One compiled world for all tests, at the start of an episode."""
    only_session().next_episode()
    return only_session()


def play(session: Session, tmp_path, lines: str, **files) -> tuple[dict, str]:
    """(result, what is printed) of a file of actions."""
    path = tmp_path / "actions.txt"
    path.write_text(lines)
    console = Console(file=io.StringIO(), width=120)
    files = {"record": None, "out": None} | files
    result = headless.play(session, read_actions(path), console, **files)
    return result, console.file.getvalue()


def test_a_session_counts_ticks_and_rewards_and_stops_at_the_end(session):
    episode = session.episode
    assert (session.tick, session.total, session.end, session.is_busy) == (0, 0, "", False)
    for _ in range(TASK.horizon):
        assert not session.end
        session.step(np.array(base.NOOP))
    assert session.end == "time is up" and not session.is_success
    with pytest.raises(RuntimeError, match="has ended: time is up"):
        session.step(np.array(base.NOOP))
    session.next_episode()
    assert (session.episode, session.tick, session.end) == (episode + 1, 0, "")


def test_a_file_of_actions_that_succeeds(session, tmp_path):
    lines = "forward repeat=5\nfn=craft arg=planks\nyaw=14 repeat=2\nfn=craft arg=planks\nnoop"
    out, record = tmp_path / "a" / "out.json", tmp_path / "b" / "video.mp4"
    result, printed = play(session, tmp_path, lines, out=out, record=record)
    assert result == json.loads(out.read_text())
    assert result["success"] and result["end"] == "success" and result["reward"] == 8
    assert result["ticks"] == 9 and result["rows_not_played"] == 1
    assert result["inventory"] == {"dirt": 3, "planks": 8}
    with quiet_fork(), imageio.get_reader(record) as reader:
        assert reader.count_frames() == 9 + headless.END_FRAMES
        assert reader.get_meta_data()["fps"] == 20
        assert reader.get_meta_data()["size"] == (WIDTH, HEIGHT)
    told = [line for line in printed.splitlines() if line.startswith("tick")]
    assert told[0] == "tick 6, fn=craft arg=planks: -1 log, +4 planks; +4" and len(told) == 2
    assert "1 actions were left" in printed and "8 planks" in printed


def test_a_file_of_actions_that_is_used_up(session, tmp_path):
    result, printed = play(session, tmp_path, "fn=destroy slot=0\nnoop repeat=3\n")
    assert result["end"] == "actions used up" and not result["success"]
    assert result["inventory"] == {"dirt": 3} and result["rows_not_played"] == 0
    assert "-2 log" in printed


def test_the_picture_has_room_for_words_and_the_menu_covers_the_view(session):
    plain = frame(session, label="forward")
    assert plain.shape == (HEIGHT, WIDTH, 3) and plain.dtype == np.uint8
    assert HEIGHT % 16 == WIDTH % 16 == 0
    menu = Menu()
    menu.open(session.obs)
    shown = frame(session, menu)
    np.testing.assert_array_equal(shown[:25], plain[:25])
    assert shown[200:300, 100:600].mean() < 0.6 * plain[200:300, 100:600].mean()
    menu.close()
    assert frame(session, menu)[200:300].mean() == plain[200:300].mean()


# --- the window ------------------------------------------------------------------
@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setattr(window, "TICK_SECONDS", 0.0)
    return pytest.importorskip("pygame")


class Script:
    """Posts events before given turns of the loop and notes what the window shows."""

    def __init__(self, pygame, *turns):
        self.pygame, self.turns, self.number = pygame, turns, 0
        self.seen = []

    def __call__(self, shown: window.Window) -> None:
        session = shown.session
        self.seen.append((session.obs, session.tick, shown.menu.is_open))
        turn = self.turns[self.number] if self.number < len(self.turns) else ("quit",)
        self.number += 1
        for what in turn:
            self.pygame.event.post(self.event(what))

    def event(self, what):
        """ "+w" presses a key, "-w" lets it go, "w" does both in turn, tuples are the mouse."""
        pygame = self.pygame
        if what == "quit":
            return pygame.event.Event(pygame.QUIT)
        if isinstance(what, tuple):
            return pygame.event.Event(pygame.MOUSEMOTION, rel=what, pos=(0, 0), buttons=(0, 0, 0))
        if isinstance(what, int):
            kind = pygame.MOUSEBUTTONDOWN if what > 0 else pygame.MOUSEBUTTONUP
            return pygame.event.Event(kind, button=abs(what), pos=(0, 0))
        kind = pygame.KEYUP if what.startswith("-") else pygame.KEYDOWN
        return pygame.event.Event(kind, key=pygame.key.key_code(what.lstrip("+-")))


def run(session, pygame, tmp_path, *turns, record=None) -> tuple[window.Window, list]:
    shown = window.Window(session, record, tmp_path)
    script = Script(pygame, *turns)
    shown.run(script)
    return shown, script.seen


def test_keys_walk_and_the_mouse_turns(session, pygame, tmp_path):
    start = session.obs
    record = tmp_path / "video.mp4"
    shown, seen = run(session, pygame, tmp_path, ["+w"], *[[]] * 8, ["-w"], [(210, 0)], [],
                      record=record)  # fmt: skip
    walked = np.linalg.norm((session.obs.position - start.position)[0, [0, 2]])
    assert 1.0 < walked < 3.0
    turned = (float(session.obs.yaw[0]) - float(start.yaw[0])) % 360
    assert turned == pytest.approx(30, abs=1e-3)  # 31.5 degrees of movement are two bins
    assert session.tick == len(seen) and shown.shown.shape == (HEIGHT, WIDTH, 3)
    with quiet_fork(), imageio.get_reader(record) as reader:
        assert reader.count_frames() == session.tick


def test_the_menu_stops_the_world_and_crafts(session, pygame, tmp_path):
    _, seen = run(session, pygame, tmp_path, ["+e"], [], ["+f5"], ["+return"], [], [], ["+f5"])
    ticks, is_open = [tick for _, tick, _ in seen], [is_open for *_, is_open in seen]
    assert is_open == [False, True, True, True, False, False, False, False]
    assert ticks[:4] == [0, 0, 0, 0] and ticks[-1] > 0
    assert headless.inventory(session.obs)["planks"] == 4 and session.total == 4
    found = sorted(tmp_path.glob("*.png"))
    assert [path.name for path in found] == ["play_test-1.png", "play_test-2.png"]
    menu, after = map(imageio.imread, found)
    assert menu[200:300, 100:600].mean() < 0.6 * after[200:300, 100:600].mean()


def test_numbers_and_letters_act_on_slots(session, pygame, tmp_path):
    names = lambda obs: obs.slot_name[0, :2].tolist()  # noqa: E731
    log, dirt = names(session.obs)
    _, seen = run(session, pygame, tmp_path, ["+2"], [], [], [])
    assert names(seen[-1][0]) == [dirt, log]
    _, seen = run(session, pygame, tmp_path, ["+x"], [], [], [])
    assert names(seen[-1][0]) == [0, log]
    tick = session.tick
    run(session, pygame, tmp_path, ["+q"], ["+f"])  # an empty hand has nothing to give
    assert session.tick > tick and not session.is_busy


def test_the_left_button_digs_while_it_is_held(session, pygame, tmp_path):
    """Straight down; grass by hand takes 18 ticks, then one falls in."""
    run(session, pygame, tmp_path, [(0, 600)], [1], *[[]] * 5, [-1], *[[]] * 20)
    assert float(session.obs.pitch[0]) == 90
    np.testing.assert_allclose(session.obs.position[0, 1], worlds.GROUND, atol=1e-2)
    run(session, pygame, tmp_path, [1], *[[]] * 25)
    assert session.obs.position[0, 1] < worlds.GROUND - 0.5


def test_after_the_end_enter_begins_anew_and_escape_quits(session, pygame, tmp_path):
    for _ in range(TASK.horizon):
        session.step(np.array(base.NOOP))
    episode = session.episode
    shown, seen = run(session, pygame, tmp_path, [], ["+e"], ["+return"], [], ["+escape"])
    assert [tick for _, tick, _ in seen[:3]] == [TASK.horizon] * 3  # the ended world stands still
    assert not any(is_open for *_, is_open in seen)
    assert session.episode == episode + 1 and len(seen) == 5 and not shown.is_running


def test_without_pygame_the_extra_is_named(session, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ConfigError, match=r"pip install -e '.\[play\]'"):
        window.Window(session, None)


def test_without_a_display_the_way_without_is_named(session, monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    with pytest.raises(ConfigError, match="--headless"):
        window.Window(session, None)
