"""A world on the host that also tells the CLIP reward of every tick, as `Step.info["clip"]`.

Where episodes end the rings begin anew. The term is weighted by `reward.clip` like every other
(`rl/reward/rewards.py`); `Step.reward` stays the world's own.
"""

from typing import Any

import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Observation, Step
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.reward.clip.reward import ClipReward, Scorer


def with_clip(env: HostEnvironment, scorer: Scorer, window: int, every: int) -> "ClipWorld":
    """The world with its reward; one whose lanes step on their own stays such a world.

    Raises:
      ValueError: its pictures have another size than those of the model.
    """
    kind = AsyncClipWorld if hasattr(env, "send") else ClipWorld
    return kind(env, scorer, window, every)


class ClipWorld:
    """A `HostEnvironment` around another one."""

    def __init__(self, env: HostEnvironment, scorer: Scorer, window: int, every: int):
        self._env: Any = env
        self._size = scorer.sizes.image_size
        self._reward = ClipReward(scorer, env.num_envs, window, every)
        self._lanes = np.arange(env.num_envs)
        self.num_envs = env.num_envs
        self.goal_names = env.goal_names
        if hasattr(env, "image_size"):
            self._check_size(env.image_size)

    def __getattr__(self, name: str) -> Any:
        # What only some worlds have (a state for renderers, their size, `send`, `close`).
        if name.startswith("__") or name == "_env":
            raise AttributeError(name)
        return getattr(self._env, name)

    def _check_size(self, size: Any) -> None:
        if size is None or tuple(size) != self._size:
            height, width = self._size
            shown = "no pictures" if size is None else f"pictures of {size[0]} x {size[1]}"
            raise ValueError(
                f"the world shows {shown}, and the CLIP reward needs {height} x {width}. Make the "
                f"world with image_size=({height}, {width}), or set reward.clip to 0."
            )

    def _pictures(self, obs: Observation) -> np.ndarray:
        rgb = None if obs.rgb is None else np.asarray(obs.rgb)
        self._check_size(None if rgb is None else rgb.shape[1:3])
        assert rgb is not None
        return rgb

    def reset(self, seed: int) -> Observation:
        obs = self._env.reset(seed)
        self._reward.begin(self._lanes, self._pictures(obs))
        return obs

    def step(self, action: np.ndarray) -> Step:
        return self._scored(self._lanes, self._env.step(action))

    def _scored(self, lanes: np.ndarray, step: Step) -> Step:
        done = np.asarray(step.terminated) | np.asarray(step.truncated)
        clip = self._reward.step(
            lanes, self._pictures(step.final_obs), done, self._pictures(step.obs)
        )
        if "lost" in step.info:  # nothing is known of such a tick
            clip = np.where(step.info["lost"], np.float32(0.0), clip)
        return step._replace(info={**step.info, "clip": clip})

    def save(self) -> Any:
        return {"world": self._env.save(), "clip": self._reward.save()}

    def load(self, saved: Any) -> Observation:
        obs = self._env.load(saved["world"])
        self._reward.load(saved["clip"])
        return obs


class AsyncClipWorld(ClipWorld):
    """The same around a world whose lanes step on their own (`send`, `receive`)."""

    def __init__(self, env: HostEnvironment, scorer: Scorer, window: int, every: int):
        super().__init__(env, scorer, window, every)
        self._fresh = np.zeros(env.num_envs, bool)  # the next answer is a first observation

    def reset(self, seed: int) -> Observation:
        self._fresh[:] = False  # also what `start` has begun and nobody has received
        return super().reset(seed)

    def start(self, seed: int) -> None:
        self._fresh[:] = True
        self._env.start(seed)

    def receive(self) -> tuple[np.ndarray, Step]:
        lanes, step = self._env.receive()
        lanes = np.asarray(lanes)
        first = self._pictures(step.obs)
        # A first observation begins its episode as one after an end does, and earns nothing.
        fresh = self._fresh[lanes]
        self._fresh[lanes] = False
        if fresh.any():
            self._reward.begin(lanes[fresh], first[fresh])
        clip = np.zeros(len(lanes), np.float32)
        if not fresh.all():
            some = ~fresh
            part = _rows(step, some)
            clip[some] = self._scored(lanes[some], part).info["clip"]
        return lanes, step._replace(info={**step.info, "clip": clip})

    def save(self) -> Any:
        return {"world": self._env.save()}

    def load(self, saved: Any) -> Observation:
        """Such worlds begin new episodes, so their rings do too."""
        obs = self._env.load(saved["world"])
        self._fresh[:] = False
        self._reward.begin(self._lanes, self._pictures(obs))
        return obs


def _rows(step: Step, rows: np.ndarray) -> Step:
    """What `_scored` reads of these rows."""
    take = lambda obs: obs._replace(rgb=np.asarray(obs.rgb)[rows])  # noqa: E731
    info = {name: np.asarray(step.info[name])[rows] for name in ("lost",) if name in step.info}
    return Step(
        take(step.obs), np.asarray(step.reward)[rows], np.asarray(step.terminated)[rows],
        np.asarray(step.truncated)[rows], take(step.final_obs), info,
    )  # fmt: skip


def check_told(env: Any, config: RLConfig) -> None:
    """Refuses a reward that the world does not tell."""
    if config.reward.clip and not isinstance(env, ClipWorld):
        raise ValueError(
            f"reward.clip is {config.reward.clip}, but this world tells no CLIP reward. Put it "
            "into rl.reward.clip.world.with_clip, or set reward.clip to 0."
        )
