"""How a trial comes to the situations in which a macro matters.

After the script has run, a lane is played forward until it stands where its macro shall be
started: with the target in reach, in sight or not in sight, and with materials of the goal in hand
or without. Who plays is the policy that was trained last, or, before there is one, random play that
goes for what it sees. Nothing is stored and restored, so that it works in every world.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import PRIMITIVE_HEADS
from rlgpt_jax.rl.evaluate.crosshair import BLOCK_REACH, MOB_REACH, met
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.networks.features import count_items
from rlgpt_jax.rl.policy import Policy, arrays_of
from rlgpt_jax.rl.rollout import macro_step
from rlgpt_jax.rl.rollout.rollout_host import decide, end_tick, start_lanes
from rlgpt_jax.rl.worlds.minecraft import decode

REACH, SIGHT, UNSEEN = "in reach", "in sight", "not in sight"
STRATA = (REACH, SIGHT, UNSEEN)
# Shares of the play's limit: how long at most a lane plays before it looks for its stratum, and
# from when on it no longer waits for materials.
SPREAD, PATIENCE = 0.25, 0.5
LOOK = 5  # steps of the camera that it turns by in a tick when it looks around
KEEPS = 8  # ticks for which the search walks on after it lost sight of the target


@dataclasses.dataclass(frozen=True)
class Scene:
    """What a trial is about, and from where its macro is started."""

    goal_item: str = ""
    # What the goal is made of or got with and no episode starts with, what is nearest to bare
    # hands first.
    materials: tuple[str, ...] = ()
    # Ticks of play, at most, between the script and the macro; 0 starts it where the script ended.
    play: int = 0
    policy: Policy | None = None  # who plays; None is random play and search
    recorder: Recorder | None = None  # keeps what pictures of the first chunk of lanes need
    # Episodes that take the place of the last fresh ones: (seed of the reset, lane).
    cases: tuple[tuple[int, int], ...] = ()
    # What `save` of the world gave: its lanes begin there, and not with a reset.
    state: Any = None


class Targets(NamedTuple):
    """What the N lanes see of the target."""

    distance: np.ndarray  # float32[N]  blocks from the eye to the nearest, inf if none is seen
    in_reach: np.ndarray  # bool[N]  use and attack reach it once the crosshair is on it
    ray: np.ndarray  # int[N]  that meets the nearest

    @property
    def stratum(self) -> np.ndarray:
        """int[N], index into `STRATA`."""
        return np.where(self.in_reach, 0, np.where(np.isfinite(self.distance), 1, 2))


def look(obs: Observation, goals: np.ndarray) -> Targets:
    """Where the nearest of the names int[K] is."""
    name, distance, is_mob = met(obs)
    distance = np.where(np.isin(name, goals), distance, np.inf)
    reach = distance <= np.where(is_mob, MOB_REACH, BLOCK_REACH)
    near = np.asarray(reach.any(axis=1))
    return Targets(distance.min(axis=1), near, distance.argmin(axis=1))


class Wishes:
    """Where each of N lanes shall start its macro: the strata take turns."""

    def __init__(self, scene: Scene, num: int, rng: np.random.Generator):
        lanes = np.arange(num)
        self.stratum = lanes % len(STRATA)
        self._materials = np.array([NAME_ID[name] for name in scene.materials], np.int32)
        self._with_materials = lanes // len(STRATA) % 2 == 1
        self._play = scene.play
        self._after = rng.integers(0, int(SPREAD * scene.play) + 1, num) * (self.stratum > 0)

    def holds(self, obs: Observation) -> np.ndarray:
        """bool[N]: some of the materials are in the inventory."""
        if not len(self._materials):
            return np.zeros(len(self.stratum), bool)
        return np.asarray(count_items(obs, self._materials).any(axis=1))

    def are_met(self, obs: Observation, seen: Targets, played: np.ndarray) -> np.ndarray:
        """bool[N], after int[N] ticks of play. When those are over, any situation will do."""
        stratum = (seen.stratum == self.stratum) & (played >= self._after)
        if len(self._materials):
            tired = played >= PATIENCE * self._play
            stratum &= tired | (self.holds(obs) == self._with_materials)
        return stratum | (played >= self._play)


class Search:
    """Walks, turns and presses at random; lanes that want the target near go for what they see."""

    def __init__(self, obs: Observation, wishes: Wishes, rng: np.random.Generator):
        num = len(obs.yaw)
        self._rng, self._goes = rng, wishes.stratum == STRATA.index(REACH)
        self._left = np.zeros(num, int)
        self._doing = np.tile(np.array(base.NOOP, np.int32), (num, 1))
        self._walks = np.zeros(num, bool)
        self._stuck = np.zeros(num, bool)
        self._position = np.asarray(obs.position)

    def act(
        self, obs: Observation, seen: Targets, busy: np.ndarray, hold: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """One tick between the script and the macro.

        Args:
          busy: bool[N], lanes in which it cannot act.
          hold: bool[N], lanes in which it may begin nothing that lasts.

        Returns:
          Actions int32[N, 8], and the lanes bool[N] in which nothing of it goes on.
        """
        self._draw()
        action = self._doing.copy()
        level = base.CAMERA_CENTRE - np.rint(np.asarray(obs.pitch) / base.CAMERA_STEP).astype(int)
        # Not always, so that it gets round what it cannot walk through.
        going = self._goes & np.isfinite(seen.distance) & (self._rng.random(len(busy)) < 0.9)
        bins = np.rint(
            np.array(base.RAY_YAWS)[seen.ray % len(base.RAY_YAWS)] / base.CAMERA_STEP
        ).astype(int)
        action[going] = base.NOOP
        action[going, base.YAW] += bins[going]
        # What is seen between two rays is lost again: it goes on the same way.
        self._doing[going], self._walks[going], self._left[going] = base.NOOP, True, KEEPS
        walking = going | self._walks
        action[walking, base.MOVE] = 1
        action[walking, base.PITCH] = level[walking]
        action[walking, base.JUMP] = (self._stuck | np.asarray(obs.in_water))[walking]
        self._left -= ~busy
        return action, ~busy

    def _draw(self) -> None:
        """New stretches where the last one is over: a walk, a turn, or something at random."""
        new, rng = self._left <= 0, self._rng
        num = len(new)
        kind = rng.random(num)
        self._walks = np.where(new, kind < 0.5, self._walks)
        turns, tries = new & (kind >= 0.5) & (kind < 0.75), new & (kind >= 0.75)
        self._doing[new] = base.NOOP
        self._doing[turns, base.YAW] = base.CAMERA_CENTRE + rng.choice((-LOOK, LOOK), num)[turns]
        primitive = np.stack([rng.integers(0, n, num) for n in PRIMITIVE_HEADS], axis=1)
        self._doing[tries] = np.asarray(decode(primitive.astype(np.int32)))[tries]
        long, short = rng.integers(3, 15, num), rng.integers(1, 6, num)
        length = np.where(self._walks, long, short)
        self._left = np.where(new, length, self._left)

    def end_tick(self, action: np.ndarray, step: Step) -> None:
        """What all lanes did in this tick, int32[N, 8], and what came of it: who is stuck."""
        now = np.asarray(step.obs.position)
        moved = np.abs(now - self._position)[:, [0, 2]].sum(axis=1)
        self._stuck = (action[:, base.MOVE] == 1) & (moved < 0.05)
        self._position = now


class Play:
    """A trained policy plays, with its macros and without its script."""

    def __init__(self, obs: Observation, policy: Policy, goals: tuple[str, ...], seed: int):
        space = dataclasses.replace(policy.space, script=(), repeat_script=False)
        self._space = space
        self._actor = arrays_of(dataclasses.replace(policy, space=space), goals)
        self._lanes = start_lanes(self._actor.problem.reward, obs, policy.config.network)
        self._macros = macro_step.init_macros(space, len(obs.yaw))
        self._key, self._tick = jax.random.key(seed), 0

    def act(
        self, obs: Observation, seen: Targets, busy: np.ndarray, hold: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `Search.act`."""
        decision = decide(self._actor, self._lanes, obs, self._key, np.int32(self._tick))
        chosen = np.where(hold, 0, decision.chosen).astype(np.int32)
        self._macros, act = macro_step.act(
            self._space, self._macros, obs, chosen, np.asarray(decision.primitive), busy
        )
        self._act, self._frames, self._tick = act, decision.frames, self._tick + 1
        return act.action, act.decided

    def end_tick(self, action: np.ndarray, step: Step) -> None:
        """As `Search.end_tick`."""
        act = self._act._replace(action=action)
        self._lanes, *_ = end_tick(self._actor.problem, self._lanes, act, step, self._frames)
        self._macros = macro_step.cut(self._macros, np.asarray(step.terminated | step.truncated))
