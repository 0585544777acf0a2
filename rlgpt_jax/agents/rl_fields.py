"""Single values of the RL interface: names and numbers, and what is said of wrong ones.

Every check returns the value as it is used or raises `Wrong` with what was given, what is
allowed and what to write instead.
"""

import dataclasses
import difflib
import math
from collections.abc import Sequence
from typing import Any

from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.names import MOBS, load

ITEMS: tuple[str, ...] = tuple(load("items")["items"])
# What a ray can meet.
TARGETS: tuple[str, ...] = (
    *(mob for mob in MOBS if mob not in ("none", "player")),
    *(block for block in load("blocks_all")["blocks"] if block != "air"),
)
MAX_START_ITEMS = 9  # kinds


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers that a field may have. The bounds are such that none breaks a training run."""

    low: float
    high: float
    whole: bool = False

    def __str__(self) -> str:
        low, high = (f"{x:,}" if self.whole else f"{x:g}" for x in (self.low, self.high))
        return f"{low} to {high}"

    def check(self, value: Any, path: str) -> Any:
        """The number, an int if it is whole, or None if it was left out."""
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        ok = is_number and self.low <= value <= self.high
        if not ok or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            closest = min(max(_as_number(value, self.low), self.low), self.high)
            closest = round(closest) if self.whole else closest
            raise Wrong(
                f"{path} is {value!r}; it must be {kind} from {self}. Write {closest:g}, or "
                "leave it out to keep the run's own."
            )
        return int(value) if self.whole else float(value)


def _as_number(value: Any, default: float) -> float:
    """What was meant, as far as it can be told: models write numbers as texts."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):  # a whole number of 400 digits
        return default
    return number if math.isfinite(number) else default


def ranges(setting: Setting) -> dict[str, Range]:
    """By path in the JSON block; `items` and `start_items` are of one entry."""
    ticks = setting.ticks_per_iteration
    return {
        "task.goal_quantity": Range(1, 64, whole=True),
        "task.horizon": Range(20, max(20, 2 * setting.horizon), whole=True),
        "task.mob_range": Range(2, 40, whole=True),
        "task.start_items": Range(1, 64, whole=True),
        "reward.success": Range(0, 100),
        "reward.step_cost": Range(0, 1),
        "reward.distance.per_block": Range(0, 10),
        "reward.items": Range(-100, 100),
        "reward.exploration": Range(0, 10),
        "reward.environment": Range(0, 100),
        "reward.progress": Range(-1000, 1000),
        "training.ticks": Range(-(-ticks // 10), ticks, whole=True),
        "training.stop_at_success": Range(0.1, 1),
    }


def nearest(name: str, allowed: Sequence[str]) -> str:
    """The names that are most like a wrong one, in words; all of them if they are few."""
    if len(allowed) <= 16:
        return f"choose from {', '.join(allowed) or '(none)'}"
    longer = [other for other in allowed if name and (name in other or other in name)]
    close = difflib.get_close_matches(name, allowed, n=4, cutoff=0.5)
    found = list(dict.fromkeys([*close, *longer]))[:5]
    if found:
        return f"the nearest are {', '.join(found)}"
    return "use names of Minecraft 1.11, for example log, cobblestone, wool"


def name(value: Any, allowed: Sequence[str], path: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise Wrong(f"{path} is {value!r}, not a name for it; {nearest(str(value), allowed)}.")
    return value


def one_of(value: Any, allowed: Sequence[Any], path: str) -> Any:
    """One of a few values, or None if it was left out; numbers may come as texts."""
    if value is None:
        return None
    for known in allowed:
        if str(value).strip() in (str(known), f"{known}.0"):
            return known
    raise Wrong(f"{path} is {value!r}; choose from {', '.join(map(str, allowed))}.")


def names(value: Any, allowed: Sequence[str], path: str, most: int) -> tuple[str, ...] | None:
    """Names without repetition, or None if the list was left out."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Wrong(f'{path} is {value!r}; it must be a list of names, for example ["..."].')
    found = tuple(dict.fromkeys(name(x, allowed, f"{path}[{i}]") for i, x in enumerate(value)))
    if len(found) > most:
        raise Wrong(f"{path} has {len(found)} names; at most {most} are allowed. Leave some out.")
    return found


def numbers(
    value: Any, number: str, limits: Range, path: str, most: int, allowed: Sequence[str] = ITEMS
) -> tuple[tuple[str, Any], ...] | None:
    """Names with a number each: an object {name: number}, or a list of {"name", number}."""
    if value is None:
        return None
    if isinstance(value, Sequence) and all(isinstance(x, dict) for x in value):
        pairs = [(x.get("name"), x.get(number)) for x in value]
    elif isinstance(value, dict):
        pairs = list(value.items())
    else:
        raise Wrong(f'{path} is {value!r}; it must be an object, as {{"{allowed[0]}": 1}}.')
    checked = {}
    for item, amount in pairs:
        if amount is None:
            raise Wrong(f"{path} has no {number} for {item!r}; give a number from {limits}.")
        checked[name(item, allowed, path)] = limits.check(amount, f"{path}.{item}")
    if len(checked) > most:
        raise Wrong(f"{path} has {len(checked)} items; at most {most} are allowed.")
    return tuple(checked.items())


def fields(value: Any, allowed: Sequence[str], path: str) -> dict[str, Any]:
    """An object with some of these fields; {} if it was left out."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Wrong(f"{path} is {value!r}; it must be an object with {', '.join(allowed)}.")
    for field in value:
        if field not in allowed:
            raise Wrong(f"{path} has no field {field!r}; {nearest(field, allowed)}.")
    return value


def is_set(value: Any) -> bool:
    """Whether a part says anything: null and empty objects of nulls do not."""
    if isinstance(value, dict):
        return any(is_set(x) for x in value.values())
    return value not in (None, [], "")
