"""What a run takes from a library on disk and from the trusted skills.

Macros of a library that compile at the run's sensor level are offered to the policy as
further actions, in slots that a plan then has no more, and may be called by new macros. The
offer is made once, before anything is asked, and does not change during a run.
"""

import dataclasses
from collections.abc import Mapping, Sequence

from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.library.store import Entry, LibraryError
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.limits import MAX_MACROS
from rlgpt_jax.macros.linked import split
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.skills.skills import Described


@dataclasses.dataclass(frozen=True)
class Offer:
    """Functions to call, macros to choose, and words about what was left out."""

    # Name -> text, for the compiler: all that the code of this run may call.
    sources: Mapping[str, str] = dataclasses.field(default_factory=dict)
    functions: tuple[Described, ...] = ()  # the part of them that prompts tell of
    macros: tuple[Fate, ...] = ()  # of kind "macro", for the first slots
    docs: tuple[str, ...] = ()  # one line for each of `macros`
    left_out: tuple[str, ...] = ()  # "NAME: why it is not offered or cannot be called"

    @property
    def reserved(self) -> tuple[str, ...]:
        """Names that a plan may not give to its own sub-actions."""
        called = [f.signature.partition("(")[0] for f in self.functions]
        # What they were linked with is found under its name before a part of the plan is.
        inside = [name for text in self.sources.values() for name in split(text)[1]]
        return tuple(sorted({*called, *inside, *(fate.name for fate in self.macros)}))


NOTHING = Offer()
PLAN_SLOTS = 4  # that every plan has; a library is offered in the others


def free_slots(config: LoopConfig) -> int:
    """Slots that macros of a library may have."""
    if not config.learns:
        return 0
    return MAX_MACROS - PLAN_SLOTS if config.asks else MAX_MACROS


def make_offer(
    entries: Sequence[Entry],
    config: LoopConfig,
    sensors: str,
    chosen: Sequence[str] = (),
    with_skills: bool = False,
    spec: WorldSpec | None = None,
) -> Offer:
    """Compiles a library and decides what is offered.

    Args:
      entries: of the library, in any order.
      chosen: names of the macros that the policy is offered; none means as many as fit, by
        name.
      with_skills: whether macros may call the trusted skills, and prompts tell of them.
      spec: of a world that is not Minecraft.

    Raises:
      LibraryError: `chosen` names what is not in the library or does not fit.
    """
    if not entries and not with_skills and not chosen:
        return NOTHING
    sources = skills.sources(sensors, spec) | {entry.name: entry.source for entry in entries}
    left_out: list[str] = []
    usable, functions = [], list(skills.documented(sensors, spec) if with_skills else ())
    for entry in sorted(entries, key=lambda e: e.name):
        program = parse_macro(entry.source, entry.name, sensors, sources, spec)
        if isinstance(program, Refusal):
            left_out.append(f"{entry.name}: refused at sensor level {sensors}: {words(program)}")
            continue
        usable.append(entry)
        call = f"def call(obs):\n    obs = yield from {entry.name}(obs)\n"
        refused = parse_macro(call, "call", sensors, sources, spec)
        if isinstance(refused, Refusal):
            left_out.append(f"{entry.name}: cannot be called: {words(refused)}")
        else:
            functions.append(skills.described(entry.source, entry.name, entry.doc))
    offered = choose(usable, chosen, left_out, config)
    return Offer(
        sources=sources,
        functions=tuple(functions),
        macros=tuple(Fate(e.name, "macro", source=e.source, used="library") for e in offered),
        docs=tuple(entry.doc for entry in offered),
        left_out=tuple(left_out),
    )


def choose(
    usable: Sequence[Entry], chosen: Sequence[str], left_out: list[str], config: LoopConfig
) -> list[Entry]:
    """The macros that the policy is offered; tells in `left_out` which do not fit."""
    free = free_slots(config)
    by_name = {entry.name: entry for entry in usable}
    unknown = [name for name in chosen if name not in by_name]
    if unknown:
        raise LibraryError(
            f"macros.offer names {', '.join(unknown)}, which the library does not have or which "
            f"cannot be used here. Usable: {', '.join(by_name) or 'none'}."
        )
    if len(set(chosen)) > free:
        raise LibraryError(
            f"macros.offer names {len(set(chosen))} macros, but {free} slots are "
            f"free in mode {config.mode}."
        )
    wanted = [by_name[name] for name in dict.fromkeys(chosen)] or list(usable)
    where = f"{free} slots are free" if config.learns else "nothing chooses macros"
    left_out += [
        f"{entry.name}: not offered to the policy: {where} in mode {config.mode}"
        for entry in wanted[free:]
    ]
    return wanted[:free]


def words(refusal: Refusal) -> str:
    """A refusal in one line."""
    where = f"line {refusal.line}: " if refusal.line else ""
    return f"{where}{refusal.reason}"
