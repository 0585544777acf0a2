"""The player moves as in the golden runs of prismarine-physics."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.names import DATA
from rlgpt_jax.envs.voxel import physics
from rlgpt_jax.envs.voxel.blocks import BLOCK_ID
from tests.envs.voxel import worlds

HELD = (
    "walk",
    "sprint",
    "jump_in_place",
    "jump_held",
    "jump_onto_block",
    "wall_head_on",
    "wall_slide",
    "turn_walk",
    "fall_5",
    "walk_off_ledge",
    "ceiling_bump",
    "sneak",
    "sneak_edge",
    "walk_back_strafe",
    "sprint_jump",
    "staircase_sprint",
    "ice_walk",
    "water_sink",
    "water_swim_up",
    "water_swim_forward",
    "water_walk_bottom",
    "water_climb_out",
    "lava_sink",
)
# Partial shapes and special blocks, which are full cubes here or not in the world.
NOT_HELD = {
    "cobweb",
    "fence_no_jump",
    "half_slab_step",
    "ladder_climb",
    "oak_stairs",
    "soul_sand_walk",
}
TOLERANCE = 1e-3  # blocks
SIZE = (96, 80, 96)  # x, y, z


def load(name: str) -> dict:
    return json.loads((DATA / "trajectories" / f"{name}.json").read_text())


def build(scenario: dict) -> np.ndarray:
    """The scenario's boxes in one periodic world uint8[X, Z, Y]."""
    blocks = worlds.empty(SIZE[0], SIZE[2], SIZE[1])
    for fill in scenario["world"]["fill"]:
        low, high = fill["from"], fill["to"]
        xs, ys, zs = (np.arange(low[a], high[a] + 1) % SIZE[a] for a in range(3))
        byte = worlds.AIR if fill["block"] == "air" else BLOCK_ID[fill["block"]]
        blocks[np.ix_(xs, zs, ys)] = byte
    return blocks


def keys(scenario: dict, num_ticks: int) -> np.ndarray:
    """float32[T, 6]: forward, right, jump, sneak, sprint, yaw of every tick."""
    rows, yaw = [], scenario["start"]["yaw_deg"]
    for entry in scenario["controls"]:
        yaw = entry.get("yaw_deg", yaw)
        for _ in range(entry["ticks"]):
            yaw += entry.get("dyaw_deg", 0)
            on = {k: entry.get(k, 0) for k in ("forward", "back", "left", "right")}
            rest = [entry.get(k, 0) for k in ("jump", "sneak", "sprint")]
            rows.append([on["forward"] - on["back"], on["right"] - on["left"], *rest, yaw])
    rows += [[0.0] * 6] * (num_ticks - len(rows))
    return np.array(rows, np.float32)


@functools.cache
def simulate() -> dict[str, np.ndarray]:
    """Runs all scenarios as lanes of one batch. Returns positions float32[T, 3]."""
    runs = [load(name) for name in HELD]
    num_ticks = max(len(run["rows"]) for run in runs) - 1
    starts = [run["scenario"]["start"] for run in runs]
    state = worlds.lanes(
        np.stack([build(run["scenario"]) for run in runs]),
        position=np.array([s["pos"] for s in starts], np.float32),
        velocity=np.array([s["vel"] for s in starts], np.float32),
        on_ground=np.array([s["onGround"] for s in starts]),
    )
    controls = jnp.asarray(np.stack([keys(r["scenario"], num_ticks) for r in runs], 1))

    def tick(state, row):
        state = state.replace(yaw=row[:, 5])
        held = physics.Controls(row[:, 0], row[:, 1], *(row[:, k] > 0 for k in (2, 3, 4)))
        state, _ = physics.move(state, held, physics.around(state))
        return state, state.position

    _, positions = jax.jit(lambda s, c: jax.lax.scan(tick, s, c))(state, controls)
    return {name: np.asarray(positions[:, lane]) for lane, name in enumerate(HELD)}


@pytest.mark.parametrize("name", HELD)
def test_every_tick_agrees_with_the_golden_run(name):
    expected = np.array(load(name)["rows"])[1:, 1:4]
    got = simulate()[name][: len(expected)]
    worst = np.abs(got - expected).max(axis=1)
    assert worst.max() < TOLERANCE, f"tick {1 + int((worst >= TOLERANCE).argmax())}"


def test_every_golden_run_is_listed():
    stored = {path.stem for path in (DATA / "trajectories").glob("*.json")}
    assert stored == set(HELD) | NOT_HELD
