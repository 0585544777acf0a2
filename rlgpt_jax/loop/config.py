"""Settings of the two loops, checked when they are made."""

import dataclasses
from typing import Annotated, Literal

from rlgpt_jax.agents import history
from rlgpt_jax.rl.config_checks import Within, check_fields

Number = Annotated[int, Within(1)]
# What a run lets code and policy see (its field `sight`) -> the level of sensors of macros.
SENSORS = {"rays": "full", "blind_code": "paper", "pixels": "paper"}


@dataclasses.dataclass(frozen=True)
class CriticConfig:
    """What the critic is shown of an evaluation besides its numbers."""

    # frames: the view at the start and at the end of a typical success and a typical failure;
    # strip: key moments of both besides. Needs a model that takes pictures.
    vision: Literal["off", "frames", "strip"] = "off"
    # In words: what use and attack were pressed on, when the goal was seen, and how macros ended
    # that were started in sight of it.
    facts: bool = True

    def __post_init__(self) -> None:
        check_fields(self, "critic.")


@dataclasses.dataclass(frozen=True)
class PromptConfig:
    """What the prompts of all agents tell besides rules and facts."""

    # Advice on what to code and what to learn, and numbers that make a solution easy (how long a
    # log takes to mine, how high a cow is): prompts/advice.txt. An ablation.
    advice: bool = True


@dataclasses.dataclass(frozen=True)
class LoopConfig:
    """N iterations of the outer loop with M tries of the inner loop each."""

    # rl_gpt: the agents decide what is coded, PPO learns the rest. pure_rl: no agents and
    # no macros. pure_code: macros alone, one after the other, again and again.
    mode: Literal["rl_gpt", "pure_rl", "pure_code"] = "rl_gpt"
    # A planner splits the task into sub-tasks, each solved by loops of its own, see
    # `long_task.py`. In mode pure_rl it is no agent: a search over basic skills, each learned by
    # PPO or a fixed crafting program, as in Plan4MC (`baselines/skill_search.py`).
    planner: bool = False
    # Which agents there are; this and the next two are ablations of the paper.
    agents: Literal["one", "slow_fast", "slow_fast_critic"] = "slow_fast_critic"
    design: Literal["reward", "action", "both"] = "both"  # what they may design
    decompose: bool = True  # the slow agent is pushed to split further what code cannot do
    num_iterations: Number = 3  # at most
    stop_when_solved: bool = False  # stop early when the critic says nothing is left to gain
    num_tries: Number = 2  # of the fast agent, per coded sub-action and iteration
    ticks_per_iteration: Number = 200_000  # of all lanes together
    eval_episodes: Number = 200  # of an evaluation, every iteration
    trial_episodes: Number = 20  # per macro and try
    # An iteration goes on from the networks of the one before. False (the variant `cold` of
    # studies): every one is trained from nothing with the same ticks.
    warm_start: bool = True
    # pure_code only. coded_parts: the agents are asked as in rl_gpt (one transcript serves
    # both modes) and the coded parts of their plan make the script. own: the slow agent is
    # told that there is nothing but code, and iterations mend one program (`cases.py`); such
    # requests have keys of their own.
    pure_code_plan: Literal["coded_parts", "own"] = "coded_parts"
    memory_characters: int = 12_000  # of the memory of earlier iterations in a prompt
    checkpoint_every: Number = 10  # updates

    def __post_init__(self) -> None:
        check_fields(self, "loop.")
        least = history.least_characters(self.num_iterations)
        if self.memory_characters < least:
            raise ValueError(
                f"loop.memory_characters={self.memory_characters} cannot hold the memory of "
                f"{self.num_iterations} iterations; it needs at least {least}."
            )
        if self.mode == "pure_code" and self.design == "reward":
            raise ValueError(
                'loop.design="reward" lets nothing be coded, so in loop.mode="pure_code" nothing '
                "acts. Use design both or action, or mode rl_gpt."
            )

    def eval_lanes(self, num_envs: int) -> int:
        """Lanes of an evaluation, of a run that trains with `num_envs`."""
        return min(self.eval_episodes, num_envs)

    @property
    def asks(self) -> bool:
        """Whether language models take part."""
        return self.mode != "pure_rl"

    @property
    def learns(self) -> bool:
        """Whether a policy is trained."""
        return self.mode != "pure_code"

    @property
    def sets_up_rl(self) -> bool:
        """Whether the fast agent is asked for the RL interface."""
        return self.mode == "rl_gpt"

    @property
    def has_critic(self) -> bool:
        """Whether a critic takes part."""
        return self.agents == "slow_fast_critic"

    @property
    def mends(self) -> bool:
        """Whether the agents mend one program: with cases that are kept (`cases.py`), going on
        from the best program so far."""
        return self.mode == "pure_code" and self.pure_code_plan == "own"

    @property
    def agents_mode(self) -> str:
        """What the agents are told: `agents.setting.Setting.mode`."""
        return "pure_code" if self.mends else "rl_gpt"

    @property
    def key_prefix(self) -> str:
        """Put before every request key, so that two kinds of answers do not mix."""
        return "pure_code/" if self.mends else ""
