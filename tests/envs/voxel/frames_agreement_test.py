"""All implementations of the renderer and of the rays give the same answers."""

import functools

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.voxel.render.host import render_host
from rlgpt_jax.envs.voxel.render.jax import render_jax, render_pallas
from rlgpt_jax.envs.voxel.render.jax.scene import make_scenes
from rlgpt_jax.envs.voxel.senses import eyes, observe, rays, rays_pallas
from rlgpt_jax.envs.voxel.senses.rays_host import lidar_numba
from tests.envs.voxel.frames_views import NUM_VIEWS, random_views

SIZE = (32, 32)


@functools.cache
def arguments(on_host: bool = False) -> tuple:
    """What every renderer is called with."""
    state, pool_light = random_views()
    given = make_scenes(state, pool_light), state.blocks, pool_light, state.pool_index
    return jax.tree.map(np.asarray, given) if on_host else given


@functools.cache
def reference() -> np.ndarray:
    return np.asarray(render_jax.render(*arguments(), *SIZE)).astype(int)


def test_the_views_show_different_things():
    """Else the agreement would say little."""
    pictures = reference().reshape(NUM_VIEWS, -1, 3)
    assert pictures.shape == (100, SIZE[0] * SIZE[1], 3)
    assert len(np.unique(pictures.mean(1).round(), axis=0)) > 90
    colours = [len(np.unique(one, axis=0)) for one in pictures]
    assert np.median(colours) > 200
    state = random_views().state
    assert len(np.unique(state.biome)) == 7
    assert (
        np.asarray(state.mobs.kind > 0).sum() > 200 and np.asarray(state.items.id > 0).sum() > 200
    )


def test_numba_agrees_with_plain_jax():
    image = render_host.render(*arguments(on_host=True), *SIZE)
    assert image.dtype == np.uint8 and image.shape == (NUM_VIEWS, *SIZE, 3)
    differs = (np.abs(image - reference()) > 1).any(-1)
    assert differs.mean() < 1e-3
    # No view is the exception.
    assert differs.mean((1, 2)).max() < 0.03


def test_the_kernel_of_a_gpu_agrees_with_plain_jax():
    scenes, blocks, pool_light, pool_index = arguments()
    # In another order, as those lanes are drawn that started anew.
    scenes, pool_index = jax.tree.map(lambda array: array[::-1], (scenes, pool_index))
    lanes = np.arange(NUM_VIEWS, dtype=np.int32)[::-1]
    given = scenes, blocks, pool_light, pool_index, *SIZE, lanes
    image = np.asarray(render_pallas.render(*given, interpret=True))[::-1]
    assert image.dtype == np.uint8 and image.shape == (NUM_VIEWS, *SIZE, 3)
    differs = (np.abs(image - reference()) > 1).any(-1)
    assert differs.mean() < 1e-3 and differs.mean((1, 2)).max() < 0.03


def test_worlds_that_a_kernel_cannot_address_are_drawn_in_two_parts(monkeypatch):
    scenes, blocks, pool_light, pool_index = jax.tree.map(lambda x: x[:5], arguments())
    given = scenes, blocks, arguments()[2], pool_index, 8, 8
    whole = render_pallas.render(*given, interpret=True)
    monkeypatch.setattr(rays_pallas, "_LOW", 0)
    assert rays_pallas.halves(blocks) == (slice(2), slice(2, None))
    render_pallas.render.clear_cache()
    np.testing.assert_array_equal(render_pallas.render(*given, interpret=True), whole)


@pytest.mark.parametrize("what", ["frames", "lidar"])
def test_kernels_lower_to_triton_for_one_mob_as_for_many(what):
    """No GPU is needed for this; what Triton makes of it is another matter."""
    state, pool_light = random_views()
    state = state.replace(mobs=jax.tree.map(lambda x: x[:, :1], state.mobs))
    if what == "frames":
        given = make_scenes(state, pool_light), state.blocks, pool_light, state.pool_index
        traced = render_pallas.render.trace(*given, 20, 24)
    else:
        traced = jax.jit(rays_pallas.lidar).trace(state)
    assert "triton" in traced.lower(lowering_platforms=("cuda",)).as_text()


@pytest.mark.parametrize("what", ["frames", "lidar"])
def test_beside_a_gpu_programs_for_the_cpu_have_no_kernels(what, monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    state, pool_light = random_views()
    if what == "frames":
        traced = jax.jit(eyes.draw, static_argnums=2).trace(state, pool_light, (20, 24))
    else:
        traced = jax.jit(observe.observe).trace(state, pool_light)
    for platform in ("cpu", "cuda"):
        lowered = traced.lower(lowering_platforms=(platform,)).as_text()
        assert ("triton" in lowered) == (platform == "cuda")


@pytest.mark.slow  # in many worlds; `senses/rays_test.py` looks at some
def test_ray_casters_agree():
    state, _ = random_views()
    expected = [np.asarray(part) for part in jax.jit(rays.lidar)(state)]
    player = state.player
    fields = (state.blocks, player.position, player.yaw, player.pitch, state.mobs.kind)
    host = lidar_numba(*map(np.asarray, fields), np.asarray(state.mobs.position))
    assert len(np.unique(expected[0])) > 20 and len(np.unique(expected[2])) > 4
    kernel = jax.jit(functools.partial(rays_pallas.lidar, interpret=True))(state)
    for found in (host, kernel):
        for want, part in zip(expected, found):
            assert part.dtype == want.dtype and part.shape == want.shape
            assert (np.abs(np.asarray(part) - want) > 1e-3).mean() < 1e-3
