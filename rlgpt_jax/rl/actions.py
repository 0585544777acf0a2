"""The hybrid action: a primitive of two heads, or one of the macros.

    log pi(a) = log pi(macro) + [macro = 0] * (log pi(head 0) + log pi(head 1))
    H(pi)     = H(macro) + pi(macro = 0) * (H(head 0) + H(head 1))

The primitives are the released code's heads [12, 3]. Head 0: nothing; forward, back;
left, right; jump, sneak, sprint; look up, down, left, right by the turn of the space. Head 1:
nothing, use, attack. Sprint sets column 2 alone, as in the released code, and therefore
does not move by itself.
"""

import dataclasses
import math
from typing import Any, NamedTuple

import distrax
import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import (
    CAMERA_STEP,
    FN_ATTACK,
    FN_USE,
    FUNCTION,
    JUMP,
    MOVE,
    NOOP,
    PITCH,
    STRAFE,
    YAW,
)
from rlgpt_jax.macros.limits import TICK_LIMIT
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, MacroSet, link
from rlgpt_jax.rl.interface import HEAD0_LABELS, HEAD1_LABELS, PRIMITIVES, TURN, TURNS

PRIMITIVE_HEADS = (12, 3)
NUM_MACRO_LOGITS = MAX_MACROS + 1
MAX_SCRIPT = 32
# Of "no macro" in an untrained policy, so that every macro is as likely as one primitive of head 0.
NO_MACRO_LOGIT = math.log(PRIMITIVE_HEADS[0])
# Added to the logit of the macro that leads: e^6.5 = 665 stands against 12 for all primitives and 1
# for every other macro, so that at first it is chosen in 97 to 98 % of the decisions.
LEAD_LOGIT = 6.5
INVALID = -1e9  # a logit; finite, so that entropies and gradients stay finite

# (column, value) that a choice of head 0 sets in an action that is otherwise NOOP; of the camera's
# columns the sign of the turn.
HEAD0 = (
    None, (MOVE, 1), (MOVE, 2), (STRAFE, 1), (STRAFE, 2), (JUMP, 1), (JUMP, 2), (JUMP, 3),
    (PITCH, -1), (PITCH, 1), (YAW, -1), (YAW, 1),
)  # fmt: skip
HEAD1 = (0, FN_USE, FN_ATTACK)


class HybridAction(NamedTuple):
    """What the policy chooses. Macro 0 means: do the primitive."""

    primitive: jax.Array  # int32[..., 2]
    macro: jax.Array  # int32[...]  1-based slot


class Masks(NamedTuple):
    """Which choices the policy has; choice 0 of every head is always allowed."""

    primitive: tuple[Any, ...]  # bool[heads[i]]
    macro: Any  # bool[K + 1]


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


@dataclasses.dataclass(frozen=True)
class HybridSpace:
    """Primitives, macros that PPO may choose, and macros that run without a choice."""

    macros: MacroSet
    names: tuple[str, ...] = ("",) * MAX_MACROS  # "" for an empty slot
    offered: tuple[bool, ...] = (False,) * MAX_MACROS  # slots that PPO may choose
    primitives: tuple[str, ...] = PRIMITIVES  # choices of the heads besides nothing
    script: tuple[int, ...] = ()  # 1-based slots, run in order when an episode starts
    # 1-based slots that are offered, of which each in turn is by far the likeliest choice at first:
    # the next one once it was chosen, the first one again after the last.
    lead: tuple[int, ...] = ()
    repeat_script: bool = False  # the script starts again when it ends: PPO never decides
    turn: int = TURN  # degrees that a primitive turns the camera by, one of `TURNS`
    tick_limit: int = TICK_LIMIT  # ticks that one activation of a macro may take

    def __post_init__(self):
        for field in ("names", "offered"):
            given = len(getattr(self, field))
            if given != MAX_MACROS:
                raise ValueError(f"space.{field} has {given} entries; it must have {MAX_MACROS}.")
        for field in ("script", "lead"):
            if len(getattr(self, field)) > MAX_SCRIPT:
                raise ValueError(
                    f"space.{field} has {len(getattr(self, field))} stages; at most {MAX_SCRIPT} "
                    "are allowed."
                )
        for name in self.primitives:
            if name not in PRIMITIVES:
                raise ValueError(
                    f"space.primitives names {name!r}; choose from {', '.join(PRIMITIVES)}."
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

    def arrays(self) -> SpaceArrays:
        script, lead = np.zeros((2, MAX_SCRIPT), np.int32)
        script[: len(self.script)] = self.script
        lead[: len(self.lead)] = self.lead
        heads = tuple(
            np.array([not name or name in self.primitives for name in labels])
            for labels in (HEAD0_LABELS, HEAD1_LABELS)
        )
        return SpaceArrays(
            macros=self.macros,
            masks=Masks(heads, np.array((True, *self.offered))),
            script=script,
            script_length=np.int32(len(self.script)),
            lead=lead,
            lead_length=np.int32(len(self.lead)),
            repeat=np.bool_(self.repeat_script),
            turn=np.int32(self.turn // CAMERA_STEP),
            tick_limit=np.int32(self.tick_limit),
        )

    def label(self, slot: int) -> str:
        """The name under which slot `slot` (1-based) is counted and reported."""
        return self.names[slot - 1] or f"macro{slot}"

    def action_label(self, slot: int, primitive: np.ndarray) -> str:
        """What a lane does: its macro's name, or the label of the primitive if `slot` is 0."""
        return self.label(slot) if slot > 0 else primitive_label(primitive)


def empty_space() -> HybridSpace:
    """Primitives alone: pure RL."""
    return HybridSpace(macros=link(()))


def _head0_rows() -> np.ndarray:
    rows = np.zeros((PRIMITIVE_HEADS[0], len(NOOP)), np.int32)
    for choice, entry in enumerate(HEAD0):
        if entry is not None:
            rows[choice, entry[0]] = entry[1]
    return rows


HEAD0_ROWS = _head0_rows()  # int32[12, 8]  what a choice adds to NOOP
_TURNED = np.isin(np.arange(len(NOOP)), (PITCH, YAW))


def decode(
    primitive: jax.Array | np.ndarray, turn: jax.Array | int = int(TURN // CAMERA_STEP)
) -> jax.Array:
    """int32[..., 2] choices of the heads -> int32[..., 8] action of the world.

    Args:
      turn: int32[], steps of the camera that a choice turns by.
    """
    added = jnp.asarray(HEAD0_ROWS)[primitive[..., 0]]
    action = jnp.asarray(NOOP, jnp.int32) + added * jnp.where(_TURNED, turn, 1)
    return action.at[..., FUNCTION].set(jnp.asarray(HEAD1, jnp.int32)[primitive[..., 1]])


def primitive_label(primitive: tuple[int, int] | np.ndarray) -> str:
    """The name of a choice int[2], for example "forward+attack"; "nothing" if both are 0."""
    parts = (HEAD0_LABELS[int(primitive[0])], HEAD1_LABELS[int(primitive[1])])
    return "+".join(p for p in parts if p) or "nothing"


class Part(NamedTuple):
    """Which of all lanes the arrays at hand are about."""

    first: jax.Array  # int32[]
    total: int  # lanes of all parts

    def draw(self, choice: distrax.Categorical, key: jax.Array) -> jax.Array:
        """int32[n]: what a sample of all lanes would give the lanes of this part."""
        own = choice.logits
        everyone = jnp.zeros((self.total, *own.shape[1:]), own.dtype)
        everyone = jax.lax.dynamic_update_slice_in_dim(everyone, own, self.first, 0)
        chosen = distrax.Categorical(logits=everyone).sample(seed=key)
        return jax.lax.dynamic_slice_in_dim(chosen, self.first, own.shape[0])


class HybridDistribution(NamedTuple):
    """The policy's distribution over hybrid actions."""

    heads: tuple[distrax.Categorical, ...]
    macro: distrax.Categorical

    def sample(self, key: jax.Array, part: Part | None = None) -> HybridAction:
        """int32[N, 2] and int32[N]. `key` is used up. Without `part` these are all lanes."""
        keys = jax.random.split(key, len(self.heads) + 1)
        choices = (self.macro, *self.heads)
        draw = part.draw if part else lambda choice, key: choice.sample(seed=key)
        macro, *heads = [draw(*pair).astype(jnp.int32) for pair in zip(choices, keys, strict=True)]
        return HybridAction(jnp.stack(heads, axis=-1), macro)

    def sample_apart(self, keys: jax.Array) -> HybridAction:
        """Of N lanes, each with its own key: lane n draws what `sample(keys[n])` gives it.

        So N samples of all lanes are drawn, which is little for the tens of lanes that have
        keys of their own; the bits of a lane are those of a sample of all.
        """

        def own(key: jax.Array, lane: jax.Array) -> HybridAction:
            return jax.tree.map(lambda x: x[lane], self.sample(key))

        return jax.vmap(own)(keys, jnp.arange(keys.shape[0]))

    def log_prob(self, action: HybridAction) -> jax.Array:
        """float32[...], of actions of the same batch shape."""
        heads = sum(h.log_prob(action.primitive[..., i]) for i, h in enumerate(self.heads))
        return self.macro.log_prob(action.macro) + jnp.where(action.macro == 0, heads, 0.0)

    def entropy(self) -> jax.Array:
        """float32[...], in nats."""
        heads = sum(h.entropy() for h in self.heads)
        return self.macro.entropy() + self.macro.probs[..., 0] * heads

    def away_from_lead(self, lead: jax.Array, masks: Masks) -> jax.Array:
        """float32[...]: Kullback-Leibler divergence, in nats, of the choice between primitives and
        macros from the one that an untrained policy makes; 0 where no macro leads.

        Args:
          lead: int32[...], `Features.lead`.
        """
        none = jnp.zeros(NUM_MACRO_LOGITS).at[0].set(NO_MACRO_LOGIT)
        logits = none + LEAD_LOGIT * jax.nn.one_hot(lead, NUM_MACRO_LOGITS)
        untrained = distrax.Categorical(logits=jnp.where(masks.macro, logits, INVALID))
        return jnp.where(lead > 0, self.macro.kl_divergence(untrained), 0.0)


def distribution(
    primitive_logits: tuple[jax.Array, ...], macro_logits: jax.Array, masks: Masks
) -> HybridDistribution:
    """Of logits float32[..., heads[i]] and [..., K + 1]; what is not allowed has probability 0."""
    masked = lambda logits, mask: jnp.where(mask, logits, INVALID)  # noqa: E731
    heads = zip(primitive_logits, masks.primitive, strict=True)
    return HybridDistribution(
        tuple(distrax.Categorical(logits=masked(*head)) for head in heads),
        distrax.Categorical(logits=masked(macro_logits, masks.macro)),
    )
