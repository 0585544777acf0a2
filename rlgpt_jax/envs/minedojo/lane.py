"""One lane: a worker, its game and the episode in it, as a state machine that never waits.

    launching -> making -> resetting -> deciding <-> in a tick
                               ^-------- the episode ended
    dead (killed, stalled, broken answer) -> launching, a bounded number of times in a row

Messages and the clock move it on; `host.py` waits for both. An episode that dies with its
worker is answered as lost once the next one has begun.
"""

import collections
import enum
import time
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.base import FUNCTION, SLOW_FUNCTIONS, SLOW_TICKS, Observation
from rlgpt_jax.envs.minedojo import making, request
from rlgpt_jax.envs.minedojo.batch import resized
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.convert import after_nothing, client_action, observation
from rlgpt_jax.envs.minedojo.damage import Facts
from rlgpt_jax.envs.minedojo.judging import Episode, Verdict
from rlgpt_jax.envs.minedojo.launcher import Launcher
from rlgpt_jax.envs.minedojo.link import Link, LinkClosed
from rlgpt_jax.envs.minedojo.request import Arrays
from rlgpt_jax.envs.tasks import Task
from rlgpt_jax.envs.voxel.biomes import BIOME_INDEX

HEALTHY = 20  # ticks after which a restarted worker counts as one that runs
_STARTED = Verdict(0.0, False, False, False)
_LOST = Verdict(0.0, False, True, False)


class Phase(enum.Enum):
    """What a lane waits for."""

    LAUNCHING = "launching"
    MAKING = "making"
    RESETTING = "resetting"
    DECIDING = "deciding"
    TICKING = "in a tick"
    COMMANDING = "in a command"


class Answer(NamedTuple):
    """One lane's part of a `Step`; observations have no batch axis."""

    obs: Observation
    verdict: Verdict
    final_obs: Observation
    busy: bool
    lost: bool


class WorkerFailed(RuntimeError):
    """A worker died too often in a row."""


class Settings(NamedTuple):
    """What all lanes share."""

    task: Task
    config: MineDojoConfig
    game: making.Game
    image_size: tuple[int, int] | None
    split: str


class Lane:
    """Lane `index`. `send`, `take` and `begin` are the agent's side, the rest the worker's."""

    def __init__(self, index: int, settings: Settings, launcher: Launcher):
        """Starts nothing; `begin` does."""
        self.index, self._set, self._launcher = index, settings, launcher
        self.link: Link | None = None
        self.phase = Phase.LAUNCHING
        self.deadline = np.inf  # by `time.monotonic`, of the answer that is waited for
        self.restarts = 0  # in all
        self.seen: Arrays = {}  # the last observation as the client gave it
        self.facts: Facts = {}
        self.capabilities: dict[str, Any] = {}
        self.drawn = 0  # episodes begun since the seed was given
        self._seed = 0
        self._obs: Observation | None = None
        self._episode: Episode | None = None
        self._in_world = 0  # episodes since the world was built
        self._rebuild = True
        self._failures = 0  # in a row
        self._healthy = 0  # ticks since the last start
        self._idle = 0  # ticks of a slow function still to be told
        self._ended: tuple[Verdict, Observation | None, bool] | None = None
        self._answers: collections.deque[Answer] = collections.deque()
        self._awaited = False
        self._begins_anew = False

    # --- the agent's side ---
    @property
    def awaited(self) -> bool:
        """Whether an answer is owed."""
        return self._awaited

    @property
    def answered(self) -> bool:
        """Whether `take` has something."""
        return self._awaited and bool(self._answers)

    def begin(self, seed: int, drawn: int = 0) -> None:
        """A first episode, in a new world, whatever runs; its observation is the answer."""
        self._seed, self.drawn = seed, drawn
        self._rebuild, self._awaited, self._idle = True, True, 0
        self._answers.clear()
        self._ended = (_STARTED, None, False)
        if self.link is None:
            self._launch()
        elif self.phase is Phase.DECIDING:
            self._reset()
        elif self.phase in (Phase.RESETTING, Phase.TICKING, Phase.COMMANDING):
            self._begins_anew = True  # what comes first is an answer to the past

    def send(self, action: np.ndarray) -> None:
        """Starts a tick with int32[8].

        Raises:
          RuntimeError: the last one has not been answered, or there was none.
          ValueError: an action outside of the action space.
        """
        if self._awaited or self._obs is None:
            raise RuntimeError(
                f"lane {self.index} is {self.phase.value}: start it, then wait for its answer "
                "by receive() before each send()."
            )
        row, ticks = client_action(action, self.seen["inventory/name"])
        self._awaited = True
        if self._answers or self.phase is not Phase.DECIDING:
            return  # the worker has died since: the answer is the loss
        if self._idle:
            self._answer_idle()
            return
        self._idle = SLOW_TICKS - 1 if int(action[FUNCTION]) in SLOW_FUNCTIONS else 0
        timeout = self._set.config.call_timeout
        self._ask(Phase.TICKING, timeout, op=request.STEP, action=row, ticks=ticks)

    def command(self, *commands: str) -> None:
        """Chat commands, which are no ticks of the episode.

        Raises:
          RuntimeError: the lane is not deciding.
        """
        if self.phase is not Phase.DECIDING or self._awaited:
            raise RuntimeError(f"lane {self.index} is {self.phase.value} and hears no commands.")
        timeout = self._set.config.call_timeout
        self._ask(Phase.COMMANDING, timeout, op=request.COMMAND, commands=list(commands))

    def take(self) -> Answer:
        """The answer; the next tick may be sent then."""
        self._awaited = False
        return self._answers.popleft()

    @property
    def obs(self) -> Observation:
        """The current observation.

        Raises:
          RuntimeError: no episode has begun.
        """
        if self._obs is None:
            raise RuntimeError(f"no episode has begun in lane {self.index}: call reset(seed).")
        return self._obs

    # --- the worker's side ---
    def ready(self) -> None:
        """The worker has answered, or is gone."""
        assert self.link is not None
        try:
            header, arrays = self.link.receive()
            if header.get("ok") is not True:
                raise LinkClosed(f"{header.get('kind')}: {header.get('error')}")
            self._on_reply(header, arrays)
        except LinkClosed as error:
            self.fail(str(error))
        except (KeyError, ValueError, TypeError, IndexError) as error:
            self.fail(f"its answer makes no sense: {type(error).__name__}: {error}")

    def expire(self) -> None:
        """Kills a worker that is past its deadline."""
        if time.monotonic() >= self.deadline:
            self.fail(f"no answer in time while it was {self.phase.value}")

    def fail(self, why: str) -> None:
        """Kills the worker and starts another; the episode in it is lost.

        Raises:
          WorkerFailed: this was one failure too many in a row.
        """
        assert self.link is not None
        words = self.link.last_words().strip()
        self.link.kill()
        self.link = None
        if self.phase in (Phase.TICKING, Phase.DECIDING, Phase.COMMANDING):
            if not self._begins_anew:
                self._ended = (_LOST, self._obs, True)
        self._begins_anew, self._idle = False, 0
        self._failures = 1 if self._healthy >= HEALTHY else self._failures + 1
        if self._failures > self._set.config.max_restarts:
            raise WorkerFailed(
                f"the MineDojo worker of lane {self.index} failed {self._failures} times in a "
                f"row, at last because {why} ({self.phase.value}). `python -m "
                "experiments.minedojo doctor` checks what it needs; minedojo.max_restarts is "
                f"{self._set.config.max_restarts}. The end of its log:\n{words or '(nothing)'}"
            )
        self.restarts += 1
        self._launch()

    def _launch(self) -> None:
        self._healthy, self._rebuild = 0, True
        self.link = self._launcher.start(self.index)
        self._ask(Phase.LAUNCHING, self._set.config.launch_timeout, op=request.HELLO)

    def _ask(self, phase: Phase, timeout: float, **header: Any) -> None:
        """Sends a request; a closed pipe is found by whoever waits for the answer."""
        assert self.link is not None
        self.phase, self.deadline = phase, time.monotonic() + timeout
        try:
            self.link.send(header)
        except LinkClosed as error:
            self.fail(str(error))

    def _on_reply(self, header: dict[str, Any], arrays: Arrays) -> None:
        if self.phase is Phase.LAUNCHING:
            self.capabilities = header
            self._make()
        elif self.phase is Phase.MAKING:
            self._reset()
        elif self._begins_anew:
            self._begins_anew = False
            self._reset()
        elif self.phase is Phase.RESETTING:
            self._on_reset(header["facts"], arrays)
        elif self.phase is Phase.TICKING:
            self._on_step(header, arrays)
        else:
            self._see(header["facts"], arrays)
            assert self._episode is not None
            self._episode.arranged(self.facts)
            self.phase, self.deadline = Phase.DECIDING, np.inf

    def _make(self) -> None:
        config, rgb = self._set.config, self._set.image_size is not None
        ask = making.make_request(self._set.game, config, self.index, self._number(), rgb)
        self._ask(Phase.MAKING, config.launch_timeout, **ask)

    def _number(self) -> int:
        """What the next world or episode is seeded with."""
        return making.world_seed(self._seed, self._set.split, self.index, self.drawn)

    def _reset(self) -> None:
        config = self._set.config
        rebuild = self._rebuild or self._in_world >= config.reset_every
        self._in_world, self._rebuild = 0 if rebuild else self._in_world, False
        ask = making.reset_request(self._set.game, rebuild, self._number())
        self.drawn += 1
        timeout = config.launch_timeout if rebuild else config.call_timeout
        self._ask(Phase.RESETTING, timeout, **ask)

    def _see(self, facts: Facts, arrays: Arrays, first: bool = False) -> Observation:
        biome = BIOME_INDEX[self._set.task.biome]
        obs = observation(arrays, facts, biome, None if first else self._obs)
        if obs.rgb is not None and self._set.image_size is not None:
            obs = obs._replace(rgb=resized(obs.rgb, self._set.image_size))
        self.seen, self.facts, self._obs = arrays, facts, obs
        return obs

    def _on_reset(self, facts: Facts, arrays: Arrays) -> None:
        obs = self._see(facts, arrays, first=True)
        self._episode = Episode(self._set.task, facts)
        self._in_world += 1
        self._idle = 0
        verdict, final, lost = self._ended or (_STARTED, None, False)
        self._ended = None
        self._answers.append(Answer(obs, verdict, obs if final is None else final, False, lost))
        self.phase, self.deadline = Phase.DECIDING, np.inf

    def _on_step(self, header: dict[str, Any], arrays: Arrays) -> None:
        assert self._episode is not None
        obs = self._see(header["facts"], arrays)
        self._healthy += 1
        verdict = self._episode.judge(obs, self.facts, bool(header["success"]))
        self.phase, self.deadline = Phase.DECIDING, np.inf
        self._conclude(verdict)

    def _answer_idle(self) -> None:
        assert self._episode is not None
        self._idle -= 1
        self.seen, self.facts, self._obs = after_nothing(self.seen, self.facts, self.obs)
        self._conclude(self._episode.idle())

    def _conclude(self, verdict: Verdict) -> None:
        obs = self.obs
        if verdict.terminated or verdict.truncated:
            self._ended = (verdict, obs, False)
            self._reset()
        else:
            self._answers.append(Answer(obs, verdict, obs, self._idle > 0, False))
