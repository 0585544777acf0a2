"""Workers on the hosts of a Ray cluster: the launcher of `minedojo.launcher=ray`.

Each worker belongs to an actor, which starts it on its own host as `Local` would and passes
frames on. An actor whose host dies is not restarted: its link closes, the lane's episode is
lost, and the lane asks for a new worker, whose actor Ray places on a host that lives.
Every host needs this package, with the extra `scale`, and MineDojo's interpreter.
"""

import atexit
import contextlib
import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.launcher import Local
from rlgpt_jax.envs.minedojo.link import Link, LinkClosed
from rlgpt_jax.envs.minedojo.request import Arrays, FrameBuffer, Header, encode

try:
    import ray
    from ray.exceptions import RayError
except ImportError as error:
    raise ImportError(
        "minedojo.launcher=ray needs Ray: pip install -e '.[scale]'. Without it take "
        "minedojo.launcher=local."
    ) from error

# What Ray keeps free on a host for one worker: the game's heap of 2 GB and more, one core.
RESOURCES: Mapping[str, Any] = {"num_cpus": 1, "memory": 3 * 10**9}
ANSWER_SECONDS = 5.0  # for an actor to end its worker, or to tell its last words
LOOK_SECONDS = 0.5  # between two looks at whether a waiting actor has been told to end
THREADS = 2  # of an actor: one may wait for the game while the other ends it


class WorkerActor:
    """A worker on the host where this object lives; made into an actor by `RayLauncher`."""

    def __init__(self, config: MineDojoConfig, index: int, environment: Mapping[str, str]):
        """Starts the worker.

        Raises:
          ValueError: this host has no interpreter for it.
        """
        self._local = Local(config, environment)
        self._link = self._local.start(index)
        self._ended = False
        self._waiting = threading.Lock()

    def ask(self, frame: bytes) -> bytes:
        """The frame that answers a frame; empty if `end` came first. Raises LinkClosed."""
        request = FrameBuffer(frame).pop()
        assert request is not None, "the launcher sends whole frames"
        with self._waiting:
            if not self._ended:
                self._link.send(*request)
            while not self._ended:
                if self._local.wait([self._link], LOOK_SECONDS):
                    return encode(*self._link.receive())
        return b""

    def is_here(self) -> bool:
        """Answers as soon as a host has had room for this object."""
        return True

    def last_words(self) -> str:
        return self._link.last_words()

    def end(self) -> None:
        """Ends the worker and its game, also while `ask` waits for it."""
        self._ended = True
        with self._waiting:  # closes no pipe under the other thread's wait
            self._local.close()


class RayLink:
    """The way to one actor."""

    def __init__(self, actor: Any):
        self.actor = actor
        self.is_killed = False
        self._here = actor.is_here.remote()
        self.awaited: Any = None  # Ray's reference of the answer; None where nothing was asked

    def send(self, header: Header, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        """Asks for something; an actor that is gone is found by who waits for the answer."""
        self.awaited = self.actor.ask.remote(encode(header, arrays))

    def receive(self) -> tuple[Header, Arrays]:
        """The answer. Raises LinkClosed where actor, worker or host are gone."""
        answer, self.awaited = self.awaited, None
        if answer is None:
            raise LinkClosed("it was asked for nothing")
        try:
            whole = FrameBuffer(ray.get(answer)).pop()
        except (RayError, LinkClosed, ValueError) as error:
            raise LinkClosed(in_short(error)) from error
        if whole is None:
            raise LinkClosed("its answer was no whole frame")
        return whole

    def kill(self) -> None:
        """Ends the worker, its game and the actor."""
        end([self])

    def last_words(self) -> str:
        """The end of the worker's log, while its host can be asked."""
        try:
            return str(ray.get(self.actor.last_words.remote(), timeout=ANSWER_SECONDS))
        except (RayError, ValueError) as error:
            return in_short(error)

    def waits_for_room(self) -> bool:
        """Whether Ray has not placed the actor, whose host would start the worker."""
        return not ray.wait([self._here], timeout=0)[0]


class RayLauncher:
    """Workers spread over the hosts of a cluster."""

    def __init__(
        self,
        config: MineDojoConfig,
        environment: Mapping[str, str] | None = None,
        resources: Mapping[str, Any] = RESOURCES,
    ):
        """Connects to Ray, where the process has not done so.

        The cluster is that of the variable RAY_ADDRESS, else one started here by `ray start`,
        else a new one of this machine alone.

        Args:
          config: of the workers; interpreter and folders are those of their hosts.
          environment: added to that of the workers.
          resources: options of `ray.remote` that say what a worker takes of its host.
        """
        self._is_mine = not ray.is_initialized()
        if self._is_mine:
            ray.init(logging_level=logging.ERROR, log_to_driver=False)
        self._config, self._environment = config, dict(environment or {})
        self._actor = ray.remote(
            max_restarts=0, max_concurrency=THREADS, scheduling_strategy="SPREAD", **resources
        )(WorkerActor)
        self._links: list[RayLink] = []
        atexit.register(self.close)

    def start(self, index: int) -> RayLink:
        """Asks Ray for a worker. It answers as soon as a host has room for it."""
        self._links = [link for link in self._links if not link.is_killed]
        link = RayLink(self._actor.remote(self._config, index, self._environment))
        self._links.append(link)
        return link

    def wait(self, links: Sequence[Link], timeout: float) -> list[Link]:
        """Those whose answer has come, or will not.

        A worker that dies while nothing is asked of it is told by the next request.
        """
        asked = {
            link.awaited: link
            for link in links
            if isinstance(link, RayLink) and link.awaited is not None
        }
        if not asked:
            return []
        ray.wait([*asked], num_returns=1, timeout=timeout)
        come, _ = ray.wait([*asked], num_returns=len(asked), timeout=0)
        return [asked[answer] for answer in come]

    def end(self, links: Sequence[Link]) -> None:
        """Ends these workers, beside each other."""
        end([link for link in links if isinstance(link, RayLink) and not link.is_killed])

    def close(self) -> None:
        """Ends all workers, and the connection to Ray if it was made here."""
        atexit.unregister(self.close)
        links, self._links = self._links, []
        if ray.is_initialized():
            self.end(links)
            if self._is_mine:
                ray.shutdown()


def end(links: Sequence[RayLink]) -> None:
    """Ends workers beside each other, then their actors. Never raises."""
    with contextlib.suppress(RayError, ValueError):
        ending = [link.actor.end.remote() for link in links]
        if ending:
            ray.wait(ending, num_returns=len(ending), timeout=ANSWER_SECONDS)
    for link in links:
        link.is_killed = True
        with contextlib.suppress(RayError, ValueError):
            ray.kill(link.actor)


def in_short(error: Exception) -> str:
    """The line of Ray's report that says what happened."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return lines[-1] if lines else type(cause).__name__
