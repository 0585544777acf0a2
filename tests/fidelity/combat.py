"""Hits on mobs against the table of weapons, through whole ticks of the world.

Every lane holds one weapon before one mob. The formula of the cooldown, of critical hits
and of armour is computed here anew, in float64.
"""

import math

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import load
from rlgpt_jax.envs.voxel.state import WorldState
from tests.fidelity import flat
from tests.fidelity.row import Row

ATTACK = {base.FUNCTION: base.FN_ATTACK}
REST = 30  # ticks between two hits: longer than any cooldown and than the hurt window
MOST_HITS = 25
RELATIVE = 1e-5  # of damage
TICKS = (0, 1, 2, 3, 5, 8, 13, 24)  # since the last swing
TOUGH = 1000.0  # life of a mob that is not to die
ZOMBIE_ARMOR = 2


def rows() -> list[Row]:
    table = load("combat")
    cells = [
        (mob.split()[0], weapon, hits)
        for mob, weapons in table["full_hits_to_kill"].items()
        for weapon, hits in weapons.items()
    ]
    weapons = list(table["weapons"])
    curve = [(weapon, tick) for weapon in weapons for tick in TICKS]
    assert len(curve) == flat.LANES
    mobs = ["cow"] * len(curve)
    mobs[: len(cells)] = [mob for mob, *_ in cells]
    return [
        *_kill_rows(cells, mobs, table),
        _curve_row(curve, table),
        _critical_row(curve, table),
        _window_row(len(curve)),
    ]


def _kill_rows(cells: list[tuple[str, str, int]], mobs: list[str], table: dict) -> list[Row]:
    held = [weapon for _, weapon, _ in cells] + ["hand"] * (len(mobs) - len(cells))
    counts = count_hits(flat.lanes(mobs, _items(held)))[: len(cells)]
    animals = [(c, n) for c, n in zip(cells, counts) if c[0] != "zombie"]
    right = sum(cell[2] == n for cell, n in animals)
    zombies = [(c, n) for c, n in zip(cells, counts) if c[0] == "zombie"]
    expected = [armored_hits(table["weapons"][cell[1]][0], 20, ZOMBIE_ARMOR) for cell, _ in zombies]
    fit = sum(n == wanted for (_, n), wanted in zip(zombies, expected))
    return [
        Row(
            "combat", "full hits to kill cow, sheep, pig, chicken, by weapon",
            f"{right} of {len(animals)} as in combat.json", "all",
            bool(right == len(animals)),
        ),
        Row(
            "combat", "full hits to kill a zombie, 2 points of armour counted",
            f"{fit} of {len(zombies)} as by the formula (the table leaves armour out)", "all",
            bool(fit == len(zombies)),
        ),
    ]  # fmt: skip


def count_hits(state: WorldState) -> np.ndarray:
    """int[N]: blows until each mob is dead; it is put back and has rest between them."""
    place, hits = state.mobs.position, np.zeros(len(state.tick), int)
    for _ in range(MOST_HITS):
        lives = np.asarray(state.mobs.kind[:, 0] > 0)
        if not lives.any():
            break
        hits += lives
        state = flat.tick(state, ATTACK)
        for _ in range(REST):
            state = flat.tick(_hold(state, place))
        state = _hold(state, place)
    return hits


def armored_hits(damage: float, life: float, points: float) -> int:
    """Blows that kill behind armour."""
    useful = max(points / 5, points - damage / 2)
    return math.ceil(life / (damage * (1 - useful / 25)) - 1e-9)


def _curve_row(curve: list[tuple[str, int]], table: dict) -> Row:
    state = flat.lanes(["cow"] * len(curve), _items([weapon for weapon, _ in curve]))
    ticks = jnp.array([tick for _, tick in curve], jnp.int32)
    state = state.replace(player=state.player.replace(attack_cooldown=ticks))
    got = _damage(state)
    full = table["weapons"]
    wanted = np.array([_formula(full[w][0], full[w][1], tick) for w, tick in curve])
    error = float(np.abs(got / wanted - 1).max())
    return Row(
        "combat", "damage by weapon and ticks since the last swing",
        f"{len(curve)} cases, largest relative error {error:.1e}", f"{RELATIVE:.0e}",
        error < RELATIVE,
    )  # fmt: skip


def _critical_row(curve: list[tuple[str, int]], table: dict) -> Row:
    """Falling, with the same cooldowns: half as much again if more than 0.9 of it is over."""
    state = flat.lanes(["cow"] * len(curve), _items([weapon for weapon, _ in curve]))
    n = len(curve)
    player = state.player.replace(
        attack_cooldown=jnp.array([tick for _, tick in curve], jnp.int32),
        on_ground=jnp.zeros(n, bool),
        fall_distance=jnp.full(n, 0.5, jnp.float32),
    )
    state = state.replace(player=player)
    got, wanted = _damage(state), []
    for weapon, tick in curve:
        damage, speed = table["weapons"][weapon]
        part = min((tick + 0.5) * speed / 20, 1.0)
        wanted.append(_formula(damage, speed, tick) * (1.5 if part > 0.9 else 1.0))
    error = float(np.abs(got / np.array(wanted) - 1).max())
    return Row(
        "combat", "critical hits: 1.5 times, falling, cooldown over 0.9",
        f"{n} cases, largest relative error {error:.1e}", f"{RELATIVE:.0e}", error < RELATIVE,
    )  # fmt: skip


def _window_row(num_lanes: int) -> Row:
    """A full blow in every tick: which of them count."""
    state = flat.lanes(["cow"] * num_lanes, _items(["stone_sword"] * num_lanes))
    state = state.replace(mobs=state.mobs.replace(life=jnp.full_like(state.mobs.life, TOUGH)))
    place, counted, life = state.mobs.position, [], TOUGH
    for tick in range(31):
        state = _hold(state, place)
        rested = state.player.replace(attack_cooldown=jnp.full(num_lanes, 100, jnp.int32))
        state = flat.tick(state.replace(player=rested), ATTACK)
        if float(state.mobs.life[0, 0]) < life:
            counted.append(tick)
        life = float(state.mobs.life[0, 0])
    return Row(
        "combat", "a full blow in every tick counts once in 10 ticks",
        f"blows that counted: {counted}", "[0, 10, 20, 30]", counted == [0, 10, 20, 30],
    )  # fmt: skip


def _formula(damage: float, speed: float, ticks: int) -> float:
    part = min((ticks + 0.5) * speed / 20, 1.0)
    return damage * (0.2 + 0.8 * part**2)


def _damage(state: WorldState) -> np.ndarray:
    state = state.replace(mobs=state.mobs.replace(life=jnp.full_like(state.mobs.life, 16.0)))
    return 16.0 - np.asarray(flat.tick(state, ATTACK).mobs.life[:, 0], float)


def _items(weapons: list[str]) -> list[str]:
    return ["" if weapon == "hand" else weapon for weapon in weapons]


def _hold(state: WorldState, place: jnp.ndarray) -> WorldState:
    """Mobs back in their places, at rest; players whole."""
    return state.replace(
        mobs=state.mobs.replace(
            position=place,
            velocity=jnp.zeros_like(state.mobs.velocity),
            on_ground=jnp.ones_like(state.mobs.on_ground),
        ),
        player=state.player.replace(
            position=jnp.tile(jnp.array(flat.MIDDLE, jnp.float32), (len(place), 1)),
            velocity=jnp.zeros_like(state.player.velocity).at[:, 1].set(-0.0784),
            life=jnp.full_like(state.player.life, 20.0),
        ),
    )
