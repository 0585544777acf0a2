"""Starts workers and waits for them."""

import atexit
import selectors
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.minedojo.link import Link, LocalLink, end_all

INDEX_VARIABLE = "RLGPT_MINEDOJO_WORKER"  # tells a worker which lane it serves


class Launcher(Protocol):
    """Where workers run."""

    def start(self, index: int) -> Link:
        """A new worker process for lane `index`. Raises OSError if there can be none."""
        ...

    def wait(self, links: Sequence[Link], timeout: float) -> list[Link]:
        """Those with an answer or a closed end, within `timeout` seconds."""
        ...

    def end(self, links: Sequence[Link]) -> None:
        """Ends some workers and their games; others go on."""
        ...

    def close(self) -> None:
        """Ends all workers."""
        ...


class Local:
    """Workers on this machine."""

    def __init__(self, config: MineDojoConfig, environment: Mapping[str, str] | None = None):
        """Finds the interpreter; starts nothing yet.

        Args:
          config: interpreter, display and folders.
          environment: added to that of the workers.

        Raises:
          ValueError: there is no interpreter.
        """
        self._python = config.interpreter()
        self._folder = config.log_folder
        self._environment = {
            "MINEDOJO_HEADLESS": "1" if config.headless else "0",
            "MINEDOJO_DEBUG_LOG": "1",  # the client prints what the game does, else it is lost
            "PYTHONUNBUFFERED": "1",  # also the last words of a worker that is killed
            **(environment or {}),
        }
        self._links: list[LocalLink] = []
        atexit.register(self.close)  # games must not outlive the run

    def start(self, index: int) -> LocalLink:
        """Starts a worker; its process is running when this returns."""
        self._links = [link for link in self._links if link.fd >= 0]
        environment = {**self._environment, INDEX_VARIABLE: str(index)}
        link = LocalLink(self._python, environment, self._folder, f"worker{index}")
        self._links.append(link)
        return link

    def wait(self, links: Sequence[Link], timeout: float) -> list[Link]:
        """Reads from all pipes until one worker's answer is whole, or its pipe has ended."""
        mine = [link for link in links if isinstance(link, LocalLink)]
        end = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            for link in mine:
                selector.register(link.fd, selectors.EVENT_READ, link)
            ready: list[Link] = [link for link in mine if link.fill()]
            while not ready:
                events = selector.select(max(0.0, end - time.monotonic()))
                ready = [key.data for key, _ in events if key.data.fill()]
                if time.monotonic() >= end:
                    break
        return ready

    def end(self, links: Sequence[Link]) -> None:
        """Ends these workers, beside each other."""
        end_all([link for link in links if isinstance(link, LocalLink)])

    def close(self) -> None:
        """Ends what still runs."""
        atexit.unregister(self.close)
        self.end(self._links)
        self._links = []
