"""Processes with lanes, and what happens when one dies."""

import contextlib
import logging
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

from rlgpt_jax.envs.control.rendering import CannotDraw
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.minedojo.failures import WorkerFailed

LAUNCH_SECONDS = 180.0  # for imports and models, before the first episode
MOST_IN_A_ROW = 3  # restarts of a worker without an answered request, then the run ends
LAST_WORDS = 1500  # characters of its log that an error quotes
# Not `-m`: what the worker sends must be known here by the names of its module.
_COMMAND = "from rlgpt_jax.envs.control.worker import main; main()"
_logger = logging.getLogger(__name__)


class _Broken(Exception):
    """No answer came."""


class WorkerProcess:
    """One worker and the lanes that it serves.

    `ask` and `answer` never raise for a worker that died, hung or raised: `answer` returns None
    then, another worker has begun new episodes, and `fresh` holds their observation until it is
    `taken`.
    """

    def __init__(self, task: ControlTask, lanes: list[int], draw_seeds: Any):
        """Starts the process. `draw_seeds(lanes)` gives the seeds of new episodes."""
        self.lanes, self.fresh = lanes, None
        self._task, self._draw_seeds = task, draw_seeds
        self._in_a_row, self._launching = 0, True
        self._start()

    def _start(self) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._pipe, theirs = multiprocessing.Pipe()
        path = os.pathsep.join(part for part in sys.path if part)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _COMMAND, str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                env={**os.environ, "PYTHONPATH": path}, pass_fds=[theirs.fileno()],
                start_new_session=True,
            )  # fmt: skip
        task, count = self._task, len(self.lanes)
        self._send(LAUNCH_SECONDS, task.simulator, dict(task.options), count, task.horizon)

    def ask(self, *request: Any) -> None:
        """Sends a request; waits for the launch alone."""
        if self._launching:
            self._launching = False
            self.answer()
        if self.fresh is None:
            self._send(self._patience, *request)

    def answer(self) -> Any:
        """The answer to the last `ask`; None after a failure."""
        if self.fresh is not None:
            return None
        try:
            value = self._receive()
        except _Broken as error:
            self._replace(str(error))
            return None
        self._in_a_row = 0
        return value

    def taken(self) -> np.ndarray:
        """The observation float32[k, F] of episodes that a new worker has begun."""
        fresh, self.fresh = self.fresh, None
        assert fresh is not None
        return fresh

    def close(self) -> None:
        """Ends the process."""
        self._pipe.close()
        self.process.kill()
        self.process.wait()
        self._log.close()

    @property
    def _patience(self) -> float:
        return self._task.patience * len(self.lanes)

    def _replace(self, why: str) -> None:
        """Another process, until one has begun new episodes."""
        while self.fresh is None:
            self._count(why)
            self.close()
            self._start()
            try:
                self._receive()
                self._send(self._patience, "reset", self._draw_seeds(self.lanes))
                self.fresh = self._receive()
            except _Broken as error:
                why = str(error)

    def _count(self, why: str) -> None:
        self._in_a_row += 1
        name, lanes = self._task.name, f"{self.lanes[0]} to {self.lanes[-1]}"
        if self._in_a_row > MOST_IN_A_ROW:
            raise WorkerFailed(
                f"the {name} worker of lanes {lanes} failed {self._in_a_row} times in a row, at "
                f"last because {why}. The end of its log:\n{self._last_words()}"
            )
        _logger.warning(
            "the %s worker of lanes %s failed because %s; its episodes are lost. Restart %d of %d "
            "in a row.", name, lanes, why, self._in_a_row, MOST_IN_A_ROW,
        )  # fmt: skip

    def _send(self, patience: float, *request: Any) -> None:
        """Asks for what `_receive` waits for so many seconds."""
        with contextlib.suppress(OSError):  # found by `_receive`
            self._pipe.send(request)
        self._waits, self._deadline = patience, time.monotonic() + patience

    def _receive(self) -> Any:
        try:
            if not self._pipe.poll(max(0.0, self._deadline - time.monotonic())):
                raise _Broken(f"it has not answered in {self._waits:.0f} s")
            kind, value = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise _Broken(f"its process ended{self._code()}") from error
        if kind == "failed":
            raise _Broken(f"it raised {value}")
        if kind == "refused":
            raise CannotDraw(value)
        return value

    def _code(self) -> str:
        try:
            return f" with code {self.process.wait(timeout=1.0)}"
        except subprocess.TimeoutExpired:
            return ""

    def _last_words(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), LAST_WORDS, max(0, size - LAST_WORDS))
        return text.decode(errors="replace").strip() or "(nothing)"
