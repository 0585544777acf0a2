"""The embedded world as an `Environment`: a task, N lanes, resets from a pool."""

import functools
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from rlgpt_jax.envs.base import NUM_SLOTS, Observation, Step
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel import hashing, lanes, spawn, transition
from rlgpt_jax.envs.voxel.rules.blocks import grid
from rlgpt_jax.envs.voxel.rules.items import crafting
from rlgpt_jax.envs.voxel.rules.items.item_table import variants_of
from rlgpt_jax.envs.voxel.rules.player import physics, vitals
from rlgpt_jax.envs.voxel.senses import eyes, observe
from rlgpt_jax.envs.voxel.state import (
    Armor,
    Inventory,
    Items,
    Lights,
    Player,
    Stations,
    Updates,
    WorldParams,
    WorldPool,
    WorldState,
)
from rlgpt_jax.envs.voxel.task_numbers import MAX_VARIANTS, TaskNumbers, numbers_of, program_of
from rlgpt_jax.envs.voxel.terrain.worldgen import BIOME_INDEX

NOON = 6000
RESTED = 100  # ticks since the last swing: a full one


class Outcome(NamedTuple):
    """What one tick meant for the task."""

    reward: jax.Array  # float32[N]  see `VoxelEnv.judge`
    terminated: jax.Array  # bool[N]  success or death
    truncated: jax.Array  # bool[N]  the horizon is reached
    success: jax.Array  # bool[N]


class EnvParams(NamedTuple):
    """All data that a `VoxelEnv` computes with, besides the state of its worlds."""

    pool: WorldPool
    fallback: jax.Array  # int32[P, 2]  see `spawn.open_places`
    numbers: TaskNumbers


class VoxelEnv:
    """A `base.Environment` of one task. Equal ones differ in `default_params` at most."""

    def __init__(
        self,
        task: Task,
        sizes: WorldParams,
        num_envs: int,
        pool: WorldPool,
        image_size: tuple[int, int] | None = None,
    ):
        """Binds a task to sizes and to the pool that resets copy from.

        Args:
          task: what is to be done.
          sizes: of the worlds.
          num_envs: lanes.
          pool: worlds to start from.
          image_size: height and width of `Observation.rgb`; None draws none.

        Raises:
          ValueError: if the pool's worlds have another size, have no place to stand, or
            the task has more mobs than `sizes.max_mobs`; or bad pictures.
        """
        shape = (sizes.size_x, sizes.size_z, sizes.size_y)
        if pool.blocks.shape[1:] != shape:
            raise ValueError(
                f"the pool's worlds are {pool.blocks.shape[1:]}, sizes ask for {shape} "
                "(x, z, y). Load the pool with the same WorldParams."
            )
        num_mobs = spawn.num_mobs(task)
        if num_mobs > sizes.max_mobs:
            raise ValueError(
                f"task {task.name!r} has {num_mobs} mobs (own, wild and hostile ones), "
                f"max_mobs is {sizes.max_mobs}. Raise WorldParams.max_mobs."
            )
        self.task, self.sizes, self.num_envs = task, sizes, num_envs
        self.goal_names: tuple[str, ...] = task.sources
        self.default_params = EnvParams(pool, spawn.open_places(pool), numbers_of(task))
        self._image_size = eyes.checked_size(image_size)
        self._stages: list[Any] = [variants_of(name) for name in task.stages]
        self._program = type(self), program_of(task), sizes, num_envs, self._image_size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VoxelEnv) and self._program == other._program

    def __hash__(self) -> int:
        return hash(self._program)

    def reset(self, params: EnvParams, key: jax.Array) -> tuple[WorldState, Observation]:
        """Starts N episodes."""
        seed = jax.random.bits(key, (self.num_envs,), jnp.uint32)
        start = self._draw(params, seed)
        state = self._begin(params, params.pool.blocks[start.pool_index], seed, start)
        return state, self.observe(params, state)

    def _draw(self, params: EnvParams, seed: jax.Array) -> spawn.Start:
        reach = params.numbers.mob_range
        return spawn.draw(params.pool, params.fallback, self.task, seed, reach)

    def step(
        self, params: EnvParams, state: WorldState, action: jax.Array
    ) -> tuple[WorldState, Step]:
        """One tick with auto-reset; `final_obs` is the observation before the reset."""
        state, outcome = self.advance(params, state, action)
        busy = state.player.busy > 0
        final_obs = self.observe(params, state)
        done = outcome.terminated | outcome.truncated
        # Every read for `final_obs` comes before the reset's write (see `transition`).
        read = final_obs.ray_block_distance, final_obs.voxels, final_obs.light_level
        rgb = None if final_obs.rgb is None else final_obs.rgb[:, 0, 0]
        done &= ~grid.never(*read, final_obs.can_see_sky, rgb)
        state = self.reset_lanes(params, state, done)
        obs = jax.lax.cond(
            done.any(), lambda: self._see_anew(params, state, done, final_obs), lambda: final_obs
        )
        info = {"success": outcome.success, "busy": busy & ~done}
        step = Step(obs, outcome.reward, outcome.terminated, outcome.truncated, final_obs, info)
        return state, step

    def advance(
        self, params: EnvParams, state: WorldState, action: jax.Array
    ) -> tuple[WorldState, Outcome]:
        """One tick without observation and without reset."""
        before = self.counts(params, state)
        task, light = self.task, params.pool.light
        state = transition.tick(state, action, task.break_speed, light, task.hostile)
        return self.judge(params, before, state)

    def counts(self, params: EnvParams, state: WorldState) -> jax.Array:
        """int32[N, K + 1]: pieces of the K stages and, last, of the goal item.

        All variants of a name count: any kind of wood is a log.
        """
        columns = []
        goal = [params.numbers.goal[k] for k in range(MAX_VARIANTS)]
        for variants in (*self._stages, goal):
            held = functools.reduce(
                operator.or_, (state.inventory.item == variant for variant in variants)
            )
            columns.append(jnp.where(held, state.inventory.quantity, 0).sum(1, dtype=jnp.int32))
        return jnp.stack(columns, 1)

    def judge(
        self, params: EnvParams, before: jax.Array, state: WorldState
    ) -> tuple[WorldState, Outcome]:
        """What the tick that led to `state` meant for the task.

        The reward is the change of the goal item's count; for a station to be placed
        it is 1 at success; in a task of stages it is 1 for each stage whose count grows for
        the first time, and nothing else.

        Args:
          params: data of the worlds.
          before: `counts` before the tick.
          state: the worlds after it.
        """
        task, numbers, now = self.task, params.numbers, self.counts(params, state)
        reward = (now - before)[:, -1].astype(jnp.float32)
        success = now[:, -1] - state.goal_start >= numbers.goal_quantity
        if task.nearby:
            table, furnace = crafting.near_stations(state)
            success = table if task.goal_item == "crafting_table" else furnace
            reward = success.astype(jnp.float32)
        if task.stages:
            new = (now > before)[:, :-1] & ~state.stage_done
            state = state.replace(stage_done=state.stage_done | new)
            reward = new.sum(1).astype(jnp.float32)
        terminated = success | (state.player.life <= 0)
        truncated = (state.tick >= numbers.horizon) & ~terminated
        return state, Outcome(reward, terminated, truncated, success)

    def reset_lanes(self, params: EnvParams, state: WorldState, done: jax.Array) -> WorldState:
        """Starts new episodes where `done` bool[N]; copies only those lanes' worlds."""

        def restart() -> WorldState:
            seed = hashing.bits(state.seed, hashing.NEXT_EPISODE)
            start = self._draw(params, seed)
            return lanes.choose(done, self._begin(params, None, seed, start), old)

        old = state.replace(blocks=None)  # type: ignore[arg-type]
        small = jax.lax.cond(done.any(), restart, lambda: old)
        blocks = _copy_worlds(params.pool.blocks, state.blocks, small.pool_index, done)
        return small.replace(blocks=blocks)

    def observe(
        self, params: EnvParams, state: WorldState, rays: bool = True, image: bool = True
    ) -> Observation:
        """What the agents see; without rays the four ray fields are zeros.

        Without `image`, or where the environment has no image size, `rgb` is None.
        """
        seen = observe.observe(state, params.pool.light, rays)
        if image and self._image_size:
            rgb = eyes.draw(state, params.pool.light, self._image_size)
            seen = seen._replace(rgb=rgb)
        return seen

    def _see_anew(
        self, params: EnvParams, state: WorldState, done: jax.Array, before: Observation
    ) -> Observation:
        """`before`, but what the agents see now in the lanes of `done`."""
        now = self.observe(params, state, image=False)
        now = lanes.choose(done, now, before._replace(rgb=None))
        if before.rgb is None:
            return now
        return now._replace(rgb=eyes.redraw(state, params.pool.light, done, before.rgb))

    def _begin(
        self, params: EnvParams, blocks: jax.Array | None, seed: jax.Array, start: spawn.Start
    ) -> WorldState:
        """The state in which an episode starts. `blocks` is taken as it is."""
        n, sizes = len(seed), self.sizes
        ints = lambda *shape: jnp.zeros((n, *shape), jnp.int32)  # noqa: E731
        floats = lambda *shape: jnp.zeros((n, *shape), jnp.float32)  # noqa: E731
        each = lambda values: jnp.tile(jnp.asarray(values), (n, 1))  # noqa: E731
        d, s = sizes.max_items, sizes.max_stations
        items, quantities = params.numbers.start_item, params.numbers.start_quantity
        state = WorldState(
            blocks=blocks,  # type: ignore[arg-type]
            pool_index=start.pool_index, seed=seed,
            tick=ints(), world_time=jnp.full((n,), NOON, jnp.int32),
            player=_begin_player(start),
            inventory=Inventory(each(items), each(quantities), damage=ints(NUM_SLOTS)),
            armor=Armor(item=ints(5), damage=ints(5)),
            mobs=start.mobs,
            items=Items(
                id=ints(d), quantity=ints(d), position=floats(d, 3), velocity=floats(d, 3),
                age=ints(d), damage=ints(d),
            ),
            stations=Stations(name=ints(s), block=ints(s, 3)),
            lights=Lights(block=ints(sizes.max_lights, 3), level=ints(sizes.max_lights)),
            updates=Updates(cell=ints(sizes.max_updates), due=ints(sizes.max_updates)),
            stage_done=jnp.zeros((n, len(self.task.stages)), bool),
            goal_start=ints(), biome=jnp.full((n,), BIOME_INDEX[self.task.biome], jnp.int32),
        )  # fmt: skip
        return state.replace(goal_start=self.counts(params, state)[:, -1])


def _begin_player(start: spawn.Start) -> Player:
    """The player of an episode that starts."""
    n = len(start.yaw)
    ints = lambda *shape: jnp.zeros((n, *shape), jnp.int32)  # noqa: E731
    full = lambda value=0.0: jnp.full((n,), value, jnp.float32)  # noqa: E731
    return Player(
        position=start.position, velocity=jnp.tile(physics.REST, (n, 1)), yaw=start.yaw,
        pitch=full(), on_ground=jnp.ones((n,), bool), in_water=jnp.zeros((n,), bool),
        jump_cooldown=ints(), fall_distance=full(), life=full(vitals.FULL_LIFE),
        food=full(vitals.FULL_FOOD), saturation=full(vitals.START_SATURATION), exhaustion=full(),
        oxygen=full(vitals.FULL_OXYGEN), hurt_time=ints(), hurt_amount=full(), damage=full(),
        damage_kind=ints(), fire=ints(), food_timer=ints(), eating=ints(), use_delay=ints(),
        burn_ticks=ints(), xp=full(), busy=ints(),
        attack_cooldown=jnp.full((n,), RESTED, jnp.int32),
        mining_block=ints(3), mining_progress=full(), mining_delay=ints(),
    )  # fmt: skip


def _copy_worlds(
    pool: jax.Array, blocks: jax.Array, pool_index: jax.Array, done: jax.Array
) -> jax.Array:
    """Overwrites the worlds of the done lanes, one per turn, in place."""
    order = jnp.argsort(~done, stable=True).astype(jnp.int32)
    total = done.sum(dtype=jnp.int32)

    def copy(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        turn, blocks = carry
        lane = order[turn]
        world = jax.lax.dynamic_index_in_dim(pool, pool_index[lane])
        zero = jnp.int32(0)
        return turn + 1, jax.lax.dynamic_update_slice(blocks, world, (lane, zero, zero, zero))

    carry = (jnp.int32(0), blocks)
    return jax.lax.while_loop(lambda carry: carry[0] < total, copy, carry)[1]
