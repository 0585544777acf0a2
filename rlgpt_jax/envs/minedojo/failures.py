"""How often the workers of one lane have failed, and what is told of it."""

import logging
from collections.abc import Callable

from rlgpt_jax.envs.minedojo.config import MineDojoConfig

LONGEST = 2000  # characters of a reason; the client's may be all that a game has printed
DOCTOR = "`python -m experiments.minedojo doctor` checks what it needs"
_logger = logging.getLogger(__name__)


class WorkerFailed(RuntimeError):
    """A worker cannot be started, or died too often in a row."""


class Failures:
    """The count of one lane, which an episode that comes to its end begins anew."""

    def __init__(self, lane: int, config: MineDojoConfig):
        self._lane, self._config = lane, config
        self._in_a_row = 0
        self.restarts = 0  # in all

    def end_row(self) -> None:
        """An episode has ended by success, death or time."""
        self._in_a_row = 0

    def add(self, why: str, doing: str, last_words: Callable[[], str]) -> None:
        """Counts a failure, which a restart follows, and warns of it.

        Args:
          why: the reason.
          doing: what the lane waited for.
          last_words: gives the end of the worker's log; asked for only where that is told.

        Raises:
          WorkerFailed: this was one too many in a row.
        """
        self._in_a_row += 1
        why, most = why[-LONGEST:], self._config.max_restarts
        if self._in_a_row > most:
            raise WorkerFailed(
                f"the MineDojo worker of lane {self._lane} failed {self._in_a_row} times in a row, "
                f"at last because {why} ({doing}). {DOCTOR}; minedojo.max_restarts is {most}. "
                f"{_quoted(last_words())}"
            )
        self.restarts += 1
        folder = self._config.log_folder
        log = f"Its log is kept in {folder}." if folder else _quoted(last_words())
        _logger.warning(
            "the MineDojo worker of lane %d failed (%s) because %s. Restart %d, %d of %d in a row. "
            "%s", self._lane, doing, why, self.restarts, self._in_a_row, most, log,
        )  # fmt: skip

    def not_started(self, error: OSError) -> WorkerFailed:
        """The error for a process that cannot be made at all."""
        return WorkerFailed(
            f"the MineDojo worker of lane {self._lane} cannot be started: {error}. {DOCTOR}."
        )

    def warn_of_no_room(self) -> None:
        """Tells that the lane goes on waiting for a host; this is no failure."""
        _logger.warning(
            "no host has had room for the MineDojo worker of lane %d for %g s; it waits on.",
            self._lane,
            self._config.launch_timeout,
        )


def _quoted(words: str) -> str:
    return f"The end of its log:\n{words.strip() or '(nothing)'}"
