"""The action space: what a policy may choose, and which macros run without a choice."""

import dataclasses
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import CAMERA_STEP
from rlgpt_jax.envs.spec import Argument, WorldSpec
from rlgpt_jax.macros.limits import MAX_ARGUMENTS, TICK_LIMIT
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, MacroSet, link
from rlgpt_jax.rl import primitives
from rlgpt_jax.rl.interface import TURN, TURNS
from rlgpt_jax.rl.primitives import MINECRAFT, Primitives
from rlgpt_jax.rl.squashed import INITIAL_ARGUMENT_STD, INITIAL_LEAD_STD, Gaussian, between

PRIMITIVE_HEADS = tuple(map(len, MINECRAFT.heads))
NUM_MACRO_LOGITS = MAX_MACROS + 1
MAX_SCRIPT = 32


class HybridAction(NamedTuple):
    """What the policy chooses. Macro 0 means: do the primitive."""

    primitive: jax.Array  # int32[..., heads], or float32[..., D] before squashing
    macro: jax.Array  # int32[...]  1-based slot
    arguments: Any = None  # float32[..., MAX_ARGUMENTS] before squashing; None in Minecraft


class Masks(NamedTuple):
    """Which choices the policy has; choice 0 of every head is always allowed."""

    primitive: tuple[Any, ...] | Any  # bool[heads[i]] each, or bool[D]
    macro: Any  # bool[K + 1]
    arguments: Any = None  # bool[K, MAX_ARGUMENTS]  that the macros declare; None in Minecraft
    near: Gaussian | None = None  # [K, MAX_ARGUMENTS]  added to that of the arguments


class ArgumentArrays(NamedTuple):
    """float32[K, MAX_ARGUMENTS] each, in the units of the arguments; 0 where there are none."""

    low: Any
    high: Any
    default: Any  # what a script starts a macro with

    def given(self, u: jax.Array, chosen: jax.Array, fixed: jax.Array) -> jax.Array:
        """float32[N, MAX_ARGUMENTS] that macros are started with.

        Args:
          u: float32[N, MAX_ARGUMENTS], before squashing.
          chosen: int32[N], the macros.
          fixed: bool[N], lanes with the defaults.
        """
        low, high, default = (jnp.asarray(x)[jnp.maximum(chosen - 1, 0)] for x in self)
        return jnp.where(fixed[:, None], default, between(u, low, high))


class SpaceArrays(NamedTuple):
    """A `HybridSpace` as arrays, so that another space compiles nothing."""

    macros: MacroSet | None  # None where another part of the program holds them
    masks: Masks
    script: Any  # int32[MAX_SCRIPT]
    script_length: Any  # int32[]
    lead: Any  # int32[MAX_SCRIPT]
    lead_length: Any  # int32[]
    repeat: Any  # bool[]
    turn: Any  # int32[]  steps of the camera that a primitive turns by
    tick_limit: Any  # int32[]  ticks of one activation of a macro
    arguments: ArgumentArrays | None = None  # of macros in worlds with a spec


@dataclasses.dataclass(frozen=True)
class HybridSpace:
    """Primitives, macros that PPO may choose, and macros that run without a choice."""

    macros: MacroSet
    names: tuple[str, ...] = ("",) * MAX_MACROS  # "" for an empty slot
    offered: tuple[bool, ...] = (False,) * MAX_MACROS  # slots that PPO may choose
    # What the policy may choose without a macro, of `Primitives.names`; None is all of it. Numbers
    # that are left out stay at their resting values.
    primitives: tuple[str, ...] | None = None
    script: tuple[int, ...] = ()  # 1-based slots, run in order when an episode starts
    # 1-based slots that are offered, of which each in turn is by far the likeliest choice at first:
    # the next one once it was chosen, the first one again after the last.
    lead: tuple[int, ...] = ()
    repeat_script: bool = False  # the script starts again when it ends: PPO never decides
    turn: int = TURN  # degrees that a primitive turns the camera by, one of `TURNS`
    tick_limit: int = TICK_LIMIT  # ticks that one activation of a macro may take
    spec: WorldSpec | None = None  # of the world, None for Minecraft
    # In worlds with a spec, of each slot: bounded parameters that the macro declares.
    arguments: tuple[tuple[Argument, ...], ...] = ((),) * MAX_MACROS

    def __post_init__(self):
        if self.primitives is None:
            object.__setattr__(self, "primitives", self.all_primitives.names)
        for field in ("names", "offered", "arguments"):
            given = len(getattr(self, field))
            if given != MAX_MACROS:
                raise ValueError(f"space.{field} has {given} entries; it must have {MAX_MACROS}.")
        for field in ("script", "lead"):
            if len(getattr(self, field)) > MAX_SCRIPT:
                raise ValueError(
                    f"space.{field} has {len(getattr(self, field))} stages; at most {MAX_SCRIPT} "
                    "are allowed."
                )
        known = self.all_primitives.names
        for name in self.primitives or ():
            if name not in known:
                raise ValueError(
                    f"space.primitives names {name!r}; choose from {', '.join(known)}."
                )
        valid = np.asarray(self.macros.valid)
        for slot in self.script:
            if not 1 <= slot <= MAX_MACROS or not valid[slot - 1]:
                raise ValueError(
                    f"space.script names slot {slot}, which holds no macro. "
                    f"Slots with a macro: {[int(i) + 1 for i in np.flatnonzero(valid)]}."
                )
        for slot, offered in enumerate(self.offered, start=1):
            if offered and not valid[slot - 1]:
                raise ValueError(f"space.offered names slot {slot}, which holds no macro.")
        for slot in self.lead:
            if not 1 <= slot <= MAX_MACROS or not self.offered[slot - 1]:
                raise ValueError(f"space.lead names slot {slot}, which is not offered.")
        if self.repeat_script and not self.script:
            raise ValueError("space.repeat_script is set, but space.script is empty.")
        if self.turn not in TURNS:
            raise ValueError(
                f"space.turn is {self.turn!r}; choose from {', '.join(map(str, TURNS))}."
            )
        if self.tick_limit < 1:
            raise ValueError(f"space.tick_limit is {self.tick_limit}; it must be at least 1.")

    @property
    def uses_macros(self) -> bool:
        """False if no macro can ever run, so that drivers may leave the interpreter out."""
        return bool(self.script) or any(self.offered)

    @property
    def all_primitives(self) -> Primitives:
        return primitives.of_spec(self.spec)

    def arrays(self) -> SpaceArrays:
        script, lead = np.zeros((2, MAX_SCRIPT), np.int32)
        script[: len(self.script)] = self.script
        lead[: len(self.lead)] = self.lead
        kept = self.all_primitives.masks(self.primitives or ())
        declared, arguments = self._arguments()
        return SpaceArrays(
            macros=self.macros,
            masks=Masks(kept, np.array((True, *self.offered)), declared, self._near(arguments)),
            script=script,
            script_length=np.int32(len(self.script)),
            lead=lead,
            lead_length=np.int32(len(self.lead)),
            repeat=np.bool_(self.repeat_script),
            turn=np.int32(self.turn // CAMERA_STEP),
            tick_limit=np.int32(self.tick_limit),
            arguments=arguments,
        )

    def defaults(self, chosen: np.ndarray) -> np.ndarray:
        """float32[N, MAX_ARGUMENTS]: the default arguments of the macros int32[N], with a spec."""
        made = self._arguments()[1]
        assert made is not None
        return made.default[np.maximum(chosen - 1, 0)]

    def _arguments(self) -> tuple[np.ndarray | None, ArgumentArrays | None]:
        """bool[K, MAX_ARGUMENTS], which there are, and what they are."""
        if self.spec is None:
            return None, None
        declared = np.zeros((MAX_MACROS, MAX_ARGUMENTS), bool)
        values = np.zeros((3, *declared.shape), np.float32)
        for slot, arguments in enumerate(self.arguments):
            for i, a in enumerate(arguments):
                declared[slot, i] = True
                values[:, slot, i] = a.low, a.high, a.resting
        return declared, ArgumentArrays(*values)

    def _near(self, arguments: ArgumentArrays | None) -> Gaussian | None:
        """What brings the arguments of leads near their defaults at first."""
        if arguments is None:
            return None
        leads = np.isin(1 + np.arange(MAX_MACROS), self.lead)[:, None]
        span = np.maximum(arguments.high - arguments.low, 1e-9)
        at = np.arctanh(np.clip(2.0 * (arguments.default - arguments.low) / span - 1.0, -0.9, 0.9))
        change = math.log(INITIAL_LEAD_STD / INITIAL_ARGUMENT_STD)
        return Gaussian(at * leads, np.float32(change) * leads * np.ones_like(at))

    def label(self, slot: int) -> str:
        """The name under which slot `slot` (1-based) is counted and reported."""
        return self.names[slot - 1] or f"macro{slot}"

    def action_label(self, slot: int, primitive: np.ndarray) -> str:
        """What a lane does: its macro's name, or the label of the primitive if `slot` is 0."""
        return self.label(slot) if slot > 0 else self.all_primitives.label(primitive)


def empty_space(spec: WorldSpec | None = None) -> HybridSpace:
    """Primitives alone: pure RL."""
    return HybridSpace(macros=link(()), spec=spec)
