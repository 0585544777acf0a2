"""A corridor along +z with a cow at its end: a world that PPO solves in seconds."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID


class CorridorState(NamedTuple):
    """N corridors."""

    z: jax.Array  # float32[N]
    yaw: jax.Array  # float32[N]  degrees
    tick: jax.Array  # int32[N]
    busy: jax.Array  # int32[N]  ticks that a slow functional action still takes
    seed: jax.Array  # uint32[N]
    milk: jax.Array  # int32[N]  milk buckets in slot 1


@dataclasses.dataclass(frozen=True)
class Corridor:
    """Success is z >= length. MOVE goes one cell along the view; YAW turns.

    Walls stop the agent sideways; a start cell of 0, 1 or 2 depends on the seed. A slow
    functional action keeps the agent busy for two more ticks.
    """

    num_envs: int = 8
    length: int = 10
    horizon: int = 40
    goal_names: tuple[str, ...] = ("cow",)
    default_params: tuple = ()  # no data besides the settings above

    def reset(self, params: tuple, key: jax.Array) -> tuple[CorridorState, Observation]:
        seed = jax.random.bits(key, (self.num_envs,), jnp.uint32)
        state = self._fresh(seed)
        return state, self.observe(state)

    def _fresh(self, seed: jax.Array) -> CorridorState:
        zeros = jnp.zeros(len(seed), jnp.int32)
        z = (seed % 3).astype(jnp.float32)
        return CorridorState(z, jnp.zeros(len(seed)), zeros, zeros, seed, zeros)

    def step(
        self, params: tuple, state: CorridorState, action: jax.Array
    ) -> tuple[CorridorState, Step]:
        ignored = state.busy > 0
        noop = jnp.asarray(base.NOOP, jnp.int32)
        action = jnp.where(ignored[:, None], noop, action)
        turn = (action[:, base.YAW] - base.CAMERA_CENTRE) * base.CAMERA_STEP
        yaw = (state.yaw + turn + 180.0) % 360.0 - 180.0
        move = action[:, base.MOVE]
        forward = (move == 1).astype(jnp.float32) - (move == 2)
        z = jnp.maximum(state.z + forward * jnp.round(jnp.cos(jnp.deg2rad(yaw))), 0.0)
        slow = jnp.isin(action[:, base.FUNCTION], jnp.asarray(base.SLOW_FUNCTIONS))
        busy = jnp.where(slow, base.SLOW_TICKS - 1, jnp.maximum(state.busy - 1, 0))
        success = z >= self.length
        after = CorridorState(
            z, yaw, state.tick + 1, busy.astype(jnp.int32), state.seed, success.astype(jnp.int32)
        )
        terminated, truncated = success, after.tick >= self.horizon
        done = terminated | truncated
        fresh = self._fresh(state.seed * jnp.uint32(1664525) + jnp.uint32(1013904223))
        state = jax.tree.map(lambda new, old: jnp.where(done, new, old), fresh, after)
        info = {"success": success, "busy": state.busy > 0}
        step = Step(
            self.observe(state), success.astype(jnp.float32), terminated, truncated & ~terminated,
            self.observe(after), info,
        )  # fmt: skip
        return state, step

    def observe(self, state: CorridorState) -> Observation:
        n = len(state.z)
        position = jnp.stack([jnp.zeros(n), jnp.full(n, 64.0), state.z], axis=1)
        cow = jnp.maximum(self.length + 1.0 - state.z, 0.0)
        sees = jnp.abs(state.yaw) < 45.0
        centre = jnp.arange(base.NUM_RAYS) == base.CENTRE_RAY
        hit = sees[:, None] & centre[None, :]
        block_distance = jnp.full((n, base.NUM_RAYS), base.RAY_RANGE)
        slots = jnp.zeros((n, base.NUM_SLOTS), jnp.int32)
        full = lambda value: jnp.full(n, value, jnp.float32)  # noqa: E731
        mask = lambda size: jnp.zeros((n, size), bool)  # noqa: E731
        return Observation(
            position=position, yaw=state.yaw, pitch=full(0.0), on_ground=jnp.ones(n, bool),
            in_water=jnp.zeros(n, bool), life=full(20.0), food=full(20.0), saturation=full(5.0),
            oxygen=full(300.0), armor=full(0.0), xp=full(0.0), damage=full(0.0),
            light_level=jnp.full(n, 15, jnp.int32), sky_light=jnp.full(n, 15, jnp.int32),
            can_see_sky=jnp.ones(n, bool), damage_kind=jnp.zeros(n, jnp.int32),
            time_of_day=full(6000.0), biome=jnp.zeros(n, jnp.int32),
            voxels=jnp.full((n, 3, 3, 3), NAME_ID["air"], jnp.int32),
            ray_block=jnp.full((n, base.NUM_RAYS), NAME_ID["air"], jnp.int32),
            ray_block_distance=block_distance,
            ray_entity=jnp.where(hit, NAME_ID["cow"], NAME_ID["none"]),
            ray_entity_distance=jnp.where(hit, cow[:, None], block_distance),
            slot_name=slots.at[:, 0].set(NAME_ID["bucket"]).at[:, 1].set(
                jnp.where(state.milk > 0, NAME_ID["milk_bucket"], 0)
            ),
            slot_variant=slots,
            slot_quantity=slots.at[:, 0].set(1).at[:, 1].set(state.milk),
            slot_durability=slots.astype(jnp.float32),
            equipment=jnp.zeros((n, base.NUM_EQUIPMENT), jnp.int32).at[:, 0].set(
                NAME_ID["bucket"]
            ),
            near_table=jnp.zeros(n, bool), near_furnace=jnp.zeros(n, bool),
            mask_function=jnp.ones((n, 8), bool), mask_equip=mask(36), mask_place=mask(36),
            mask_destroy=mask(36), mask_craft=mask(244),
        )  # fmt: skip


class HostCorridor:
    """The same world behind the host interface."""

    def __init__(self, **fields):
        self.world = Corridor(**fields)
        self.num_envs, self.goal_names = self.world.num_envs, self.world.goal_names
        self._step = jax.jit(self.world.step)
        self.state = self.obs = None

    def reset(self, seed: int) -> Observation:
        self.state, obs = self.world.reset((), jax.random.key(seed))
        self.obs = jax.device_get(obs)
        return self.obs

    def step(self, action: np.ndarray) -> Step:
        self.state, step = jax.device_get(self._step((), self.state, action))
        self.obs = step.obs
        return step

    def save(self) -> CorridorState:
        return jax.device_get(self.state)

    def load(self, saved: CorridorState) -> Observation:
        self.state = saved
        self.obs = jax.device_get(self.world.observe(jax.tree.map(jnp.asarray, saved)))
        return self.obs
