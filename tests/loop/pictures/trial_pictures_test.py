"""Pictures of failing trials, for a trial critic that sees."""

import dataclasses

import pytest

from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.loop.trials import Trials
from tests.loop.pictures.frames_test import SMALL, voxel_tools
from tests.loop.script import Script, block, plan, verdicts, walk

ANSWERS = {
    "iter0/slow": plan(("walk", "code", "Walk."), ("look", "macro", "Look.")),
    "iter0/fast/walk/try0": walk("walk", 3),
    "iter0/fast/look/try0": block("python", "def look(obs):\n    yield turn(90, 0)\n"
                                  "    yield use()\n"),
    "iter0/trial_critic/try0": verdicts(walk="", look=""),
    "iter0/fast/rl": block("json", "{}"),
}  # fmt: skip


class Seeing(Script):
    """Remembers the pictures of every question."""

    def complete(self, requests, on_answer=None):
        self.images = {r.key: r.messages[0].images for r in requests} | getattr(self, "images", {})
        return super().complete(requests, on_answer)


def asked(path, **changes):
    script = Seeing(ANSWERS)
    given = voxel_tools(path, script, **changes)
    config = dataclasses.replace(SMALL, num_tries=2)
    state = PromptState(two_loop.make_setting(config, given))
    two_loop.design(Trials(config, given, state))
    return given, script


@pytest.mark.slow
def test_the_trial_critic_sees_a_typical_failure_of_every_macro(tmp_path):
    given, script = asked(tmp_path)
    images = script.images["iter0/trial_critic/try0"]
    assert [image.name for image in images] == ["walk_trial", "look_trial"]
    prompt = script.prompts["iter0/trial_critic/try0"]
    for number, (name, ticks) in enumerate([("walk", 3), ("look", 2)], start=1):
        file = given.folder.macro(0, name, "try0.png")
        assert file.read_bytes() == images[number - 1].data
        words = read_json(file.with_name("try0.trial.json"))["picture"]
        assert f"{number}. {name}_trial: {words}" in prompt
        assert words.startswith(f"{name}, started with the target ")
        assert words.endswith(f": returned after {ticks} ticks")
    again, _ = asked(tmp_path / "again")
    for name in ("walk", "look"):
        one, two = (g.folder.macro(0, name, "try0.png") for g in (given, again))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_a_critic_without_eyes_gets_none(tmp_path):
    given, script = asked(tmp_path, vision="off")
    assert script.images["iter0/trial_critic/try0"] == ()
    assert "## Pictures" not in script.prompts["iter0/trial_critic/try0"]
    assert not list(tmp_path.rglob("*.png"))
    assert "picture" not in read_json(given.folder.macro(0, "walk", "try0.trial.json"))
