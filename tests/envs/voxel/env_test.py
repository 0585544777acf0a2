"""The world as an environment: episodes, resets, memory, determinism."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel import spawn, transition
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_ID
from rlgpt_jax.envs.voxel.rules.items import inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import item_id
from rlgpt_jax.envs.voxel.rules.player import tools
from tests.envs.voxel import worlds

N = 4
PARAMS = dataclasses.replace(worlds.PARAMS, size_x=48, size_z=48, size_y=64)


@functools.cache
def make(task: str = "harvest_milk") -> VoxelEnv:
    return VoxelEnv(get_task(task), PARAMS, N, worlds.pool(PARAMS))


@functools.cache
def in_place(name: str):
    """`step`, or `advance`, as a program that writes the given worlds; traced once."""
    return jax.jit(getattr(make(), name), donate_argnums=1)


@functools.cache
def compiled(name: str):
    params = make().default_params
    state = jax.eval_shape(make().reset, params, jax.random.key(0))[0]
    return in_place(name).lower(params, state, actions()).compile()


@functools.cache
def jitted():
    """One compiled `reset` and `step` for all tests; `step` leaves the given worlds alone."""

    params, reset = make().default_params, jax.jit(make().reset)

    def step(state, action):
        return compiled("step")(params, jax.tree.map(jnp.copy, state), action)

    return functools.partial(reset, params), step


def actions(**columns: int) -> jnp.ndarray:
    return jnp.tile(jnp.asarray(worlds.action(**columns)), (N, 1))


def random_actions(seed: int, num_ticks: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, (num_ticks, N)) for size in base.ACTION_SIZES]
    return np.stack(columns, -1).astype(np.int32)


def facing_the_cow(state):
    """The cow stands two blocks ahead of every player, in the crosshair."""
    ahead = state.player.position + jnp.array([0.0, 0.0, 2.0])
    return worlds.with_player(
        state.replace(mobs=state.mobs.replace(position=state.mobs.position.at[:, 0].set(ahead))),
        yaw=jnp.zeros_like(state.player.yaw),
        pitch=jnp.full_like(state.player.pitch, 30.0),
    )


def test_reset_and_step_return_the_same_types():
    params = make().default_params
    state, obs = jax.eval_shape(make().reset, params, jax.random.key(0))
    after, result = jax.eval_shape(in_place("step"), params, state, actions())
    kind = lambda tree: jax.tree.map(lambda a: (a.shape, a.dtype, a.weak_type), tree)  # noqa: E731
    assert kind(after) == kind(state)
    assert kind(result.obs) == kind(obs) == kind(result.final_obs)
    assert result.reward.dtype == jnp.float32 and result.terminated.dtype == bool


def test_the_same_seed_gives_the_same_trajectory_and_lanes_differ():
    reset, step = jitted()

    def run(seed):
        state, obs = reset(jax.random.key(seed))
        for action in random_actions(1, 40):
            state, result = step(state, action)
        return state, result

    first, again, other = run(0), run(0), run(1)
    jax.tree.map(np.testing.assert_array_equal, first, again)
    assert (first[0].player.position != other[0].player.position).any()
    assert len(np.unique(np.asarray(first[0].player.position), axis=0)) == N


def test_milking_ends_the_episode_with_reward_one():
    reset, step = jitted()
    state, _ = reset(jax.random.key(0))
    state, result = step(facing_the_cow(state), actions(FUNCTION=base.FN_USE))
    assert result.reward.tolist() == [1.0] * N
    assert result.terminated.all() and not result.truncated.any()
    assert result.info["success"].all()
    milk = NAME_ID["milk_bucket"]
    assert (result.final_obs.slot_name[:, 0] == milk).all()
    assert (result.obs.slot_name[:, 0] == NAME_ID["bucket"]).all()
    assert state.tick.tolist() == [0] * N


def test_the_horizon_truncates_and_only_finished_lanes_start_again():
    reset, step = jitted()
    state, _ = reset(jax.random.key(0))
    state = state.replace(tick=jnp.array([199, 0, 199, 1], jnp.int32))
    before = state
    state, result = step(state, actions())
    assert result.truncated.tolist() == [True, False, True, False]
    assert not result.terminated.any() and not result.reward.any()
    assert state.tick.tolist() == [0, 1, 0, 2]
    assert (state.seed != before.seed).tolist() == [True, False, True, False]
    same = result.obs.position == result.final_obs.position
    assert same.all(1).tolist() == [False, True, False, True]


LARGE = dataclasses.replace(worlds.PARAMS, max_mobs=24)


def judged(task: str, held: list[tuple[str, int]], before=None, state=None, **fields):
    """(env, state, outcome) of a tick after which both lanes hold these items.

    `before` are the items before the tick; without a `state` the episode has just begun.
    """
    env = VoxelEnv(get_task(task), LARGE, worlds.LANES, worlds.pool(LARGE))
    if state is None:
        state = worlds.player(params=LARGE, **fields)
        stages = jnp.zeros((worlds.LANES, len(env.task.stages)), bool)
        state = state.replace(stage_done=stages)

    def carrying(items):
        slots = [item_id(name) for name, _ in items] + [0] * (36 - len(items))
        pieces = [number for _, number in items] + [0] * (36 - len(items))
        tile = lambda row: jnp.tile(jnp.array(row, jnp.int32), (worlds.LANES, 1))  # noqa: E731
        return state.replace(
            inventory=state.inventory.replace(item=tile(slots), quantity=tile(pieces))
        )

    params = env.default_params
    counts = env.counts(params, carrying(before or []))
    return (env, *env.judge(params, counts, carrying(held)))


@pytest.mark.parametrize("kind", ["log", "log:1", "log:2", "log:3"])
def test_every_kind_of_the_goal_item_counts(kind):
    _, _, outcome = judged("harvest_log", [("dirt", 3), (kind, 1)])
    assert outcome.reward.tolist() == [1.0] * worlds.LANES
    assert outcome.success.all() and outcome.terminated.all()


def test_the_reward_is_the_change_of_the_count_and_success_needs_the_whole_quantity():
    _, _, outcome = judged("harvest_8_wool", [("wool", 4), ("wool:15", 3)], [("wool", 5)])
    assert outcome.reward.tolist() == [2.0] * worlds.LANES and not outcome.success.any()
    _, _, outcome = judged("harvest_8_wool", [("wool", 4), ("wool:15", 4)], [("wool", 9)])
    assert outcome.reward.tolist() == [-1.0] * worlds.LANES and outcome.success.all()


def test_what_one_starts_with_does_not_count():
    _, _, outcome = judged("harvest_8_log", [("log", 10)], goal_start=[10, 2])
    assert outcome.success.tolist() == [False, True]


def test_a_stage_pays_once_and_the_goal_is_paid_as_a_stage_only():
    step = functools.partial(judged, "obtain_diamond")
    _, state, outcome = step([("log:2", 3)])
    assert outcome.reward.tolist() == [1.0] * worlds.LANES and not outcome.terminated.any()
    _, state, outcome = step([("log", 2), ("planks:2", 4)], [("log", 3)], state)
    assert outcome.reward.tolist() == [1.0] * worlds.LANES
    # Spent and had again: no reward any more.
    _, state, outcome = step([("log", 5)], [("log", 2), ("planks", 4)], state)
    assert not outcome.reward.any()
    _, state, outcome = step([("stick", 4), ("cobblestone", 1), ("planks", 2)], [], state)
    assert outcome.reward.tolist() == [2.0] * worlds.LANES
    env, state, outcome = step([("diamond", 2)], [], state)
    assert outcome.reward.tolist() == [1.0] * worlds.LANES
    assert outcome.success.all() and outcome.terminated.all()
    done = {name for name, paid in zip(env.task.stages, state.stage_done[0]) if paid}
    assert done == {"log", "planks", "stick", "cobblestone", "diamond"}


@pytest.mark.parametrize(
    ("station", "at", "near"),
    [
        ("crafting_table", (8, worlds.GROUND, 10), True),
        ("crafting_table", (8, worlds.GROUND, 6), False),  # behind
        ("crafting_table", (8, worlds.GROUND, 15), False),  # too far
        ("furnace", (8, worlds.GROUND, 10), False),
    ],
)
def test_a_nearby_goal_asks_for_a_placed_station_in_view(station, at, near):
    state = worlds.player(params=LARGE)
    state = state.replace(
        stations=state.stations.replace(
            name=state.stations.name.at[:, 0].set(NAME_ID[station]),
            block=state.stations.block.at[:, 0].set(jnp.array(at)),
        )
    )
    # The item in the inventory alone does not help.
    _, _, outcome = judged("get_crafting_table_nearby", [("crafting_table", 2)], [], state)
    assert outcome.success.tolist() == outcome.terminated.tolist() == [near] * worlds.LANES
    assert outcome.reward.tolist() == [float(near)] * worlds.LANES
    _, _, other = judged("get_furnace_nearby_with_logs", [], [], state)
    assert other.success.tolist() == [station == "furnace"] * worlds.LANES


def test_death_and_the_horizon_end_every_kind_of_task():
    for task in ("get_crafting_table_nearby", "obtain_diamond", "craft_stick"):
        last = get_task(task).horizon
        _, _, outcome = judged(task, [], life=[0.0, 1.0], tick=[last, last])
        assert outcome.terminated.tolist() == [True, False]
        assert outcome.truncated.tolist() == [False, True]
        assert not outcome.success.any()


@pytest.mark.parametrize(
    ("task", "number"),
    [
        ("harvest_log", 1),
        ("harvest_milk", 1),
        ("craft_stick", 12),  # 8 wild, 4 hostile
        ("harvest_beef_with_diamond_sword", 18),
    ],
)
def test_a_lane_has_room_for_the_mobs_of_its_task(task, number):
    env = VoxelEnv(get_task(task), LARGE, worlds.LANES, worlds.pool(LARGE))
    state, _ = jax.eval_shape(env.reset, env.default_params, jax.random.key(0))
    assert state.mobs.kind.shape == (worlds.LANES, number)
    assert state.mobs.position.shape == (worlds.LANES, number, 3)


def test_a_tick_knows_the_tasks_speed_and_zombies(monkeypatch):
    seen = []

    def tick(state, action, break_speed, pool_light, hostile):
        seen.append((break_speed, hostile))
        return state

    monkeypatch.setattr(transition, "tick", tick)
    for task in ("craft_iron_axe_with_stone_pickaxe", "harvest_log"):
        env = VoxelEnv(get_task(task), LARGE, worlds.LANES, worlds.pool(LARGE))
        env.advance(env.default_params, worlds.player(params=LARGE), actions())
    assert seen == [(10.0, 4), (1.0, 0)]


def test_a_stack_of_pickaxes_wears_one_piece_after_the_other():
    state = worlds.holding(worlds.player(), ("stone_pickaxe", 5))
    full = int(tools.DURABILITY[NAME_ID["stone_pickaxe"]])
    state = state.replace(
        inventory=state.inventory.replace(damage=state.inventory.damage.at[:, 0].set(full))
    )
    once = jnp.ones(worlds.LANES, jnp.int32)
    state = inventory.wear(state, once)
    assert state.inventory.quantity[:, 0].tolist() == [4] * worlds.LANES
    state = inventory.wear(state, once)
    assert state.inventory.quantity[:, 0].tolist() == [4] * worlds.LANES
    assert state.inventory.damage[:, 0].tolist() == [1] * worlds.LANES


def test_death_terminates_without_success():
    reset, step = jitted()
    state, _ = reset(jax.random.key(0))
    dying = worlds.with_player(
        state,
        fall_distance=state.player.fall_distance + 30,
        food=state.player.food - 10,
        life=state.player.life - 15,
    )
    state, result = step(dying, actions())
    assert result.terminated.all() and not result.info["success"].any()
    assert (state.player.life == 20).all() and (result.final_obs.life == 0).all()


def test_a_reset_restores_the_world_of_finished_lanes_only():
    env = make()
    state, _ = jitted()[0](jax.random.key(0))
    blocks = state.blocks.at[:, 3, 3, 7].set(BLOCK_ID["stone"])
    done = jnp.array([False, True, False, True])
    params = env.default_params
    state = jax.jit(env.reset_lanes)(params, state.replace(blocks=blocks), done)
    assert (state.blocks[:, 3, 3, 7] == BLOCK_ID["stone"]).tolist() == [True, False, True, False]
    np.testing.assert_array_equal(state.blocks[1], params.pool.blocks[state.pool_index[1]])


@pytest.mark.parametrize(("task", "kind"), [("harvest_wool", "sheep"), ("harvest_log", "none")])
def test_an_episode_starts_with_the_items_and_mobs_of_its_task(task, kind):
    env = make(task)
    # Only the state: without its observation the program compiles faster.
    reset = jax.jit(lambda params, key: env.reset(params, key)[0])
    state = reset(env.default_params, jax.random.key(3))
    assert (state.mobs.kind == MOBS.index(kind)).all()
    held = dict(env.task.start_items)
    assert sorted(held.values()) == sorted(
        state.inventory.quantity[0][state.inventory.quantity[0] > 0].tolist()
    )
    assert state.player.life.tolist() == [20.0] * N and state.world_time.tolist() == [6000] * N
    assert (state.player.position[:, 1] == worlds.GROUND).all()


def test_mobs_stand_on_open_ground_within_range():
    """Half of the columns are closed and hilly; 200 lanes."""
    params = dataclasses.replace(worlds.PARAMS, size_x=24, size_z=24)
    pool = worlds.pool(params)
    rng = np.random.default_rng(0)
    surface = jnp.asarray(worlds.GROUND + rng.integers(0, 9, pool.surface.shape), jnp.int32)
    spawnable = jnp.asarray(rng.random(pool.surface.shape) < 0.5)
    pool = pool.replace(surface=surface, spawnable=spawnable)
    task, seeds = get_task("harvest_milk"), jnp.arange(200, dtype=jnp.uint32)
    draw = jax.jit(lambda s: spawn.draw(pool, spawn.open_places(pool), task, s))
    start = draw(seeds)
    for position in (start.position, start.mobs.position[:, 0]):
        cell = jnp.floor(position).astype(jnp.int32)
        column = start.pool_index, cell[:, 0] % 24, cell[:, 2] % 24
        assert spawnable[column].all()
        np.testing.assert_array_equal(surface[column], cell[:, 1])
    offset = np.abs(np.asarray(start.mobs.position[:, 0] - start.position))
    assert offset[:, ::2].max() <= 10 and offset[:, ::2].max() > 8
    assert offset[:, 1].max() <= 5


@pytest.mark.parametrize("name", [pytest.param("advance", marks=pytest.mark.slow), "step"])
def test_no_world_is_copied(name):
    """Temporaries stay far below the size of the worlds, so writes happen in place."""
    memory = compiled(name).memory_analysis()
    worlds_size = N * PARAMS.size_x * PARAMS.size_z * PARAMS.size_y
    assert memory.alias_size_in_bytes >= worlds_size
    assert memory.temp_size_in_bytes < worlds_size / 4


def test_a_wrong_pool_or_too_many_mobs_is_refused():
    small = dataclasses.replace(PARAMS, size_x=16)
    with pytest.raises(ValueError, match="same WorldParams"):
        VoxelEnv(get_task("harvest_milk"), small, N, worlds.pool(PARAMS))
    crowd = dataclasses.replace(get_task("harvest_milk"), mobs=("cow",) * 9)
    with pytest.raises(ValueError, match="max_mobs"):
        VoxelEnv(crowd, worlds.PARAMS, N, worlds.pool())
    closed = worlds.pool()
    with pytest.raises(ValueError, match="spawnable"):
        VoxelEnv(
            get_task("harvest_milk"), worlds.PARAMS, N,
            closed.replace(spawnable=jnp.zeros_like(closed.spawnable)),
        )  # fmt: skip


def test_busy_lanes_ignore_actions_and_say_so():
    reset, step = jitted()
    state, _ = reset(jax.random.key(0))
    state, result = step(state, actions(FUNCTION=base.FN_DROP))
    assert result.info["busy"].all()
    yaw = state.player.yaw
    for still_busy in (True, False):
        state, result = step(state, actions(YAW=18, MOVE=1))
        assert bool(result.info["busy"].all()) == still_busy
    np.testing.assert_array_equal(state.player.yaw, yaw)
    state, _ = step(state, actions(YAW=18))
    turned = (state.player.yaw - yaw) % 360.0
    np.testing.assert_allclose(turned, 90.0, atol=1e-3)


def test_random_play_keeps_the_world_sane():
    reset, step = jitted()
    state, _ = reset(jax.random.key(5))
    for action in random_actions(2, 150):
        state, result = step(state, action)
        feet = state.player.position
        assert all(bool(jnp.isfinite(a).all()) for a in (feet, state.mobs.position))
        assert (state.inventory.quantity >= 0).all()
        assert ((state.inventory.item == 0) == (state.inventory.quantity == 0)).all()
        assert (feet[:, 1] >= 1).all()
