"""From coded sub-actions to the hybrid action space that PPO acts in."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros.language import NOTHING, parse_macro
from rlgpt_jax.macros.limits import TICK_LIMIT
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, Program, link
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.interface import DEFAULT, TURN, RLInterface

Slots = tuple[Fate, ...]  # which code is in which slot, in order; slot 1 is the first


@dataclasses.dataclass(frozen=True)
class Language:
    """What the macros of a run are written in."""

    sensors: str = "paper"
    tick_limit: int = TICK_LIMIT  # of one activation
    # Texts of functions that macros may call.
    library: Mapping[str, str] = dataclasses.field(default_factory=lambda: NOTHING)
    spec: WorldSpec | None = None  # of a world that is not Minecraft

    def parse(self, source: str, name: str) -> Program | Refusal:
        """Compiles a macro; never raises."""
        return parse_macro(source, name, self.sensors, self.library, self.spec)

    @property
    def idle(self) -> Fate:
        """What a script without any accepted code does: a run of pure code cannot do less."""
        spec = self.spec
        row = spec and ", ".join(f"{x:g}" for x in spec.idle[1:])
        call = f"{spec.actions[0].name}({row})" if spec else "noop()"
        return Fate("idle", "code", source=f"def idle(obs):\n    yield {call}\n")


def changed_slots(new: Slots, old: Slots) -> tuple[int, ...]:
    """1-based slots that hold other code than before, or none any more."""

    def code(fate: Fate | None) -> tuple[str, str] | None:
        return (fate.name, fate.source) if fate else None

    pairs = enumerate(itertools.zip_longest(new, old), start=1)
    return tuple(slot for slot, (now, before) in pairs if code(now) != code(before))


def place(fates: Sequence[Fate], old: Slots) -> Slots:
    """Puts accepted code into slots; a name keeps its slot where that is possible, so
    that what the policy has learned about an unchanged macro stays with it."""
    coded = [fate for fate in fates if fate.source]
    before = {fate.name: index for index, fate in enumerate(old)}
    slots: list[Fate | None] = [None] * len(coded)
    for fate in coded:
        if before.get(fate.name, MAX_MACROS) < len(slots):
            slots[before[fate.name]] = fate
    rest = iter([fate for fate in coded if fate not in slots])
    return tuple(fate or next(rest) for fate in slots)


def make_space(
    slots: Slots,
    fates: Sequence[Fate],
    pure_code: bool,
    language: Language,
    interface: RLInterface = DEFAULT,
) -> HybridSpace:
    """The space for one iteration.

    Kind `code` runs as a script when an episode starts, in the plan's order; kinds `macro` and
    `lead` are offered to PPO, which at first follows those of kind `lead` in their order. In pure
    code everything is a script that repeats. `interface` says which of kind `macro` are offered, by
    name, which primitives, and how far these turn; pure code has no use for it.
    """
    if pure_code and not slots:
        slots = fates = (language.idle,)
    primitives, spec = interface.primitives, language.spec
    turn = TURN if interface.turn is None else interface.turn
    if not slots:
        return dataclasses.replace(empty_space(spec), primitives=primitives, turn=turn)
    names = [fate.name for fate in slots]
    scripted = [f.name for f in fates if f.source and (pure_code or f.kind == "code")]
    wanted = names if interface.macros is None else interface.macros
    lead = [f.name for f in fates if f.source and f.kind == "lead" and not pure_code]
    macros = [f.name for f in slots if f.kind == "macro" and f.name in wanted]
    offered = [not pure_code and name in (*lead, *macros) for name in names]
    empty = MAX_MACROS - len(names)
    programs = [_program(fate, language) for fate in slots]
    return HybridSpace(
        macros=link(programs),
        spec=spec,
        arguments=(*(program.arguments for program in programs), *[()] * empty),
        names=(*names, *[""] * empty),
        offered=(*offered, *[False] * empty),
        primitives=primitives,
        turn=turn,
        script=tuple(names.index(name) + 1 for name in scripted),
        lead=tuple(names.index(name) + 1 for name in lead),
        repeat_script=pure_code,
        tick_limit=language.tick_limit,
    )


def _program(fate: Fate, language: Language) -> Program:
    program = language.parse(fate.source, fate.name)
    if isinstance(program, Refusal):
        raise ValueError(
            f"the code of {fate.name} was accepted before and is refused now: "
            f"{program.describe()} Start a new run folder: this one was begun by another version."
        )
    return program
