"""Ends of a run that come from outside: Ctrl-C, a scheduler's SIGTERM, a lost terminal's SIGHUP.

A run that is told to end does so at its next event, after an update with a checkpoint of it;
after SOFT seconds wherever it is; and after HARD seconds, where it is deep in a compiler and
hears nothing, its process ends at once. It says how to go on in each case.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

SOFT, HARD = 6.0, 18.0  # on a busy machine what comes after takes some more
HEARD = (signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """The run was told to end."""


@contextlib.contextmanager
def interrupts_kill() -> Iterator[None]:
    """Ctrl-C ends the process in silence, as while modules are imported, which cannot be undone
    and of which a traceback tells nothing."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Stop:
    """Hears SIGTERM and SIGHUP while it is entered. What ignores them, as nohup does, goes on.

    Args:
      last_words: said where the process ends at once.
    """

    def __init__(self, last_words: str):
        self.came = ""  # the name of the signal
        # An end that a compiler's callback has thrown away: what fails next fails because of it.
        self.swallowed: BaseException | None = None
        self._last_words = last_words

    def __enter__(self) -> "Stop":
        # Python's own handlers wait until the compiler has returned, the descriptor does not.
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in HEARD:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._hear)
        threading.Thread(target=self._watch, args=(reader,), daemon=True).start()
        self._others = sys.unraisablehook
        sys.unraisablehook = self._keep
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing is undone: what follows is the end of the process, and if it was told to end
        the watch goes on."""

    def raise_if_told(self) -> None:
        """Ends the run if it was told to end."""
        if self.swallowed:
            raise self.swallowed
        if self.came:
            raise Stopped(f"told to end by {self.came}")

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            self.raise_if_told()
        self.came = signal.Signals(number).name

    def _keep(self, unraisable: Any) -> None:
        if isinstance(unraisable.exc_value, Stopped | KeyboardInterrupt):
            self.swallowed = unraisable.exc_value
        else:
            self._others(unraisable)

    def _watch(self, reader: int) -> None:
        number = 0
        while number not in HEARD:
            number = os.read(reader, 1)[0]
        time.sleep(SOFT)
        signal.pthread_kill(threading.main_thread().ident or 0, number)
        time.sleep(HARD - SOFT)
        with contextlib.suppress(OSError):
            print(f"\nStopped by {signal.Signals(number).name}. {self._last_words}", flush=True)
        os._exit(1)
