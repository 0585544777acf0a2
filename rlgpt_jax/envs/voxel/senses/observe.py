"""What the agents of N worlds see, as `base.Observation`."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NUM_RAYS, Observation
from rlgpt_jax.envs.voxel.rules.blocks import grid, light
from rlgpt_jax.envs.voxel.rules.blocks.blocks import NAME_OF
from rlgpt_jax.envs.voxel.rules.items import crafting, inventory
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM, VARIANT_OF_ITEM
from rlgpt_jax.envs.voxel.senses.rays import lidar
from rlgpt_jax.envs.voxel.state import WorldState

Rays = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # the ray fields of `Observation`
# The 27 cells around the feet: x, y, z each -1, 0, 1, in the order of `voxels`.
_AROUND = np.array(list(itertools.product((-1, 0, 1), repeat=3)), np.int32)
# Feet that rest on a block may be a rounding error below its top.
_REST = np.array([0.0, 1e-3, 0.0], np.float32)


def voxels(state: WorldState) -> jax.Array:
    """Name ids int32[N, 3, 3, 3] around the block of the feet, axes x, y, z."""
    cell = grid.floor(state.player.position + _REST)[:, None] + _AROUND
    return jnp.asarray(NAME_OF)[grid.block_at(state.blocks, cell)].reshape(-1, 3, 3, 3)


def _no_rays(num_envs: int) -> Rays:
    names = jnp.zeros((num_envs, NUM_RAYS), jnp.int32)
    distances = jnp.zeros((num_envs, NUM_RAYS), jnp.float32)
    return names, distances, names, distances


def _cast(state: WorldState) -> Rays:
    if jax.default_backend() != "gpu":
        return lidar(state)
    from rlgpt_jax.envs.voxel.senses import rays_pallas  # importing Pallas takes half a second

    # By where it is compiled for: beside a GPU, a `HostVoxel` is on the CPU.
    return jax.lax.platform_dependent(state, cuda=rays_pallas.lidar, default=lidar)


def observe(state: WorldState, pool_light: jax.Array, rays: bool = True) -> Observation:
    """Observes every lane.

    Args:
      state: N worlds.
      pool_light: uint8[P, X, Z, Y], of the worlds as they were at reset.
      rays: whether to cast the lidar rays. If not, the four ray fields are zeros, for
        a caller that fills them by `rays_host`.
    """
    player, seen = state.player, _cast(state) if rays else _no_rays(state.blocks.shape[0])
    worn = jnp.concatenate([state.inventory.item[:, :1], state.armor.item], 1)
    sky, block_light, open_sky = light.at_eye(state, pool_light)
    return Observation(
        position=player.position,
        yaw=player.yaw,
        pitch=player.pitch,
        on_ground=player.on_ground,
        in_water=player.in_water,
        life=player.life,
        food=player.food,
        saturation=player.saturation,
        oxygen=jnp.maximum(player.oxygen, 0.0),
        armor=inventory.armor_points(state),
        xp=player.xp,
        light_level=light.total(sky, block_light, state.world_time),
        sky_light=sky,
        can_see_sky=open_sky,
        damage=player.damage,
        damage_kind=player.damage_kind,
        time_of_day=state.world_time.astype(jnp.float32),
        biome=state.biome,
        voxels=voxels(state),
        ray_block=seen[0],
        ray_block_distance=seen[1],
        ray_entity=seen[2],
        ray_entity_distance=seen[3],
        slot_name=jnp.asarray(NAME_OF_ITEM)[state.inventory.item],
        slot_variant=jnp.asarray(VARIANT_OF_ITEM)[state.inventory.item],
        slot_quantity=state.inventory.quantity,
        slot_durability=inventory.durability(state),
        equipment=jnp.asarray(NAME_OF_ITEM)[worn],
        **crafting.masks(state),
    )
