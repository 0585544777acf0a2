"""What a world that is not Minecraft tells of itself: the one place where such worlds enter.

The macro language, the hybrid policy, prompts and reports are made from a `WorldSpec`; none of
them knows a word of any world. Minecraft has richer senses and actions of its own (`envs.base`);
where code takes a spec, None stands for Minecraft.
"""

import dataclasses
import keyword
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np

LEVELS = ("paper", "full")  # of what macros may read, see `Field.level`


@dataclasses.dataclass(frozen=True)
class Field:
    """A number that is sensed: `obs.<name>` in macros, one column of what a policy sees."""

    name: str
    meaning: str  # for prompts, with the unit
    low: float = -1.0  # where it usually lies; a policy sees this range as -1..1
    high: float = 1.0
    level: str = "paper"  # from which macros may read it; policies see every field


@dataclasses.dataclass(frozen=True)
class Argument:
    """A number that an action or a macro takes, bounded."""

    name: str
    low: float
    high: float
    default: float | None = None  # None: it must be given

    def __post_init__(self) -> None:
        with np.errstate(over="ignore"):
            low, high = np.float32(self.low), np.float32(self.high)
        if not -np.inf < low < high < np.inf:
            raise ValueError(f"the bounds of {self.name} are not two numbers in order")
        if self.default is not None and not self.low <= self.default <= self.high:
            raise ValueError(f"the default of {self.name}, {self.default}, is outside its bounds")

    @property
    def resting(self) -> float:
        """The default, or what is nearest to 0."""
        return min(max(0.0, self.low), self.high) if self.default is None else self.default


@dataclasses.dataclass(frozen=True)
class Action:
    """What a macro may do in one step: `obs = yield <name>(<arguments>)`."""

    name: str
    meaning: str  # for prompts, with the units of the arguments
    arguments: tuple[Argument, ...] = ()
    hidden: bool = False  # for trusted skills alone: models' macros and prompts do not have it


@dataclasses.dataclass(frozen=True)
class WorldSpec:
    """Senses, actions and words of one family of worlds. Plain, hashable data.

    An action of N worlds is float32[N, columns]: the index into `actions`, then its arguments in
    their units, then zeros. An idle lane does `idle`.
    """

    name: str
    fields: tuple[Field, ...]
    actions: tuple[Action, ...]
    # Name of the action whose arguments a policy chooses every step, continuous; "" gives it one
    # choice among the actions that take no arguments and are not hidden.
    primitive: str = ""
    # Trusted skills by name, in the macro language; the first paragraph of a docstring is what
    # prompts tell. They may use hidden actions.
    skills: tuple[tuple[str, str], ...] = ()
    notes: str = ""  # for prompts: what the world is, units, what agents must know
    # Fields whose change a reward may be given for: a new best of an episode is rewarded by the
    # weight of the field, of a negative weight a new least.
    progress: tuple[tuple[str, float], ...] = ()
    facts: tuple[str, ...] = ()  # fields that reports sum up, for critics
    step_seconds: float = 1.0  # of the world's time

    def __post_init__(self) -> None:
        """Raises ValueError for what macros could not name or call, and for names of nothing."""
        check_names([field.name for field in self.fields])
        check_names([action.name for action in self.actions])
        for action in self.actions:
            check_names([argument.name for argument in action.arguments])
            given = [a.default is not None for a in action.arguments]
            if given != sorted(given):
                raise ValueError(
                    f"{self.name}: {action.name} has an argument without a default behind one with "
                    "a default; change their order"
                )
        fields = [field.name for field in self.fields]
        check_known(f"{self.name}: progress", [name for name, _ in self.progress], fields)
        check_known(f"{self.name}: facts", self.facts, fields)
        check_known(f"{self.name}: a level", [field.level for field in self.fields], LEVELS)
        takes = [action.name for action in self.actions if action.arguments]
        check_known(f"{self.name}: primitive", [self.primitive], ["", *takes])

    @property
    def columns(self) -> int:
        """Of an action: 1 and the most arguments that any takes."""
        return 1 + max(len(action.arguments) for action in self.actions)

    @property
    def continuous(self) -> Action | None:
        """The action named by `primitive`; None if policies have choices."""
        return next((a for a in self.actions if a.name == self.primitive), None)

    @property
    def choices(self) -> tuple[Action, ...]:
        """What policies choose from where they have no continuous action."""
        return tuple(a for a in self.actions if not a.arguments and not a.hidden)

    @property
    def primitives(self) -> tuple[str, ...]:
        """What a set-up may leave out: arguments of the continuous action, or all choices but the
        first."""
        action = self.continuous
        return tuple(x.name for x in (action.arguments if action else self.choices[1:]))

    @property
    def idle(self) -> np.ndarray:
        """float32[columns]: the first action with its defaults, or what is nearest to 0."""
        row = np.zeros(self.columns, np.float32)
        arguments = self.actions[0].arguments
        row[1 : 1 + len(arguments)] = [argument.resting for argument in arguments]
        return row


@dataclasses.dataclass(frozen=True)
class SpecTask:
    """One goal in a world with a spec."""

    name: str  # in file names, reports and results
    words: str  # the goal, for prompts; one line without a full stop
    spec: WorldSpec
    horizon: int  # steps; then an episode is truncated


def check_names(names: list[str]) -> None:
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or names.count(name) > 1:
            raise ValueError(f"{name!r} is not a Python name, or stands twice; choose another")


def check_known(entry: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{entry} is {name!r}; it must be among {known}")


class Sensed(NamedTuple):
    """What is seen of N worlds with a spec; batch axis first, NumPy."""

    fields: Any  # float32[N, F]  as `WorldSpec.fields`
    rgb: Any = None  # uint8[N, H, W, 3]; None where none is drawn
