"""What a policy may do without a macro: choices of a few heads, or the numbers of one action."""

import dataclasses
import functools

import numpy as np

from rlgpt_jax.envs.spec import Argument, WorldSpec
from rlgpt_jax.rl.interface import HEAD0_LABELS, HEAD1_LABELS


@dataclasses.dataclass(frozen=True)
class Primitives:
    """The primitives of a family of worlds: either heads or arguments."""

    # Names of the choices of each head. The first is always allowed, "" where it is nothing.
    heads: tuple[tuple[str, ...], ...] = ()
    arguments: tuple[Argument, ...] = ()  # of the action `name`, chosen every step
    name: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What a set-up may leave out."""
        choices = [name for labels in self.heads for name in labels[1:]]
        return (*choices, *(argument.name for argument in self.arguments))

    @property
    def weight(self) -> int:
        """How many macros all primitives together are as likely as in an untrained policy: one for
        every choice of the first head, or for more and for less of every number."""
        return len(self.heads[0]) if self.heads else 2 * len(self.arguments)

    def masks(self, kept: tuple[str, ...]) -> tuple[np.ndarray, ...] | np.ndarray:
        """What is left with the names `kept`: bool[heads[i]] of each head, or bool[D]."""
        if not self.heads:
            return np.array([argument.name in kept for argument in self.arguments])
        return tuple(
            np.array([i == 0 or name in kept for i, name in enumerate(labels)])
            for labels in self.heads
        )

    def label(self, primitive: tuple[int, ...] | np.ndarray) -> str:
        """The name of a choice int[heads], for example "forward+attack"; "nothing" if it has
        none. That of the action where the numbers are chosen."""
        parts = [labels[int(i)] for labels, i in zip(self.heads, primitive, strict=False)]
        return "+".join(p for p in parts if p) or self.name or "nothing"


MINECRAFT = Primitives(heads=(HEAD0_LABELS, HEAD1_LABELS))


@functools.cache
def of_spec(spec: WorldSpec | None) -> Primitives:
    """Of a world with a spec; None is Minecraft.

    Raises:
      ValueError: a policy could do nothing there.
    """
    if spec is None:
        return MINECRAFT
    if not spec.primitive:
        names = tuple(a.name for a in spec.choices)
        if not names:
            raise ValueError(
                f"the world {spec.name} has no primitive and no action without arguments that is "
                "not hidden; a policy needs one of both. Name an action in spec.primitive."
            )
        return Primitives(heads=(names,))
    found = spec.continuous
    assert found is not None  # a spec names one of its actions
    return Primitives(arguments=found.arguments, name=found.name)
