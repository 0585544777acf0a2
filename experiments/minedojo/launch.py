"""Starts the game once and looks at what comes of it."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.minedojo.facts import Launch
from rlgpt_jax.envs.base import CAMERA_CENTRE, NOOP, YAW

TASK = "harvest_milk"
STEPS = 60
FLAT = 2.0  # levels of 255; a picture that differs less has one colour
SAME = 0.3  # share of a tile's own contrast by which nine equal tiles may differ


def launch(python: str, headless: bool) -> Launch:
    """Starts a worker and its game, makes steps in it and ends both."""
    from rlgpt_jax.envs.minedojo.config import MineDojoConfig
    from rlgpt_jax.envs.minedojo.host import HostMineDojo
    from rlgpt_jax.envs.tasks.tasks import get_task

    config = MineDojoConfig(python=python, workers=1, headless=headless, max_restarts=0)
    try:
        world = HostMineDojo(get_task(TASK), 1, config, image_size=config.image_size)
    except ValueError as error:
        return Launch(error=str(error))
    try:
        return look(world)
    except RuntimeError as error:
        return Launch(error=str(error))
    finally:
        world.close()


def look(world: Any) -> Launch:
    """Resets a world of one lane that draws pictures, and turns around in it.

    Raises:
      RuntimeError: its worker failed.
    """
    began = time.perf_counter()
    obs = world.reset(0)
    ready = time.perf_counter()
    turn = np.array([NOOP], np.int32)
    turn[0, YAW] = CAMERA_CENTRE + 1
    for _ in range(STEPS):
        obs = world.step(turn).obs
    took = time.perf_counter() - ready
    picture = np.asarray(obs.rgb[0])
    return Launch(
        seconds=ready - began, is_tiled=is_tiled(picture), is_blank=is_blank(picture),
        steps_per_second=STEPS / took, client=words_of(world.lanes[0].client),
    )  # fmt: skip


def words_of(client: Mapping[str, Any]) -> str:
    """What a worker tells of its MineDojo, in which releases and forks differ."""
    can = client.get("capabilities", {})
    repeats = {True: "yes", False: "no"}.get(can.get("repeated_make"), "unknown")
    arguments = ", ".join(can.get("fast_reset_arguments", ())) or "unknown"
    rule = can.get("success_rule") or "an unknown number"
    return (
        f"minedojo {client.get('minedojo')}: second make {repeats}, success with {rule} of several "
        f"targets, reset arguments {arguments}"
    )


def is_blank(picture: np.ndarray) -> bool:
    """Whether uint8[H, W, 3] has one colour."""
    return bool(picture.std(axis=(0, 1)).max() < FLAT)


def is_tiled(picture: np.ndarray) -> bool:
    """Whether uint8[H, W, 3] is three by three times the same small picture."""
    height, width = (size // 3 for size in picture.shape[:2])
    cut = picture[: 3 * height, : 3 * width].astype(np.float32)
    tiles = cut.reshape(3, height, 3, width, -1)
    mean = tiles.mean(axis=(0, 2), keepdims=True)
    apart = np.abs(tiles - mean).mean()
    contrast = np.abs(mean - mean.mean(axis=(1, 3), keepdims=True)).mean()
    return not is_blank(picture) and bool(apart < SAME * contrast)
