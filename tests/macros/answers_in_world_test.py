"""A language model's answers, taken as they came, run in the embedded world."""

from pathlib import Path

import pytest

from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.loop.spaces import Language, make_space
from rlgpt_jax.macros.vm.bytecode import TICK_LIMIT
from rlgpt_jax.rl.evaluate.approach import Scene
from rlgpt_jax.rl.evaluate.trial import trial
from tests.envs.voxel import worlds

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.answer.txt"))
EPISODES = worlds.HOST_LANES


def code(answer: str) -> str:
    return answer.partition("```python\n")[2].partition("```")[0]


@pytest.fixture(scope="module")
def world() -> HostVoxel:
    return worlds.with_a_cow()


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.name.partition(".")[0])
def test_an_answer_acts_in_the_world_and_ends_without_a_trap(path: Path, world: HostVoxel):
    """On flat ground with a cow, started after some play in every lane."""
    source = code(path.read_text())
    name = source.rpartition("def ")[2].partition("(")[0]  # the last function is the entry
    slots = (Fate(name, "macro", source=source),)
    space = make_space(slots, slots, False, Language("full"))
    report = trial(world, space, 1, 0, EPISODES, Scene(play=20))
    assert report.ends.get("trapped", 0) == 0, report.trap_messages
    assert sum(report.ends.values()) == report.num_episodes > 0
    assert sum(sum(e.actions.values()) for e in report.episodes) >= report.num_episodes
    assert report.mean_ticks <= TICK_LIMIT
