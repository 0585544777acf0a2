"""What each part of a tick costs: every part alone, in a loop, on worlds in mid-episode.

Alone a part cannot share work with the others, so the sum is not the whole tick; the
column to read is which part is large.
"""

import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.bench.table import Row
from experiments.bench.world import random_actions
from rlgpt_jax.envs import base
from rlgpt_jax.envs.voxel import transition
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.rules.blocks import light, updates
from rlgpt_jax.envs.voxel.rules.blocks.grid import Edit, never
from rlgpt_jax.envs.voxel.rules.items import crafting, items
from rlgpt_jax.envs.voxel.rules.mobs import mob_turns, spawning, zombies
from rlgpt_jax.envs.voxel.rules.player import interact, physics, use, vitals
from rlgpt_jax.envs.voxel.senses import observe
from rlgpt_jax.envs.voxel.senses.rays_host import lidar_numba
from rlgpt_jax.envs.voxel.state import WorldState

WARM_UP = 60  # ticks of random play before anything is measured
Part = Callable[[WorldState, jax.Array, jax.Array], Any]


def _crosshair(state: WorldState, action: jax.Array, pool_light: jax.Array) -> Any:
    return interact.look(state, action[:, base.FUNCTION] == base.FN_USE)


def _attack(state: WorldState, action: jax.Array, pool_light: jax.Array) -> Any:
    target = interact.look(state, action[:, base.FUNCTION] == base.FN_USE)
    attacks = action[:, base.FUNCTION] == base.FN_ATTACK
    return _small(interact.attack(state, attacks, attacks & False, target))


def _use(state: WorldState, action: jax.Array, pool_light: jax.Array) -> Any:
    uses = action[:, base.FUNCTION] == base.FN_USE
    return _small(use.use(state, uses, interact.look(state, uses)))


def _updates(state: WorldState, action: jax.Array, pool_light: jax.Array) -> WorldState:
    """With one world in eight changed, next to the feet."""
    n = len(action)
    active = jnp.arange(n) % 8 == 0
    cell = jnp.floor(state.player.position).astype(jnp.int32) - jnp.array([0, 1, 0], jnp.int32)
    edit = Edit(active, cell, jnp.full(n, interact.REMOVED, jnp.uint8))
    return updates.run(state, (edit,), never(state.player.life))[0]


def _motion(state: WorldState, action: jax.Array, pool_light: jax.Array) -> Any:
    return _small(physics.move(state, transition.controls(action), physics.around(state)))


def _body(state: WorldState, action: jax.Array, pool_light: jax.Array) -> Any:
    _, motion = physics.move(state, transition.controls(action), physics.around(state))
    return _small(vitals.live(state, motion))


PARTS: dict[str, Part] = {
    "crosshair": _crosshair,
    "crosshair and attack": _attack,
    "crosshair and use": _use,
    "motion of the player": _motion,
    "motion and body": _body,
    "mobs": lambda state, action, pool_light: _small(mob_turns.act(state)),
    "items": lambda state, action, pool_light: _small(items.pick_up(items.fall(state))),
    "masks of actions": lambda state, action, pool_light: crafting.masks(state),
    "cells around": lambda state, action, pool_light: observe.voxels(state),
    "light": lambda state, action, pool_light: light.at_eye(state, pool_light),
}


def measure(env: VoxelEnv, seconds: float) -> Iterator[Row]:
    """One row per part, in microseconds per tick of all lanes."""
    world = HostVoxel(env)
    world.reset(0)
    actions = random_actions(env.num_envs)
    for i in range(WARM_UP):
        world.step(actions[i % len(actions)])
    state, pool_light = jax.tree.map(jnp.copy, world.state), env.default_params.pool.light
    action = jnp.asarray(actions[0])
    for name, part in PARTS.items():
        call = functools.partial(jax.jit(part), state, action, pool_light)
        yield _row(name, env.num_envs, _seconds(call, seconds))
    yield _row("rays", env.num_envs, _seconds(lambda: _rays(state), seconds))

    hostile = env.task.hostile
    changing: dict[str, Part] = {"block updates": _updates}
    if hostile:
        changing["zombies"] = lambda state, action, pool_light: spawning.spawn(
            zombies.act(state, pool_light), pool_light, hostile
        )
    for name, part in changing.items():
        step = jax.jit(part, donate_argnums=0)
        held = [jax.tree.map(jnp.copy, state)]

        def once(step: Callable = step, held: list = held) -> WorldState:
            held[0] = step(held[0], action, pool_light)
            return held[0]

        yield _row(name, env.num_envs, _seconds(once, seconds))
    turns = itertools.cycle(actions)
    whole = _seconds(lambda: world.step(next(turns)).reward, seconds)
    yield _row("whole step with rays", env.num_envs, whole)


def _row(name: str, lanes: int, per_tick: float) -> Row:
    return Row("parts", name, {"lanes": lanes, "microseconds_per_tick": 1e6 * per_tick})


def _seconds(call: Callable[[], Any], seconds: float) -> float:
    """Mean seconds of a call, after a first one that compiles."""
    jax.block_until_ready(call())
    count, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        for _ in range(10):
            out = call()
        jax.block_until_ready(out)
        count += 10
    return passed / count


def _rays(state: WorldState) -> Any:
    return lidar_numba(
        np.asarray(state.blocks), np.asarray(state.player.position),
        np.asarray(state.player.yaw), np.asarray(state.player.pitch),
        np.asarray(state.mobs.kind), np.asarray(state.mobs.position),
    )  # fmt: skip


def _small(result: Any) -> list[jax.Array]:
    """The arrays of a result without the worlds among them, which would be copied."""
    return [leaf for leaf in jax.tree.leaves(result) if leaf.ndim < 4]
