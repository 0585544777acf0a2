"""The whole chain but for Java: stand-in, MineDojo's own client, bridge, a macro, PPO.

In the middle of the training a worker is killed. Needs MineDojo's interpreter: that of
RLGPT_MINEDOJO_PYTHON, or the one that `python -m experiments.minedojo setup` makes.
"""

import collections
import dataclasses
import logging
import os
import signal
import time

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.host import HostMineDojo
from rlgpt_jax.envs.minedojo.lane import Phase
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import PPOConfig, RLConfig
from rlgpt_jax.rl.ppo import outcome
from rlgpt_jax.rl.train import init_learner, train
from tests.doubles.minecraft.games import serving
from tests.envs.minedojo import doubles

pytestmark = pytest.mark.minedojo

WORKERS, VICTIM = 2, 1
HORIZON = 150  # ticks; enough to find a cow within ten blocks
PPO = PPOConfig(num_envs=WORKERS, unroll_length=64, num_minibatches=2, num_epochs=2)
KILL_AT = 2  # updates before the worker is killed
UPDATES = 6  # at least; more until the worker is back and a cow was milked
MOST_UPDATES = 40
MACRO = """
def milk_cow(obs):
    for view in range(8):
        if obs.sees("cow"):
            break
        obs = yield turn(yaw=45)
    obs = yield from use_on(obs, "cow")
"""


@pytest.fixture
def python() -> str:
    try:
        return str(MineDojoConfig().interpreter())
    except ValueError as error:
        pytest.skip(str(error))


class Watched:
    """The world, and what it told: ended episodes, rewards, and the loss of one."""

    def __init__(self, world: HostMineDojo):
        self._world = world
        self.ticks = np.zeros(WORKERS, int)  # of the episode under way
        self.ended: list[tuple[int, bool]] = []  # ticks and success, without lost episodes
        self.lost: list[int] = []  # lanes
        self.milk = 0.0
        self.killed_at = self.recovery = np.nan  # seconds

    def __getattr__(self, name):
        return getattr(self._world, name)

    def receive(self):
        lanes, step = self._world.receive()
        self.milk += float(step.reward.sum())
        for row, lane in enumerate(lanes.tolist()):
            self.ticks[lane] += 1
            if step.info["lost"][row]:
                assert step.reward[row] == 0 and not step.terminated[row] and step.truncated[row]
                assert not step.info["success"][row]
                self.lost.append(lane)
                self.recovery = time.monotonic() - self.killed_at
                self.ticks[lane] = 0
            elif step.terminated[row] or step.truncated[row]:
                self.ended.append((int(self.ticks[lane]), bool(step.info["success"][row])))
                self.ticks[lane] = 0
        return lanes, step

    def plays(self, lane: int, killed: list[int]) -> bool:
        """Whether an episode is under way in a worker that was not killed."""
        is_new = self._world.lanes[lane].link.process.pid not in killed
        return is_new and self._world.lanes[lane].phase in (Phase.DECIDING, Phase.TICKING)

    def kill(self, lane: int) -> int:
        """Ends a worker as the system would; returns its process id."""
        process = self._world.lanes[lane].link.process
        self.killed_at = time.monotonic()
        os.kill(process.pid, signal.SIGKILL)
        return process.pid


def space_of(source: str, name: str) -> HybridSpace:
    """The primitives and one macro."""
    program = parse_macro(source, name, "full", skills.sources("full"))
    others = [""] * (MAX_MACROS - 1)
    return HybridSpace(
        macros=link([program]), names=(name, *others), offered=(True, *[False] * len(others))
    )


def test_ppo_with_a_macro_milks_a_cow_and_outlives_a_killed_worker(
    python, monkeypatch, record_property
):
    counted: list[tuple[int, bool]] = []  # episodes that training counts

    def outcomes(learner, episodes, real=outcome.outcomes):
        done = np.asarray(episodes.done)
        ticks, success = np.asarray(episodes.ticks)[done], np.asarray(episodes.success)[done]
        counted.extend(zip(ticks.astype(int).tolist(), success.astype(bool).tolist()))
        return real(learner, episodes)

    monkeypatch.setattr(outcome, "outcomes", outcomes)
    task = dataclasses.replace(get_task("harvest_milk"), horizon=HORIZON)
    rl = RLConfig(ppo=PPO)
    space = space_of(MACRO, "milk_cow")
    killed: list[int] = []
    rates: list[float] = []

    def on_update(learner, metrics):
        rates.append(metrics["steps_per_second"])
        # A kill in a reset costs no episode: then another one follows.
        is_due = learner.num_updates >= KILL_AT and not world.lost
        if is_due and world.plays(VICTIM, killed):
            killed.append(world.kill(VICTIM))

    def is_enough(learner) -> bool:
        return learner.num_updates >= UPDATES and bool(world.lost) and world.milk > 0

    began = time.monotonic()
    with serving(WORKERS) as port:
        games = time.monotonic() - began
        config = MineDojoConfig(python=python, workers=WORKERS, port=str(port))
        world = Watched(HostMineDojo(task, WORKERS, config))
        try:
            before = init_learner(world, space, rl, seed=0)
            launch = time.monotonic() - began - games
            most = MOST_UPDATES * PPO.num_envs * PPO.unroll_length
            learner = train(world, space, rl, before, most, on_update, is_enough)
            now = world.lanes[VICTIM].link.process.pid
        finally:
            world.close()

    told = {
        "games_seconds": games, "launch_seconds": launch, "recovery_seconds": world.recovery,
        "milk": world.milk,
        "updates": int(learner.num_updates), "episodes": len(counted),
        "steps_per_second": float(np.median(rates)),
        "seconds": time.monotonic() - began,
    }  # fmt: skip
    for name, value in told.items():
        record_property(name, value)
    logging.getLogger("rlgpt_jax.end_to_end").info("%s", told)

    assert UPDATES <= learner.num_updates < MOST_UPDATES, "neither recovered nor milked"
    moved = jax.tree.map(lambda a, b: bool((a != b).any()), before.params, learner.params)
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(learner.params))
    assert any(jax.tree.leaves(moved))

    # The killed worker's episode was lost once, came back in another process, and counts nowhere.
    assert world.lost == [VICTIM] and doubles.restarts(world) == len(killed) and now not in killed
    assert counted and not collections.Counter(counted) - collections.Counter(world.ended)
    assert all(success or ticks == HORIZON for ticks, success in world.ended)

    # The macro milks: what the game paid reached the learner's episodes.
    assert world.milk >= 1 and any(success for _, success in world.ended)
    assert config.launch_timeout > world.recovery > 0
