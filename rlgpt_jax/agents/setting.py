"""What agents are told of a run as a whole: task, limits, which agents there are."""

import dataclasses

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros.limits import MAX_MACROS, TICK_LIMIT
from rlgpt_jax.rl.interface import Given


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
    # Of a world that is not Minecraft, where goal, items and biome mean nothing.
    spec: WorldSpec | None = None
    sensors: str = "paper"  # or "full"
    nearby: bool = False  # success is a placed `goal_item` near by, not one in the inventory
    mode: str = "rl_gpt"  # or "pure_code": the modes in which agents are asked
    # Which agents there are (the paper's Table 4): "one" does everything; in "slow_fast" one plans
    # and one codes, and both read bare facts; a critic reads the facts for them.
    structure: str = "slow_fast_critic"
    # What the fast agent may set besides code (the paper's Table 5). "reward": reward terms and no
    # coded actions; "action": coded actions and which primitives, with the given reward; "both".
    design: str = "both"
    decompose: bool = True  # whether the slow agent is pushed to split what code cannot do
    num_iterations: int = 3
    num_tries: int = 2  # of the fast agent per sub-action and iteration
    memory_characters: int = 12_000  # of the memory of earlier iterations in a prompt
    ticks_per_iteration: int = 200_000  # of PPO training
    macro_ticks: int = TICK_LIMIT  # limit of one activation
    given: Given = Given()  # the run's own training, for the RL interface
    reserved: tuple[str, ...] = ()  # names that a sub-action may not have
    # Macros of a library that the policy may choose in every plan: (name, one line).
    offered: tuple[tuple[str, str], ...] = ()

    @property
    def max_coded(self) -> int:
        """Sub-actions of a coded kind in one plan: the slots that are left."""
        return MAX_MACROS - len(self.offered)
