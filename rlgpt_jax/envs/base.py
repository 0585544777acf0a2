"""What every world shares: actions, observations, `Step` and three protocols.

Actions and observations are MineDojo's (MultiDiscrete [3,3,4,25,25,8,244,36];
compass, gps, 3x3x3 voxels, lidar rays, inventory, equipment, life, masks), so that
policies and macros carry over between worlds. Names are ids of `envs.names`.
One step is one game tick (50 ms); the arrays carry a leading batch axis N.
"""

from typing import Any, NamedTuple, Protocol

import jax
import numpy as np

# --- actions -----------------------------------------------------------------
# Columns of an action int32[N, 8]; sizes are MineDojo's.
MOVE, STRAFE, JUMP, PITCH, YAW, FUNCTION, CRAFT_ARG, SLOT_ARG = range(8)
ACTION_SIZES = (3, 3, 4, 25, 25, 8, 244, 36)
NOOP = (0, 0, 0, 12, 12, 0, 0, 0)
CAMERA_STEP = 15.0  # degrees per bin; delta = (bin - 12) * 15, +pitch down, +yaw right
CAMERA_CENTRE = 12
# Column MOVE: 0 none, 1 forward, 2 back. STRAFE: 0 none, 1 left, 2 right.
# Column JUMP: 0 none, 1 jump, 2 sneak, 3 sprint.
FN_NONE, FN_USE, FN_DROP, FN_ATTACK, FN_CRAFT, FN_EQUIP, FN_PLACE, FN_DESTROY = range(8)
# Functional actions that keep the agent busy for 3 ticks (MineDojo's wrapper adds two
# no-op steps); use and attack take one.
SLOW_FUNCTIONS = (FN_DROP, FN_CRAFT, FN_EQUIP, FN_PLACE, FN_DESTROY)
SLOW_TICKS = 3

# --- rays (MineDojo's lidar) ---------------------------------------------------
# Angles from the view direction in degrees, + right and + down, as in the released RL-GPT
# environment: 12 yaw angles x 10 pitch angles; ray index = pitch_index * 12 + yaw_index.
# MineDojo counts a ray's yaw to the left and its pitch upward, so that the released ranges
# -60..50 and -30..24 begin on the right and below.
RAY_YAWS = tuple(0.0 - a for a in range(-60, 60, 10))
RAY_PITCHES = tuple(0.0 - a for a in range(-30, 30, 6))
# The mod (`MixinVec3d.java` of MineDojo's repository) adds a ray's pitch to that of the view,
# to at most 89 degrees up or down, then turns by its yaw about the upright axis. Of a view
# straight down it makes no numbers; here rays may then be as steep as the view.
RAY_STEEPEST = 89.0
NUM_RAYS = len(RAY_YAWS) * len(RAY_PITCHES)
RAY_RANGE = 32.0  # blocks; a ray that meets nothing reports "air" at this distance
CENTRE_RAY = RAY_PITCHES.index(0.0) * len(RAY_YAWS) + RAY_YAWS.index(0.0)

# What takes life; 0 when nothing did.
DAMAGE_KINDS = (
    "none", "fall", "in_fire", "on_fire", "lava", "in_wall", "drown", "starve", "cactus",
    "mob", "out_of_world",
)  # fmt: skip

NUM_SLOTS = 36
# Equipment order of MineDojo: main hand, feet, legs, chest, head, off hand.
NUM_EQUIPMENT = 6


class Observation(NamedTuple):
    """What an agent sees of N worlds. Arrays are jax or NumPy, batch axis first."""

    position: Any  # float32[N, 3]  x east, y up, z south of the feet, blocks
    yaw: Any  # float32[N]  degrees in [-180, 180): 0 = +z, 90 = -x
    pitch: Any  # float32[N]  degrees in [-90, 90]: +90 looks down
    on_ground: Any  # bool[N]
    in_water: Any  # bool[N]
    life: Any  # float32[N]  0..20
    food: Any  # float32[N]  0..20
    saturation: Any  # float32[N]  0..20
    oxygen: Any  # float32[N]  0..300 ticks of air
    armor: Any  # float32[N]  armour points, 0..20
    xp: Any  # float32[N]  experience points
    light_level: Any  # int32[N]  0..15 at the eyes, with the time of day
    sky_light: Any  # int32[N]  0..15 at the eyes, as at noon
    can_see_sky: Any  # bool[N]
    damage: Any  # float32[N]  life lost in the last tick
    damage_kind: Any  # int32[N]  index into `DAMAGE_KINDS`
    time_of_day: Any  # float32[N]  0..24000 ticks, 6000 is noon
    biome: Any  # int32[N]  index into `biomes.BIOMES`
    voxels: Any  # int32[N, 3, 3, 3]  name ids around the feet, axes x, y, z ascending
    ray_block: Any  # int32[N, 120]  name id of the block each ray meets, "air" if none
    ray_block_distance: Any  # float32[N, 120]  blocks from the eye
    ray_entity: Any  # int32[N, 120]  name id of the mob each ray meets, "none" if none
    ray_entity_distance: Any  # float32[N, 120]; equals the block distance if no entity
    slot_name: Any  # int32[N, 36]  name id of each inventory slot, 0 if empty
    slot_variant: Any  # int32[N, 36]  metadata: kind of wood, colour, 1 for charcoal, ...
    slot_quantity: Any  # int32[N, 36]
    slot_durability: Any  # float32[N, 36]  uses left, 0 if the item has none
    equipment: Any  # int32[N, 6]  name ids; index 0 is the main hand (= slot 0)
    near_table: Any  # bool[N]  a known crafting table is within reach and in view
    near_furnace: Any  # bool[N]
    mask_function: Any  # bool[N, 8]  functional actions that could do something
    mask_equip: Any  # bool[N, 36]
    mask_place: Any  # bool[N, 36]
    mask_destroy: Any  # bool[N, 36]
    mask_craft: Any  # bool[N, 244]
    rgb: Any = None  # uint8[N, H, W, 3]  the view, top row first; None where none is drawn


class Step(NamedTuple):
    """What one tick of N worlds returns besides the next state.

    The world resets itself: in a lane whose episode ended, `obs` already belongs to
    the next episode and `final_obs` is the last one of the ended episode; elsewhere
    the two are equal.
    """

    obs: Observation
    reward: Any  # float32[N]
    terminated: Any  # bool[N]  the task ended (success or death): value 0
    truncated: Any  # bool[N]  time ran out: the value is that of `final_obs`
    final_obs: Observation
    info: dict[str, Any]
    # info["success"] bool[N]; info["busy"] bool[N]: the next action of this lane will be
    # ignored, because a functional action still runs (no decision is made there).
    # info["lost"] bool[N], of worlds that can lose an episode: it ended with its worker (killed,
    # stalled, broken answer). There reward is 0, truncated is true, success is false and
    # `final_obs` is the last observation that arrived. A lost episode counts in no rate.
    # info["clip"] float32[N], where `rl.reward.clip.world` computes it: the CLIP reward.


class Environment(Protocol):
    """N worlds as pure functions of parameters and state, as in gymnax; jit is the caller's.

    An environment is a static argument of compiled functions and hashable: equal ones are one
    program and may differ in their `default_params`, which hold all data that is large (a pool
    of worlds: as literals it would be compiled anew and kept once per program) or that changes
    from one training to the next.

    The batch is written by hand and not by `jax.vmap`: under vmap a world array
    would be copied whole at every conditional write and every reset.
    """

    num_envs: int  # that `reset` starts; `step` takes as many as its arguments have
    goal_names: tuple[str, ...]  # blocks or mobs that the task is about, for rewards

    @property
    def default_params(self) -> Any:
        """The data of the worlds, a tree of arrays."""
        ...

    def reset(self, params: Any, key: jax.Array) -> tuple[Any, Observation]:
        """Starts N episodes. Returns `(state, obs)`."""
        ...

    def step(self, params: Any, state: Any, action: jax.Array) -> tuple[Any, Step]:
        """Advances every world by one tick. `action` is int32[N, 8]."""
        ...


class HostEnvironment(Protocol):
    """The same contract for worlds that live on the host; arrays are NumPy."""

    num_envs: int
    goal_names: tuple[str, ...]

    def reset(self, seed: int) -> Observation: ...

    def step(self, action: np.ndarray) -> Step: ...

    def save(self) -> Any:
        """All that changes, as a tree of NumPy arrays for a checkpoint."""
        ...

    def load(self, saved: Any) -> Observation:
        """Restores what `save` returned. Returns the current observation."""
        ...


class AsyncEnvironment(HostEnvironment, Protocol):
    """A host world whose lanes step on their own, each as fast as it can.

    `reset` and `step` are the same worlds in lockstep. As ever, the answer to the tick that
    ended an episode comes when the next one has begun. Such worlds cannot be restored: `load`
    begins new episodes.
    """

    def start(self, seed: int) -> None:
        """Begins an episode in every lane; their first observations come by `receive`, with
        reward 0."""
        ...

    def send(self, lanes: np.ndarray, action: np.ndarray) -> None:
        """Starts a tick in lanes int[K], which have answered their last one, with action
        int32[K, 8]. Never waits."""
        ...

    def receive(self) -> tuple[np.ndarray, Step]:
        """Waits for at least one lane. Returns the lanes int[K] that have answered, ascending,
        and their `Step` with leading axis K."""
        ...
