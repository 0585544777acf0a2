"""Worlds of one's own: the file of docs/new_world.md, and what is wrong with others."""

import re
from pathlib import Path

import numpy as np
import pytest

from experiments import flags
from experiments.configs import worlds
from experiments.values import ConfigError
from experiments.wiring import env_maker

ROOT = Path(__file__).parents[2]
CODE = re.search(r"```python\n(.*?)```", (ROOT / "docs/new_world.md").read_text(), re.S)[1]
# The same without gymnasium: what the page's rod does, without drawing.
STAND_IN = """
class Rod:
    def __init__(self):
        self.unwrapped, self.state = self, np.zeros(2)

    def reset(self, seed):
        self.state = np.random.default_rng(seed).uniform(-1, 1, 2)

    def step(self, torque):
        angle, speed = self.state
        speed = np.clip(speed + 0.05 * (15 * np.sin(angle) + 3 * torque[0]), -8, 8)
        self.state = np.array([angle + 0.05 * speed, speed])
"""


@pytest.fixture
def file(tmp_path) -> str:
    """The page's file under a name of its own, since modules are imported once."""
    code = CODE.replace("import gymnasium\n", "").replace(
        'gymnasium.make("Pendulum-v1", render_mode="rgb_array").unwrapped', "Rod()"
    )
    code = code.replace('("gymnasium", "pygame")', "()").replace(
        "HOLD = 20", STAND_IN + "\nHOLD = 20"
    )
    path = tmp_path / f"pendulum_{tmp_path.name.replace('-', '_')}.py"
    path.write_text(code)
    return str(path)


def test_the_page_fits_and_its_file_is_a_world(file):
    assert CODE.count("\n") < 100
    config = flags.load_config(file)
    assert config.task_record.name == "swing_up" and config.rl.spec.columns == 2
    world = env_maker(config)("train", 4, 0)
    try:
        obs = world.reset(3)
        saved = world.save()
        action = np.tile([0.0, 2.0], (4, 1)).astype(np.float32)
        step = world.step(action)
        assert obs.fields.shape == (4, 3) and (step.final_obs.fields != obs.fields).any()
        np.testing.assert_array_equal(world.load(saved).fields, obs.fields)
        np.testing.assert_array_equal(world.step(action).obs.fields, step.obs.fields)
    finally:
        world.close()


def test_a_file_without_tasks_or_another_name_is_one_error(file, tmp_path):
    with pytest.raises(ConfigError, match="has no task 'swing_down'. Try: swing_up"):
        worlds.find(file, "swing_down")
    (tmp_path / "empty.py").write_text("TASKS = [1]")
    with pytest.raises(ConfigError, match="needs TASKS, a dictionary of ControlTask"):
        worlds.find(str(tmp_path / "empty.py"), "x")
    with pytest.raises(ConfigError, match="there is no such file"):
        worlds.find(str(tmp_path / "none.py"), "x")
    assert worlds.of_run({"world": str(tmp_path / "none.py"), "task": "x"}) is None
