"""What agents remember of earlier iterations and attempts, within a bound of characters.

The last iteration is told in full, older ones as a summary. Where that is too long, older
ones lose their code facts and the critic's advice, then the last one loses the middle of
its long texts, then what is left of the older ones shares the room. Number, success, plan
and failure of every iteration always stay, and whatever was shortened says so.
"""

from collections.abc import Sequence

from rlgpt_jax.agents.prompt_state import Attempt, Fate, Memory, Plan, in_use

MAX_TRIAL = 3_500  # characters of the facts of one trial
MAX_CODE = 12_000  # of another part's code, or of the version in use
MAX_REFUSAL = 1_500
MAX_REPORT = 5_000  # of one evaluation
LEFT_OUT = "[...{number:,} characters left out...]"
# The shortest that an iteration can be told in, and the shortest full one.
LEAST, LEAST_LAST = 120, 4_000


def clip(text: str, limit: int) -> str:
    """`text` if it is short enough, else its beginning and end, with what is missing said.

    The result has at most `limit` characters, or those of the sentence alone.
    """
    if len(text) <= limit:
        return text
    mark = LEFT_OUT.format(number=len(text))
    room = max(limit - len(mark) - 2, 0)
    head = text[: room * 2 // 3].rstrip()
    tail = text[len(text) - (room - room * 2 // 3) :].lstrip() if room else ""
    missing = len(text) - len(head) - len(tail)
    return f"{head} {LEFT_OUT.format(number=missing)} {tail}".strip()


def attempt_line(attempt: Attempt) -> str:
    """An earlier version of a macro in one line."""
    if attempt.refusal:
        return f"- version {attempt.number + 1}: refused. {short(attempt.refusal, 200)}"
    words = f"; the critic: {short(attempt.change, 200)}" if attempt.change else ""
    return f"- version {attempt.number + 1}: ran. {short(attempt.trial, 200)}{words}"


def trial(attempts: Sequence[Attempt]) -> str:
    """What the trial of the last version found; where it did worse, with the version in use."""
    words, used = clip(attempts[-1].trial, MAX_TRIAL), in_use(tuple(attempts))
    if attempts[-1].worse and used:
        words += f"\nThe version in use:\n```python\n{clip(used.source.rstrip(), MAX_CODE)}\n```"
    return words


def short(text: str, limit: int) -> str:
    """One line of at most `limit` characters; "..." where the rest was left out."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: max(limit - 3, 0)].rstrip() + "..."


def plan(value: Plan, limit: int | None = None) -> str:
    """The plan as a list; instructions are shortened to `limit` characters."""
    told = [
        s.instruction if limit is None else short(s.instruction, limit) for s in value.sub_actions
    ]
    return "\n".join(
        f"{number}. {s.name} ({s.kind}): {instruction}"
        for number, (s, instruction) in enumerate(zip(value.sub_actions, told, strict=True), 1)
    )


def fates(values: Sequence[Fate], limit: int = MAX_TRIAL) -> str:
    """What became of the coded sub-actions, a line each."""
    return "\n".join(f"- {clip(f.describe(), limit)}" for f in values) or "- none was planned"


def least_characters(num_iterations: int) -> int:
    """The smallest bound that `history` can keep for so many iterations."""
    return LEAST_LAST + LEAST * num_iterations


def history(memory: Sequence[Memory], limit: int) -> str:
    """Every finished iteration, the latest last, in at most `limit` characters.

    The bound holds if it is at least `least_characters(len(memory))`.
    """
    if not memory:
        return "None: this is the first."
    *older, last = [(number, m) for number, m in enumerate(memory, start=1)]
    # So many of the older ones, oldest first, are told short; all begin as summaries.
    forms = [(_full, level) for level in range(len(older) + 1)] + [(_lean, len(older))]
    for tell, level in forms:
        blocks = [_short(*m) if i < level else _summary(*m) for i, m in enumerate(older)]
        text = _join(blocks, tell(*last), _note(level, len(older), tell is _lean))
        if len(text) <= limit:
            return text
    note = _note(len(older), len(older), True)
    for end in (_lean(*last), _tight(*last)):
        room = (limit - len(_join([], end, note))) // max(len(older), 1) - 2
        if room >= LEAST - 2:
            break
    return _join([_line(*m, room) for m in older], end, note)


def _join(blocks: list[str], last: str, note: str) -> str:
    return "\n\n".join([*([note] if note else []), *blocks, last])


def _note(num_short: int, num_older: int, last: bool) -> str:
    """What is missing, in words."""
    notes = []
    if num_older:
        one = num_older == 1
        named = "Iteration 1 is" if one else f"Iterations 1-{num_older} are"
        notes.append(f"{named} shortened: instructions, training set-up and evaluation left out.")
    if num_short:
        named = "iteration 1" if num_short == 1 else f"iterations 1-{num_short}"
        notes.append(f"Of {named} also left out: the facts of the code and the critic's advice.")
    if last:
        notes.append("Long texts end in '...' or tell what is left out.")
    return f"({' '.join(notes)})" if notes else ""


def _heading(number: int, memory: Memory) -> str:
    return f"### Iteration {number}: {memory.success}"


def _told(
    number: int, memory: Memory, sizes: tuple[int | None, int, int], note: str, interface: str,
    critic: str,
) -> str:  # fmt: skip
    """An iteration with its plan; `sizes` are of an instruction, a fate and the evaluation."""
    instruction, fate, report = sizes
    parts = [
        _heading(number, memory),
        f"Plan:\n{plan(memory.plan, instruction)}",
        f"({note})" if note else "",
        f"Coded sub-actions:\n{fates(memory.fates, fate)}",
        f"Training set-up: {interface}" if interface else "",
        f"Evaluation: {clip(memory.report, report)}",
        f"Critic: {critic}" if critic else "",
    ]
    return "\n".join(p for p in parts if p)


def _full(number: int, memory: Memory) -> str:
    critic = memory.critique.describe() if memory.critique else ""
    sizes = (None, MAX_TRIAL, MAX_REPORT)
    return _told(number, memory, sizes, memory.plan.note, memory.interface, critic)


def _lean(number: int, memory: Memory) -> str:
    """The last iteration without the long parts of its texts."""
    critic = clip(memory.critique.describe(), 2_000) if memory.critique else ""
    note, interface = short(memory.plan.note, 150), clip(memory.interface, 400)
    return _told(number, memory, (400, 300, 1_500), note, interface, critic)


def _tight(number: int, memory: Memory) -> str:
    """At most `LEAST_LAST` characters, less the note's."""
    said = memory.critique
    critic = f"{short(said.failure, 300)} Advice: {short(said.advice, 400)}" if said else ""
    return _told(number, memory, (60, 100, 500), "", short(memory.interface, 160), critic)


def _summary(number: int, memory: Memory) -> str:
    """Plan with kinds, facts of the code in a line each, failure and advice."""
    lines = [f"- {short(f.describe(facts=False), 160)}" for f in memory.fates]
    advice = [f"Advice: {memory.critique.advice}"] if memory.critique else []
    return "\n".join([_short(number, memory), *lines, *advice])


def _short(number: int, memory: Memory) -> str:
    """Success, plan with kinds, failure."""
    failure = f"\nFailed: {memory.critique.failure}" if memory.critique else ""
    return f"{_heading(number, memory)}\nPlan: {_kinds(memory.plan)}{failure}"


def _line(number: int, memory: Memory, room: int) -> str:
    """The same within `room` characters."""
    head = f"Iteration {number}: {short(memory.success.partition(' (')[0], 45)}"
    failure = memory.critique.failure if memory.critique else ""
    left = room - len(head) - len(" Plan: ") - len(" Failed: ") * bool(failure)
    told = short(_kinds(memory.plan), left - min(len(failure), left // 2))
    ending = f" Failed: {short(failure, left - len(told))}" if failure else ""
    return f"{head} Plan: {told}{ending}"


def _kinds(value: Plan) -> str:
    return ", ".join(f"{s.name} ({s.kind})" for s in value.sub_actions)
