"""Both loops in a world that is not Minecraft: 60 lines of `tests/plane.py`."""

import dataclasses
import re
import types
from unittest import mock

import jax
import numpy as np
import pytest

from experiments.films import choose
from experiments.report.page import write_report
from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.envs.spec import SpecTask
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.config import CriticConfig
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import Tools
from tests.loop.script import CONFIG, RL, Script, block, critique, plan, verdicts
from tests.plane import SPEC, Plane

TASK = SpecTask("plane", "bring the point to its goal", SPEC, horizon=20)
REACH = """def reach(obs, share: (0.1, 1.0) = 0.5):
    for _ in range(4):
        dx, dy = obs.goal_x - obs.x, obs.goal_y - obs.y
        obs = yield move(share * sign(dx), share * sign(dy))
"""
NUDGE = "def nudge(obs):\n    yield right()\n"
ANSWERS = {
    "iter0/slow": plan(("nudge", "code", "One step."), ("reach", "macro", "Go to the goal."),
                       ("finish", "learn", "Come to the goal.")),
    "iter0/fast/nudge/try0": block("python", "def nudge(obs):\n    yield forward()\n"),
    "iter0/fast/reach/try0": block("python", REACH),
    "iter0/trial_critic/try0": verdicts(reach=""),
    "iter0/fast/nudge/try1": block("python", NUDGE),
    "iter0/fast/rl": block("json", '{"reward": {"progress": {"distance": -2}},'
                                   ' "actions": {"primitives": ["dx"]}, "task": {"horizon": 25}}'),
    "iter0/critic": critique(nudge="", reach=""),
    "iter1/slow": plan(("reach", "lead", "keep"), ("finish", "learn", "Come to the goal.")),
    "iter1/fast/rl": block("json", "{}"),
    "iter1/critic": critique(reach=""),
}  # fmt: skip


class DrawnPlane(Plane):
    """Draws the point red and its goal green."""

    def render(self, lanes, size=(100, 160)):
        views = np.full((len(lanes), *size, 3), 255, np.uint8)
        scale = (np.array(size) - 20) / 2
        for view, lane in zip(views, lanes, strict=True):
            for (x, y), colour in ((self.goal[lane], (0, 160, 0)), (self.at[lane], (200, 0, 0))):
                row, column = ((1 + np.array([-y, x])) * scale).astype(int)
                view[row : row + 20, column : column + 20] = colour
        return views


def tools(folder, script) -> Tools:
    def make_env(split, num_envs, seed, task=TASK):
        return DrawnPlane(num_envs, task.horizon)

    rl = dataclasses.replace(RL, spec=SPEC)
    texts = prompts.load(spec=True)
    return Tools(
        TASK, make_env, script, RunFolder(folder), rl, tick_limit=20, prompts=texts,
        critic=CriticConfig(vision="strip"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    script = Script(**ANSWERS)
    given = tools(tmp_path_factory.mktemp("whole"), script)
    return given, script, two_loop.run(CONFIG, given)


def test_code_macro_with_a_parameter_and_policy_solve_the_task_together(whole):
    given, script, run = whole
    assert run.result["success_rate"] > 0.5
    assert {"reach", "nudge"} <= set(
        read_json(given.folder.iteration(0, "eval.json"))["action_ticks"]
    )
    refusal = read_json(given.folder.macro(0, "nudge", "try0.refusal.json"))
    assert "forward" in refusal["reason"] + refusal["source_line"]
    told = script.prompts["iter0/critic"]
    assert "distance" in told and "Macro reach:" in told


def test_the_set_up_is_that_of_the_world(whole):
    given, _, run = whole
    interface = run.iterations[0].stage.interface
    assert interface.reward.progress == (("distance", -2.0),) and interface.task.horizon == 25
    assert run.iterations[0].stage.space.primitives == ("dx",)


def test_no_prompt_and_no_report_tells_of_minecraft(whole):
    _, script, run = whole
    words = re.compile(r"minecraft|\b(inventory|mobs?|blocks|crosshair|cell)\b", re.I)
    for key, text in script.prompts.items():
        assert not words.findall(text), key
    assert not words.findall(run.iterations[0].report.describe())


def test_the_critic_sees_strips_of_a_success_and_a_failure(whole):
    given, script, _ = whole
    index = read_json(given.folder.iteration(1, "frames/frames.json"))
    drawn = [entry for entry in index["episodes"] if entry["pictures"]]
    assert drawn and "success" in {entry["which"] for entry in drawn}
    for entry in drawn:
        assert entry["moments"][0]["tick"] == 0 and len(entry["moments"]) <= 8
        for picture in entry["pictures"]:
            assert given.folder.iteration(1, "frames", picture["file"]).stat().st_size > 0
    told = script.prompts["iter1/critic"].split("## Pictures\n")[1]
    assert "The captions are made from the world and true." in told and "success_strip" in told


def test_a_recorded_run_is_replayed_with_the_same_bits(whole, tmp_path):
    given, _, run = whole
    replay = Replay(given.folder.transcript, strict=True)
    again = two_loop.run(CONFIG, tools(tmp_path, replay))
    assert again.result["success_rate"] == run.result["success_rate"]
    pair = (r.learning.params(r.iterations[-1].stage) for r in (run, again))
    jax.tree.map(np.testing.assert_array_equal, *pair)


def test_its_report_and_its_films_are_those_of_all_worlds(whole):
    given, _, run = whole
    write_json(given.folder.path("config.json"), {"config": {"task": "plane", "seed": 0}})
    page = write_report(given.folder.root).read_text()
    assert "nudge" in page and "move(share * sign(dx)" in page and "distance" in page
    config, display = types.SimpleNamespace(loop=CONFIG, world="plane.py"), mock.Mock()
    films = choose.of_run(config, given, run, display, is_smoke=True)
    assert films and all(film.stat().st_size > 0 for film in films)
    told = read_json(films[0].with_suffix(".json"))
    assert told["ticks"] > 0, told


def test_a_run_that_was_killed_ends_with_the_same_bits(whole, tmp_path):
    _, _, run = whole

    class Stop(Exception): ...

    class Short(Script):
        def complete(self, requests, on_answer=None):
            if any(r.key == "iter1/slow" for r in requests):
                raise Stop
            return super().complete(requests, on_answer)

    with pytest.raises(Stop):
        two_loop.run(CONFIG, tools(tmp_path, Short(**ANSWERS)))
    again = two_loop.run(CONFIG, tools(tmp_path, Script(**ANSWERS)))
    assert again.result["success_rate"] == run.result["success_rate"]
    pair = (r.learning.params(r.iterations[-1].stage) for r in (run, again))
    jax.tree.map(np.testing.assert_array_equal, *pair)
