"""The RL interface of the paper: what the fast agent may set of a training run, as plain data.

    task and reset, observation parts, action space, reward terms, budget and early stop

Nothing here imports jax: agents read and write these records. `None` or an empty tuple
everywhere means "as the run has it". What is measured is never changed by an interface: an
evaluation always has the run's own task.
"""

import dataclasses

# Parts of the observation that a policy may be given; the names are those of the fields of
# `rl.features.Features`, "rays" for both of the ray's fields.
OBSERVATION_PARTS = (
    "compass", "gps", "voxels", "biome", "previous", "held", "rays", "inventory", "status",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class TrainingTask:
    """The episodes that training sees, where they differ from the task's own."""

    goal_item: str | None = None
    goal_quantity: int | None = None
    horizon: int | None = None  # ticks of an episode
    mob_range: int | None = None  # mobs of the task stand within so many blocks
    start_items: tuple[tuple[str, int], ...] | None = None


@dataclasses.dataclass(frozen=True)
class RewardTerms:
    """Terms of the reward of one tick; None leaves a term as the run has it."""

    success: float | None = None
    step_cost: float | None = None
    distance: float | None = None  # per block that the nearest target in sight came nearer
    targets: tuple[str, ...] = ()  # blocks and mobs for `distance`; () is the task's own
    items: tuple[tuple[str, float], ...] = ()  # per item gained: (name, reward)
    exploration: float | None = None  # per cell of 4 x 4 blocks first visited in an episode


@dataclasses.dataclass(frozen=True)
class RLInterface:
    """One training run as the fast agent wants it."""

    task: TrainingTask = TrainingTask()
    observation: tuple[str, ...] = OBSERVATION_PARTS
    primitives: tuple[str, ...] | None = None  # labels of `rl.actions` heads; None is all
    macros: tuple[str, ...] | None = None  # names of coded macros to offer; None is all
    reward: RewardTerms = RewardTerms()
    ticks: int | None = None  # of training in this iteration, at most the run's own budget
    stop_at_success: float | None = None  # share of training episodes at which training ends
    reasoning: str = ""  # the agent's words
    note: str = ""  # why this is not the agent's own; "" if it is


DEFAULT = RLInterface()
