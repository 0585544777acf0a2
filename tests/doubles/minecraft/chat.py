"""Minecraft's commands that the client sends as chat, as changes of the world.

Sources: https://minecraft.wiki/w/Commands (Java 1.11); which of them MineDojo sends is its
own list (`valid_cmds`). The weather is always clear here.
"""

from collections.abc import Callable

import numpy as np

from rlgpt_jax.envs.names import MOBS
from tests.doubles.minecraft.edits import NUM_SLOTS, Edits
from tests.doubles.minecraft.mission import Stack, make_stack

DAY = 24_000  # ticks
BORDER = 30_000_000  # blocks from the middle of a world
_WORDS = {"day": 1000, "night": 13_000}  # of /time set
_ARMOR = ("feet", "legs", "chest", "head")
_TRIES = 64
_REST = np.array([0.0, 1e-3, 0.0])  # feet may be a rounding error below a block's top


class CommandError(Exception):
    """A command that there is not here, or with parameters that make no sense."""


class Chat:
    """Runs commands on the edits of one game."""

    def __init__(self, edits: Edits, spawnable: np.ndarray, rng: np.random.Generator):
        """Binds commands to a world.

        Args:
          edits: of the world, open.
          spawnable: bool[X, Z], columns of dry, open ground.
          rng: draws the places of /spreadplayers.
        """
        self._edits, self._spawnable, self._rng = edits, spawnable, rng
        self.teleported = False  # whether the yaw is a new one

    def run(self, command: str) -> None:
        """Does what a command like "/summon cow ~1 ~ ~" says.

        Raises:
          CommandError: words for people.
        """
        if not command.strip():
            raise CommandError("a chat line without a command.")
        verb, *words = command.split()
        runs: dict[str, Callable[[list[str]], None]] = {
            "/summon": self._summon, "/kill": self._kill, "/time": self._time,
            "/weather": self._weather, "/replaceitem": self._replace_item, "/tp": self._tp,
            "/clear": self._clear, "/setblock": self._set_block,
            "/spreadplayers": self._spread, "/give": self._give,
        }  # fmt: skip
        if verb not in runs:
            raise CommandError(f"no command {verb!r}. There are: {', '.join(runs)}.")
        try:
            runs[verb](words)
        except (ValueError, IndexError, OverflowError) as problem:
            raise CommandError(f"{command!r} cannot be read: {problem}.") from problem

    def _point(self, words: list[str], centre: bool = True) -> np.ndarray:
        """float64[3] of three coordinates; `~` counts from the player."""
        if len(words) < 3:
            raise ValueError("three coordinates are needed")
        feet = self._edits.position.astype(np.float64)
        middle = np.array([0.5, 0.0, 0.5]) if centre else np.zeros(3)
        return np.array([_coordinate(*row) for row in zip(words, feet, middle)])

    def _summon(self, words: list[str]) -> None:
        mob = words[0].removeprefix("minecraft:")
        where = self._point(words[1:4]) if len(words) > 1 else self._edits.position
        if not self._edits.summon(mob, where):
            raise CommandError(f"no mob {mob!r} in this world. There are: {', '.join(MOBS[1:-1])}.")

    def _kill(self, words: list[str]) -> None:
        target = words[0] if words else "@p"
        if not target.startswith("@e"):
            self._edits.die()
            return
        kind = target.partition("type=")[2].rstrip("]").split(",")[0].removeprefix("minecraft:")
        others = kind.startswith("!")
        dies = lambda name: not kind or (name == kind.lstrip("!")) != others  # noqa: E731
        self._edits.remove_mobs(np.array([dies(mob) for mob in MOBS]))
        if dies("item"):
            self._edits.remove_items()
        if dies("player"):  # last: what it drops then stays
            self._edits.die()

    def _time(self, words: list[str]) -> None:
        how, value = words
        ticks = _WORDS[value] if value in _WORDS else int(value)
        time = self._edits.fields.world_time
        if how not in ("set", "add"):
            raise ValueError("time is set or added to")
        time[:] = (ticks if how == "set" else time + ticks) % DAY

    def _weather(self, words: list[str]) -> None:
        if words[0] not in ("clear", "normal", "rain", "thunder"):
            raise ValueError(f"no weather {words[0]!r}")

    def _replace_item(self, words: list[str]) -> None:
        _, _, place, *what = words
        self._put(_stack(_place(place), what))

    def _give(self, words: list[str]) -> None:
        empty = np.flatnonzero(self._edits.fields.inventory.item[0] == 0)
        if len(empty):
            self._put(_stack(int(empty[0]), words[1:]))

    def _put(self, stack: Stack) -> None:
        if not self._edits.put(stack):
            raise CommandError(f"no item {stack.name!r} in this world.")

    def _clear(self, words: list[str]) -> None:
        del words
        self._edits.clear()

    def _tp(self, words: list[str]) -> None:
        words = words[1:] if words[0].startswith("@") else words
        fields = self._edits.fields
        point = self._point(words)
        yaw, pitch = None, None
        if len(words) > 4:
            yaw = _coordinate(words[3], float(fields.player.yaw[0]))
            pitch = _coordinate(words[4], float(fields.player.pitch[0]))
        self._edits.stand(point, yaw, pitch)
        self.teleported = True

    def _set_block(self, words: list[str]) -> None:
        x, y, z = np.floor(self._point(words, centre=False) + _REST).astype(int)
        name = words[3].removeprefix("minecraft:")
        variant = int(words[4]) if len(words) > 4 else 0
        if not self._edits.set_block((x, y, z), name, variant):
            raise CommandError(f"no block {name!r} of variant {variant} can be at height {y} here.")

    def _spread(self, words: list[str]) -> None:
        """Onto open ground within a square; what one can stand on is looked for."""
        edits, reach = self._edits, _coordinate(words[3], 0.0)
        middle = self._point([words[0], "~", words[1]], centre=False)
        size_x, size_z = self._spawnable.shape
        for _ in range(_TRIES):
            x, z = np.floor(middle[::2] + self._rng.uniform(-reach, reach, 2)).astype(int)
            if self._spawnable[x % size_x, z % size_z]:
                break
        # The land repeats itself: far from the middle the same place is nearer.
        x, z = (int(np.fmod(at, 10 * size)) for at, size in ((x, size_x), (z, size_z)))
        ground = edits.ground((x, z))
        edits.stand(np.array([x + 0.5, ground, z + 0.5]))


def _coordinate(word: str, base: float, middle: float = 0.0) -> float:
    if word.startswith("~"):
        value = base + float(word[1:] or 0.0)
    else:
        value = float(word) + (0.0 if "." in word else middle)
    if not abs(value) <= BORDER:  # nor is nan
        raise ValueError(f"{word} is outside of the world")
    return value


def _stack(place: int, words: list[str]) -> Stack:
    """Of "minecraft:name [quantity [variant]]"."""
    quantity = words[1] if len(words) > 1 else "1"
    variant = words[2] if len(words) > 2 else "0"
    return make_stack(place, words[0].removeprefix("minecraft:"), variant, quantity)


def _place(word: str) -> int:
    """The place of the inventory that a slot of /replaceitem names."""
    parts = word.split(".")
    if parts[1] == "weapon":
        return NUM_SLOTS + len(_ARMOR) if parts[-1] == "offhand" else 0
    if parts[1] == "armor":
        return NUM_SLOTS + _ARMOR.index(parts[2])
    start, length = {"hotbar": (0, 9), "inventory": (9, 27)}.get(parts[1], (0, 0))
    number = int(parts[2])
    if not 0 <= number < length:
        raise ValueError(f"no slot {word!r}")
    return start + number
