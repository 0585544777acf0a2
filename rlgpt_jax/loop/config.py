"""Settings of the two loops, checked when they are made."""

import dataclasses
from typing import Literal, get_args

Mode = Literal["rl_gpt", "pure_rl", "pure_code"]
PureCodePlan = Literal["coded_parts", "own"]
Structure = Literal["one", "slow_fast", "slow_fast_critic"]
Design = Literal["reward", "action", "both"]


@dataclasses.dataclass(frozen=True)
class LoopConfig:
    """N iterations of the outer loop with M tries of the inner loop each."""

    # rl_gpt: the agents decide what is coded, PPO learns the rest. pure_rl: no agents and
    # no macros. pure_code: macros alone, one after the other, again and again.
    mode: Mode = "rl_gpt"
    # Ablations of the paper: which agents there are, what they may design, and whether the
    # slow agent is pushed to split further what code cannot do.
    agents: Structure = "slow_fast_critic"
    design: Design = "both"
    decompose: bool = True
    num_iterations: int = 3
    num_tries: int = 2  # of the fast agent, per coded sub-action and iteration
    ticks_per_iteration: int = 200_000  # of all lanes together
    eval_episodes: int = 200
    trial_episodes: int = 20  # per macro and try
    warm_start: bool = True  # an iteration goes on from the networks of the one before
    # pure_code only. coded_parts: the agents are asked as in rl_gpt (one transcript serves
    # both modes) and the coded parts of their plan make the script. own: the slow agent is
    # told that there is nothing but code; such requests have keys of their own.
    pure_code_plan: PureCodePlan = "coded_parts"
    checkpoint_every: int = 10  # updates

    def __post_init__(self) -> None:
        for field, kind in (
            ("mode", Mode), ("pure_code_plan", PureCodePlan), ("agents", Structure),
            ("design", Design),
        ):  # fmt: skip
            if getattr(self, field) not in get_args(kind):
                raise ValueError(
                    f"loop.{field}={getattr(self, field)!r}; choose from "
                    f"{', '.join(get_args(kind))}."
                )
        for field in (
            "num_iterations", "num_tries", "ticks_per_iteration", "eval_episodes",
            "trial_episodes", "checkpoint_every",
        ):  # fmt: skip
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"loop.{field}={value!r} must be an integer of at least 1.")

    @property
    def asks(self) -> bool:
        """Whether language models take part."""
        return self.mode != "pure_rl"

    @property
    def learns(self) -> bool:
        """Whether a policy is trained."""
        return self.mode != "pure_code"

    @property
    def agents_mode(self) -> str:
        """What the agents are told: `agents.prompt_state.MODES`."""
        own = self.mode == "pure_code" and self.pure_code_plan == "own"
        return "pure_code" if own else "rl_gpt"

    @property
    def key_prefix(self) -> str:
        """Put before every request key, so that two kinds of answers do not mix."""
        return "pure_code/" if self.agents_mode == "pure_code" else ""
