"""The RL interface of the paper: what the fast agent may set of a training run, as plain data.

    task and reset, observation parts, action space, reward terms, budget and early stop

Nothing here imports jax: agents read and write these records. `None` or an empty tuple
everywhere means "as the run has it". What is measured is never changed by an interface: an
evaluation always has the run's own task.
"""

import dataclasses

# Parts of the observation that a policy may be given; the names are those of the fields of
# `networks.features.Features`, "rays" for both of the ray's fields. An interface chooses among
# those of the run; a picture, which is in the place of the rays, is not one of them: a run that
# has it keeps it.
OBSERVATION_PARTS = (
    "compass", "gps", "voxels", "biome", "previous", "held", "rays", "inventory", "status",
)  # fmt: skip
PICTURE = "rgb"
ALL_PARTS = (*OBSERVATION_PARTS, PICTURE)
# Choices of the two heads of a primitive (`rl.worlds.minecraft`); the first of each is "nothing".
HEAD0_LABELS = (
    "", "forward", "back", "left", "right", "jump", "sneak", "sprint",
    "look_up", "look_down", "turn_left", "turn_right",
)  # fmt: skip
HEAD1_LABELS = ("", "use", "attack")
PRIMITIVES = (*HEAD0_LABELS[1:], *HEAD1_LABELS[1:])
# Degrees of a turn of the camera that a primitive may make, and what it makes if nobody says so.
TURNS = (15, 30)
TURN = 30
# Networks that training may begin with: those of the iteration before, those of the iteration
# with the best validation so far, new ones.
NETWORKS = ("last", "best", "fresh")

MAX_TARGETS = 8  # of the distance term
MAX_ITEMS = 8  # that are rewarded
CELL = 4  # blocks; side of a cell of the exploration term
STOP_EPISODES = 100  # finished training episodes that the share of an early stop is taken over
STOP_LEAST = 0.2  # share of the ticks that are trained in any case


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
    # Of worlds with a spec, which have no targets, items and cells:
    environment: float | None = None  # times the reward of the world
    progress: tuple[tuple[str, float], ...] = ()  # (field, weight), as `WorldSpec.progress`


@dataclasses.dataclass(frozen=True)
class RLInterface:
    """One training run as the fast agent wants it."""

    task: TrainingTask = TrainingTask()
    observation: tuple[str, ...] | None = None  # parts that it is given; None is all
    primitives: tuple[str, ...] | None = None  # names of `PRIMITIVES`; None is all
    macros: tuple[str, ...] | None = None  # names of coded macros to offer; None is all
    turn: int | None = None  # one of `TURNS`
    reward: RewardTerms = RewardTerms()
    ticks: int | None = None  # of training in this iteration, at most the run's own budget
    stop_at_success: float | None = None  # share of training episodes at which training ends
    network: str | None = None  # one of `NETWORKS`
    reasoning: str = ""  # the agent's words
    note: str = ""  # why this is not the agent's own; "" if it is


DEFAULT = RLInterface()


@dataclasses.dataclass(frozen=True)
class Given:
    """The run's own training, which an interface keeps where it sets nothing."""

    reward: RewardTerms = RewardTerms(success=10.0, step_cost=0.02, distance=0.5, exploration=0.0)
    mobs: tuple[str, ...] = ()  # of the task, around the agent at the start
    mob_range: int = 10  # blocks in x and in z
    start_items: tuple[tuple[str, int], ...] = ()
    gamma: float = 0.99  # discount per tick
    ticks_per_update: int = 8192
    observation: tuple[str, ...] = OBSERVATION_PARTS  # of `ALL_PARTS`
    image_size: tuple[int, ...] = ()  # height and width of a picture in pixels
    frame_stack: int = 1  # pictures that the policy sees together
    target_memory: bool = False  # whether it remembers where a target was
    turn: int = TURN  # degrees
    network: str = "last"  # one of `NETWORKS`

    @property
    def choosable(self) -> tuple[str, ...]:
        """Parts of the observation that an interface may leave out."""
        return tuple(part for part in self.observation if part != PICTURE)
