"""All that an agent may know, as frozen records. Nothing else reaches a prompt."""

import dataclasses

KINDS = ("code", "macro", "learn")
CODED_KINDS = ("code", "macro")
MODES = ("rl_gpt", "pure_code")  # the modes in which agents are asked
# Which agents there are (the paper's Table 4): one does everything; one plans and one
# codes, and both read bare facts; a critic reads the facts for them.
STRUCTURES = ("one", "slow_fast", "slow_fast_critic")
# What the fast agent may set besides code (the paper's Table 5): reward terms and no coded
# actions; coded actions and which primitives, with the given reward; all of the interface.
DESIGNS = ("reward", "action", "both")
SENSORS = ("paper", "full")
MAX_CODED = 4  # sub-actions of kind code or macro in one plan
MAX_SUB_ACTIONS = 6
KEEP = "keep"  # instruction of a sub-action whose earlier code stays as it is
OK, REVISE = "ok", "revise"  # verdicts on a trial


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why an answer cannot be used, in words for the model that gave it."""

    reason: str


@dataclasses.dataclass(frozen=True)
class Setting:
    """What stays the same during a run."""

    task: str  # the goal in words
    goal_item: str
    goal_quantity: int
    start_items: str  # in words, for example "1 bucket" or "nothing"
    biome: str
    horizon: int  # ticks of an episode
    api: str  # actions and sensors of macros, as the macro library documents them
    sensors: str = "paper"  # one of `SENSORS`
    nearby: bool = False  # success is a placed `goal_item` near by, not one in the inventory
    mode: str = "rl_gpt"  # one of `MODES`
    structure: str = "slow_fast_critic"  # one of `STRUCTURES`
    design: str = "both"  # one of `DESIGNS`
    decompose: bool = True  # whether the slow agent is pushed to split what code cannot do
    num_iterations: int = 3
    num_tries: int = 2  # of the fast agent per sub-action and iteration
    ticks_per_iteration: int = 200_000  # of PPO training
    macro_ticks: int = 200  # limit of one activation
    reserved: tuple[str, ...] = ()  # names that a sub-action may not have
    # Macros of a library that the policy may choose in every plan: (name, one line).
    offered: tuple[tuple[str, str], ...] = ()

    def __post_init__(self):
        for field, allowed in (
            ("sensors", SENSORS), ("mode", MODES), ("structure", STRUCTURES), ("design", DESIGNS)
        ):  # fmt: skip
            if getattr(self, field) not in allowed:
                raise ValueError(
                    f"{field}={getattr(self, field)!r}; choose from {', '.join(allowed)}."
                )


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

    @property
    def accepted(self) -> bool:
        return not self.refusal


@dataclasses.dataclass(frozen=True)
class Fate:
    """What became of one coded sub-action in one iteration."""

    name: str
    kind: str  # as planned
    attempts: tuple[Attempt, ...] = ()  # in this iteration; none if the code was kept
    source: str = ""  # the code in use; "" means it fell back to `learn`
    used: str = ""  # which version that is: "try0", ..., "kept" or ""

    @property
    def kept(self) -> bool:
        """Whether this is code of an earlier iteration, unchanged."""
        return self.used == "kept"

    def describe(self) -> str:
        """The fate in words, without the code."""
        if self.kept:
            return f"{self.name} ({self.kind}): earlier code kept."
        if not self.source:
            reason = self.attempts[-1].refusal if self.attempts else "no code was written"
            return f"{self.name} ({self.kind}): no code was accepted, left to PPO. Last: {reason}"
        last = self.attempts[-1]
        words = f"{self.name} ({self.kind}): code accepted, {len(self.attempts)} version(s)."
        if not last.accepted:
            return f"{words} The last version was refused, the one before is in use."
        if last.verdict == REVISE:
            return f"{words} The trial critic still wanted: {last.change}"
        return words


@dataclasses.dataclass(frozen=True)
class Memory:
    """One finished iteration, as later ones remember it."""

    plan: Plan
    fates: tuple[Fate, ...]
    success: str  # rate with interval, in words
    report: str  # the evaluation in words
    critique: str  # the critic's words


@dataclasses.dataclass(frozen=True)
class Trial:
    """What the trial critic is shown of one macro."""

    sub_action: SubAction
    source: str
    facts: str


@dataclasses.dataclass(frozen=True)
class PromptState:
    """The state behind one prompt; fields that an agent does not use are empty."""

    setting: Setting
    iteration: int = 0
    memory: tuple[Memory, ...] = ()
    plan: Plan = Plan(())  # fast agent, critics
    sub_action: SubAction = SubAction("", "learn", "")  # fast agent
    attempts: tuple[Attempt, ...] = ()  # fast agent, of this sub-action
    trials: tuple[Trial, ...] = ()  # trial critic
    fates: tuple[Fate, ...] = ()  # critic
    report: str = ""  # critic: the evaluation in words
    refused: tuple[str, str] = ("", "")  # last answer and why it was refused

    def replace(self, **changes) -> "PromptState":
        return dataclasses.replace(self, **changes)

    def latest_source(self, name: str) -> str:
        """Code in use under this name when it was last in a plan; "" if none."""
        for memory in reversed(self.memory):
            for fate in memory.fates:
                if fate.name == name and fate.source:
                    return fate.source
        return ""
