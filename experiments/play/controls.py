"""From keys and mouse to action rows; nothing here knows of windows or worlds."""

import collections
import math

import numpy as np

from rlgpt_jax.envs import base

DEGREES_PER_PIXEL = 0.15  # of mouse movement
MAX_WAITING = 4  # slow actions asked for and not yet done; more are dropped
_LARGEST_TURN = base.CAMERA_CENTRE  # bins in one tick


class Controls:
    """What is held, tapped, and asked for; `row` gives it to the world tick by tick."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._tapped: set[str] = set()  # pressed since the last tick, perhaps let go again
        self._asked: collections.deque[tuple[int, int, int]] = collections.deque()
        self._look = [0.0, 0.0]  # degrees not yet turned: yaw, pitch

    def press(self, what: str) -> None:
        """A key or button goes down; `what` is a value of `keys.HELD` or `keys.BUTTONS`."""
        self._held.add(what)
        self._tapped.add(what)

    def release(self, what: str) -> None:
        """It goes up again; a short tap still counts for one tick."""
        self._held.discard(what)

    def release_all(self) -> None:
        """As when the window loses the keyboard."""
        self._held.clear()
        self._tapped.clear()
        self._look = [0.0, 0.0]

    def turn(self, right: float, down: float) -> None:
        """The mouse moved, pixels."""
        self._look[0] += right * DEGREES_PER_PIXEL
        self._look[1] += down * DEGREES_PER_PIXEL

    def ask(self, function: int, craft: int = 0, slot: int = 0) -> None:
        """A slow action, once, as soon as the agent is free."""
        if len(self._asked) < MAX_WAITING:
            self._asked.append((function, craft, slot))

    def row(self, busy: bool) -> np.ndarray:
        """int32[8]: the action of the next tick. A busy agent is not given any."""
        row = np.array(base.NOOP, np.int32)
        if busy:
            return row
        on = self._held | self._tapped
        self._tapped.clear()
        row[base.MOVE] = _one_of(on, "forward", "back")
        row[base.STRAFE] = _one_of(on, "left", "right")
        row[base.JUMP] = 1 if "jump" in on else 2 if "sneak" in on else 3 * ("sprint" in on)
        row[base.YAW] += self._bins(0)
        row[base.PITCH] += self._bins(1)
        if self._asked:
            row[[base.FUNCTION, base.CRAFT_ARG, base.SLOT_ARG]] = self._asked.popleft()
        elif "attack" in on:
            row[base.FUNCTION] = base.FN_ATTACK
        elif "use" in on:
            row[base.FUNCTION] = base.FN_USE
        return row

    def _bins(self, axis: int) -> int:
        """Whole bins to turn by; what is left of the movement waits."""
        bins = math.trunc(self._look[axis] / base.CAMERA_STEP)
        bins = max(-_LARGEST_TURN, min(_LARGEST_TURN, bins))
        self._look[axis] -= bins * base.CAMERA_STEP
        return bins


def _one_of(on: set[str], first: str, second: str) -> int:
    """1 or 2, and 0 for none or both."""
    return 0 if first in on and second in on else 1 if first in on else 2 * (second in on)
