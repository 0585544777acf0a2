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
from rlgpt_jax.envs.minedojo.batch import Answer
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.convert import Seen, client_action, read
from rlgpt_jax.envs.minedojo.failures import Failures
from rlgpt_jax.envs.minedojo.judging import Episode, Verdict
from rlgpt_jax.envs.minedojo.launcher import Launcher
from rlgpt_jax.envs.minedojo.link import Link, LinkClosed
from rlgpt_jax.envs.minedojo.request import Arrays, Header
from rlgpt_jax.envs.tasks.tasks import Task

GRACE = 2.0  # seconds past its deadline in which a worker is heard, since we may have been busy
_BEGUN = (Verdict(0.0, False, False, False), None, False)  # what `_ended` is before any end
_LOST = Verdict(0.0, False, True, False)


class Phase(enum.Enum):
    """What a lane waits for."""

    LAUNCHING = "launching"
    MAKING = "making"
    RESETTING = "resetting"
    DECIDING = "deciding"
    TICKING = "in a tick"


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
        self.seen: Seen | None = None  # what came last
        self.awaited = False  # whether an answer is owed
        self.failures = Failures(index, settings.config)
        self.client: dict[str, Any] = {}  # what the worker has told of itself and MineDojo
        self.drawn = 0  # episodes begun since the seed was given
        self._seed = 0
        self._episode: Episode | None = None
        self._in_world = 0  # episodes since the world was built
        self._rebuild = True
        self._is_overdue = False
        self._idle = 0  # ticks of a slow function still to be told
        self._ended: tuple[Verdict, Observation | None, bool] = _BEGUN
        self._answers: collections.deque[Answer] = collections.deque()
        self._begins_anew = False

    # --- the agent's side ---
    @property
    def answered(self) -> bool:
        """Whether `take` has something."""
        return self.awaited and bool(self._answers)

    def begin(self, seed: int, drawn: int = 0) -> None:
        """A first episode, in a new world, whatever runs; its observation is the answer."""
        self._seed, self.drawn = seed, drawn
        self._rebuild, self.awaited, self._idle = True, True, 0
        self._answers.clear()
        self._ended = _BEGUN
        if self.link is None:
            self._launch()
        elif self.phase is Phase.DECIDING:
            self._reset()
        elif self.phase in (Phase.RESETTING, Phase.TICKING):
            self._begins_anew = True  # what comes first is an answer to the past

    def move(self, settings: Settings) -> None:
        """Serves another world of the same game from the next `begin` on."""
        self._set, self.drawn, self.awaited = settings, 0, False
        self._answers.clear()

    def check(self, action: np.ndarray) -> tuple[list[int], int]:
        """The client's action for int32[8] and its ticks; starts nothing.

        Raises:
          RuntimeError: the last one has not been answered, or there was none.
          ValueError: an action outside of the action space.
        """
        if self.awaited or self.seen is None:
            raise RuntimeError(
                f"lane {self.index} is {self.phase.value}: start it, then wait for its answer "
                "by receive() before each send()."
            )
        return client_action(action, self.seen.arrays["inventory/name"])

    def send(self, action: np.ndarray) -> None:
        """Starts a tick with int32[8]. Raises as `check` does."""
        row, ticks = self.check(action)
        self.awaited = True
        if self._answers or self.phase is not Phase.DECIDING:
            return  # the worker has died since: the answer is the loss
        if self._idle:
            self._answer_idle()
            return
        self._idle = SLOW_TICKS - 1 if int(action[FUNCTION]) in SLOW_FUNCTIONS else 0
        timeout = self._set.config.call_timeout
        self._ask(Phase.TICKING, timeout, op=request.STEP, action=row, ticks=ticks)

    def take(self) -> Answer:
        """The answer; the next tick may be sent then."""
        self.awaited = False
        return self._answers.popleft()

    # --- the worker's side ---
    def ready(self) -> None:
        """The worker has answered, or is gone."""
        assert self.link is not None
        try:
            header, arrays = self.link.receive()
            if header.get("ok") is not True:
                raise LinkClosed(f"{header.get('kind')}: {header.get('error')}")
            seen = self._read(header, arrays)
        except LinkClosed as error:
            self.fail(str(error))
        else:
            self._on_reply(header, seen)

    def expire(self) -> None:
        """Kills a worker that is past its deadline, and past a grace after it."""
        now = time.monotonic()
        if now < self.deadline:
            return
        assert self.link is not None
        if self.phase is Phase.LAUNCHING and self.link.waits_for_room():
            self.failures.warn_of_no_room()
            self.deadline = now + self._set.config.launch_timeout
        elif not self._is_overdue:
            self._is_overdue, self.deadline = True, now + GRACE
        else:
            self.fail(f"no answer in time while it was {self.phase.value}")

    def fail(self, why: str) -> None:
        """Kills the worker and starts another; the episode in it is lost.

        Raises:
          WorkerFailed: this was one failure too many in a row, or no worker can be started.
        """
        assert self.link is not None
        link, self.link = self.link, None
        try:
            self.failures.add(why, self.phase.value, link.last_words)
        finally:
            link.kill()
        if self.phase in (Phase.TICKING, Phase.DECIDING) and not self._begins_anew:
            assert self.seen is not None
            self._ended = (_LOST, self.seen.obs, True)
        self._begins_anew, self._idle = False, 0
        self._launch()

    def _launch(self) -> None:
        self._rebuild = True
        try:
            self.link = self._launcher.start(self.index)
        except OSError as error:
            raise self.failures.not_started(error) from error
        self._ask(Phase.LAUNCHING, self._set.config.launch_timeout, op=request.HELLO)

    def _ask(self, phase: Phase, timeout: float, **header: Any) -> None:
        """Sends a request; a closed pipe is found by whoever waits for the answer."""
        assert self.link is not None
        self.phase, self.deadline = phase, time.monotonic() + timeout
        self._is_overdue = False
        try:
            self.link.send(header)
        except LinkClosed as error:
            self.fail(str(error))

    def _read(self, header: Header, arrays: Arrays) -> Seen | None:
        """What an answer shows; None where nothing is to be seen. Raises LinkClosed."""
        if self.phase in (Phase.LAUNCHING, Phase.MAKING) or self._begins_anew:
            return None
        is_first = self.phase is Phase.RESETTING
        before = None if is_first or self.seen is None else self.seen.obs
        return read(header, arrays, self._set.task, self._set.image_size, before)

    def _on_reply(self, header: Header, seen: Seen | None) -> None:
        if self.phase is Phase.LAUNCHING:
            self.client, config = header, self._set.config
            ask = making.make_request(self._set.game, config, self.index, self._number())
            self._ask(Phase.MAKING, config.launch_timeout, **ask)
        elif self.phase is Phase.MAKING:
            self._reset()
        elif seen is None:
            self._begins_anew = False
            self._reset()
        else:
            self.seen, phase = seen, self.phase
            self.phase, self.deadline = Phase.DECIDING, np.inf
            if phase is Phase.RESETTING:
                self._on_reset(seen)
            else:
                assert self._episode is not None
                self._conclude(seen.obs, self._episode.judge(seen.obs, seen.facts, seen.success))

    def _number(self) -> int:
        """What the next world or episode is seeded with."""
        return making.world_seed(self._seed, self._set.split, self.index, self.drawn)

    def _reset(self) -> None:
        config = self._set.config
        rebuild = self._rebuild or self._in_world >= config.reset_every
        self._in_world, self._rebuild = 0 if rebuild else self._in_world, False
        rgb = self._set.image_size is not None
        ask = making.reset_request(self._set.game, rebuild, self._number(), rgb)
        self.drawn += 1
        timeout = config.launch_timeout if rebuild else config.call_timeout
        self._ask(Phase.RESETTING, timeout, **ask)

    def _on_reset(self, seen: Seen) -> None:
        self._episode = Episode(self._set.task, seen.facts)
        self._in_world += 1
        self._idle = 0
        verdict, final, lost = self._ended
        final = seen.obs if final is None else final
        self._answers.append(Answer(seen.obs, verdict, final, False, lost))

    def _answer_idle(self) -> None:
        assert self._episode is not None and self.seen is not None
        self._idle -= 1
        obs = self.seen.obs._replace(damage=np.float32(0), damage_kind=np.int32(0))
        self.seen = self.seen._replace(obs=obs)
        self._conclude(obs, self._episode.idle())

    def _conclude(self, obs: Observation, verdict: Verdict) -> None:
        if verdict.terminated or verdict.truncated:
            self.failures.end_row()
            self._ended = (verdict, obs, False)
            self._reset()
        else:
            self._answers.append(Answer(obs, verdict, obs, self._idle > 0, False))
