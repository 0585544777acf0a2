"""A task of your own: dig three blocks of sand on plains. Copy this file and change it.

    python -m experiments.task check template
    python -m experiments.main --config=template --config.llm.provider=file

Nothing is recorded for it: say who answers (docs/own_tasks.md). The copy may lie anywhere:
--config=path/to/my_task.py.
"""

from experiments.configs import base

TASK = base.Task(
    # In file names, reports and results: small letters, digits and _.
    name="collect_sand",
    # What the agents are told first. The start, the land and the time limit are added by the
    # program, so leave them out. One line without a full stop; tell the goal, not a solution.
    words="collect three blocks of sand, which lies at the shores of ponds",
    # Solved once the inventory holds so many more of this item than at the start. Names are
    # those of Minecraft 1.11; every kind counts (any wood is a "log").
    goal_item="sand",
    goal_quantity=3,
    # What the inventory holds at the start; the first is in the hand.
    start_items=(("wooden_shovel", 1),),
    # plains, forest, forest_hills, extreme_hills, desert, taiga or jungle.
    biome="plains",
    # An episode ends after so many ticks of 50 ms.
    horizon=1000,
    # --- Leave out what you do not need ---
    # mobs=("cow", "cow"),  # cow, sheep, pig, chicken or zombie, spawned near the start ...
    # mob_range=(20, 20),  # ... within so many blocks in x and z
    # wild=8,  # animals of the land besides, in herds, anywhere
    # hostile=4,  # zombies that may be about at once, at night and in caves
    # nearby=True,  # the goal is to place a crafting_table or a furnace, not to hold it
    # sources=("sand",),  # blocks or mobs that PPO is paid for coming nearer to; found by itself
    # break_speed=1.0,  # factor on the speed of mining
)


def get_config() -> base.Config:
    """The task with the defaults of every run; any field can be changed here or by a flag."""
    return base.for_task(
        TASK,
        # What macros and policy see: rays (of tasks of one's own the default), blind_code, pixels.
        sight="rays",
        # Answers recorded under this name in experiments/transcripts are replayed, once there
        # are any.
        transcript="template",
        # An iteration trains for so many ticks of all lanes together. Left out it is chosen by the
        # horizon: every lane should live through some episodes (200,000 / 64 lanes / 1000 = 3.1).
        loop={"ticks_per_iteration": 200_000},
    )
