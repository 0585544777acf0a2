"""All that an agent may know, as frozen records. Nothing else reaches a prompt."""

import dataclasses

from rlgpt_jax.agents.llm.base import Image
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.macros.limits import MAX_MACROS

KINDS = ("code", "lead", "macro", "learn")
CODED_KINDS = ("code", "lead", "macro")
MAX_SUB_ACTIONS = MAX_MACROS + 2  # of one plan: all slots, and something to learn
KEEP = "keep"  # instruction of a sub-action whose earlier code stays as it is
OK, REVISE = "ok", "revise"  # verdicts on a trial
VERDICTS = ("keep", "revise", "drop")  # on sub-actions after training


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why an answer cannot be used, in words for the model that gave it."""

    reason: str


@dataclasses.dataclass(frozen=True)
class SubAction:
    """One part of the task and who does it."""

    name: str  # snake_case; the name of the macro if it is coded
    kind: str  # one of `KINDS`
    instruction: str  # for the fast agent; `KEEP` keeps the earlier code

    @property
    def coded(self) -> bool:
        return self.kind in CODED_KINDS


@dataclasses.dataclass(frozen=True)
class Plan:
    """The slow agent's answer."""

    sub_actions: tuple[SubAction, ...]
    reasoning: str = ""  # its words before the JSON block
    note: str = ""  # why this plan is not the slow agent's own; "" if it is

    @property
    def coded(self) -> tuple[SubAction, ...]:
        return tuple(s for s in self.sub_actions if s.coded)


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One code string of the fast agent and what came of it."""

    source: str
    refusal: str = ""  # line and reason; "" if the code was accepted
    trial: str = ""  # facts of the trial episodes in words; "" if there were none
    verdict: str = ""  # `OK`, `REVISE` or "" if not judged
    change: str = ""  # the critic's words
    worse: str = ""  # how it did worse than the version before; "" if it took its place
    number: int = 0  # the try that it was written in; names its files
    # Linked with the latest accepted code of other parts where `source` has what is in use: what is
    # refused of later code depends on this. "" if they are equal.
    latest: str = ""

    @property
    def accepted(self) -> bool:
        return not self.refusal


def in_use(attempts: tuple[Attempt, ...]) -> Attempt | None:
    """The latest accepted version that did not do worse than the one before it; None if none
    was accepted. Whether somebody wanted more does not count."""
    good = [made for made in attempts if made.accepted and not made.worse]
    return good[-1] if good else None


@dataclasses.dataclass(frozen=True)
class Fate:
    """What became of one coded sub-action in one iteration."""

    name: str
    kind: str  # as planned
    attempts: tuple[Attempt, ...] = ()  # in this iteration; all refused, or none, if kept
    source: str = ""  # the code in use; "" means it fell back to `learn`
    used: str = ""  # which version that is: "try0", ..., "kept" or ""
    is_open: bool = False  # one more version is being written while this is read

    @property
    def kept(self) -> bool:
        """Whether this is code of an earlier iteration, unchanged."""
        return self.used == "kept"

    @property
    def facts(self) -> str:
        """What the trial of the code in use found, in words; "" if it was not tried."""
        version = in_use(self.attempts)
        return version.trial if version else ""

    def describe(self, facts: bool = True) -> str:
        """The fate in one line, without the code; `facts` adds what the last trial found."""
        words = f"{self.name} ({self.kind}): {self._words()}"
        if facts and self.facts:
            words += f" Its last trial: {' '.join(self.facts.split())}"
        return words

    def _words(self) -> str:
        if self.is_open:
            return f"its code is being written (version {len(self.attempts) + 1})."
        if self.kept and self.attempts:
            reason = self.attempts[-1].refusal
            return f"no new code was accepted, so the earlier code stays in use. Last: {reason}"
        if self.kept:
            return "earlier code kept."
        if not self.source:
            reason = self.attempts[-1].refusal if self.attempts else "no code was written"
            return f"no code was accepted, left to PPO. Last: {reason}"
        last = self.attempts[-1]
        words = f"code accepted, {len(self.attempts)} version(s)."
        if not last.accepted:
            return f"{words} The last version was refused; an earlier one is in use."
        if last.worse:
            return f"{words} The last did worse in its trial and is not in use. {last.worse}"
        if last.verdict == REVISE:
            return f"{words} The trial critic still wanted: {last.change}"
        return words


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The trial critic's word on one macro."""

    verdict: str  # `OK` or `REVISE`
    change: str  # what to change; "" if ok


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The critic's word on one coded sub-action after training."""

    name: str
    verdict: str  # one of `VERDICTS`
    reason: str
    to_fast: str = ""  # for the fast agent: what to change in the code


@dataclasses.dataclass(frozen=True)
class Critique:
    """What the critic says of an iteration, and to whom."""

    failure: str  # to the slow agent, like `sub_actions` and `advice`
    sub_actions: tuple[Verdict, ...]
    advice: str
    to_rl: str = ""  # to the fast agent when it sets up the training run
    solved: bool = False  # nothing is left to gain
    reasoning: str = ""

    def describe(self) -> str:
        """The words for the slow agent."""
        lines = [f"- {v.name}: {v.verdict}. {v.reason}" for v in self.sub_actions]
        solved = ["The task is solved: nothing is left to gain."] * self.solved
        return "\n".join([self.failure, *lines, f"Advice: {self.advice}", *solved])


@dataclasses.dataclass(frozen=True)
class Memory:
    """One finished iteration, as later ones remember it."""

    plan: Plan
    fates: tuple[Fate, ...]
    success: str  # rate with interval, in words
    report: str  # the evaluation in words
    critique: Critique | None = None  # None where no critic takes part
    interface: str = ""  # how the training run was set up, in words; "" if nobody was asked

    @property
    def is_solved(self) -> bool:
        """Whether the critic says that nothing is left to gain."""
        return self.critique is not None and self.critique.solved

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.critique.sub_actions if self.critique else ()

    def reason(self, name: str) -> str:
        """What the critic said of one sub-action; "" if nothing."""
        return next((f"The critic: {v.reason}" for v in self.verdicts if v.name == name), "")

    def told_of(self, name: str) -> str:
        """What the evaluation says of one macro."""
        begins = (f"Macro {name}:", f"Macro {name} ", f"Trap in {name},")
        return " ".join(line for line in self.report.splitlines() if line.startswith(begins))


@dataclasses.dataclass(frozen=True)
class Trial:
    """What the trial critic is shown of one macro."""

    sub_action: SubAction
    source: str
    facts: str


@dataclasses.dataclass(frozen=True)
class Before:
    """Code under a name as it was when an earlier iteration ended."""

    iteration: int  # from 0
    source: str
    facts: str  # of its last trial; "" if it was not tried
    evaluation: str  # what the evaluation after training says of it; "" if nothing
    to_fast: str  # the critic's words on it after training; "" if there are none
    left: str = ""  # what became of later versions that are not in use; "" without any


@dataclasses.dataclass(frozen=True)
class PromptState:
    """The state behind one prompt; fields that an agent does not use are empty."""

    setting: Setting
    iteration: int = 0
    memory: tuple[Memory, ...] = ()
    plan: Plan = Plan(())  # fast agent, critics; one agent after its first answer
    sub_action: SubAction = SubAction("", "learn", "")  # fast agent
    attempts: tuple[Attempt, ...] = ()  # fast agent, of this sub-action
    others: tuple[tuple[str, str], ...] = ()  # fast agent: (name, code) that it may call
    trials: tuple[Trial, ...] = ()  # trial critic
    fates: tuple[Fate, ...] = ()  # critic; so far: one agent, fast agent's RL set-up
    report: str = ""  # critic: the evaluation in words
    comparison: str = ""  # critic: what changed since the iteration before, in words
    interface: str = ""  # critic, one agent: how the training run is set up, in words
    images: tuple[Image, ...] = ()  # critic: frames of the evaluation
    images_words: str = ""  # what `images` show
    facts: str = ""  # planner: what is made of what, in words
    number: int = 0  # try of this iteration; one agent
    refused: tuple[str, str] = ("", "")  # last answer and why it was refused
    # The iteration, from 0, whose program is in use where agents mend one: it goes before later
    # ones. None: what is in use is what the latest iteration has.
    best: int | None = None

    def replace(self, **changes) -> "PromptState":
        return dataclasses.replace(self, **changes)

    def latest_source(self, name: str) -> str:
        """Code in use under this name when it was last in a plan; "" if none."""
        before = self.before(name)
        return before.source if before else ""

    def before(self, name: str) -> Before | None:
        """The code in use under this name when it was last in a plan, with its facts and
        the critic's words; None if there is none."""
        found, order = None, list(reversed(range(len(self.memory))))
        if self.best is not None:
            order = [self.best, *(i for i in order if i != self.best)]
        for number in order:
            memory = self.memory[number]
            for fate in memory.fates:
                if fate.name != name or not fate.source:
                    continue
                if found is None:
                    to_fast = next((v.to_fast for v in memory.verdicts if v.name == name), "")
                    told, left = memory.told_of(name), self._left(number, name, fate.source)
                    found = Before(number, fate.source, fate.facts, told, to_fast, left)
                elif fate.source == found.source and not found.facts:
                    found = dataclasses.replace(found, facts=fate.facts)
        return found

    def _left(self, number: int, name: str, source: str) -> str:
        """What is known of other code under a name, of iterations after the one in use."""
        return "\n".join(
            f"Not in use, since its program did no better: the version of iteration {i + 1}. "
            f"{memory.told_of(name)} {memory.reason(name)}".rstrip()
            for i, memory in enumerate(self.memory)
            if i > number
            and any(fate.name == name and fate.source not in ("", source) for fate in memory.fates)
        )

    @property
    def to_rl(self) -> str:
        """The critic's last words to whoever sets up the training run; "" if none."""
        last = self.memory[-1].critique if self.memory else None
        return last.to_rl if last else ""
