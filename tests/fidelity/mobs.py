"""Mobs against `mobs.json`: speeds, wandering, panic, zombies' blows, milk, wool, drops."""

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import MOBS, NAME_ID, load
from rlgpt_jax.envs.voxel.rules.items.item_table import NAME_OF_ITEM
from rlgpt_jax.envs.voxel.rules.mobs import mob_life, mob_turns
from rlgpt_jax.envs.voxel.rules.mobs.mob_table import DROPS
from rlgpt_jax.envs.voxel.state import WorldState
from tests.fidelity import flat
from tests.fidelity.flat import LANES
from tests.fidelity.row import Row

USE = {base.FUNCTION: base.FN_USE}
SHARE = 0.02  # of a speed
SIGMAS = 4.5  # of a sample: chance alone exceeds them once in 150 000 times
WARM_UP, MEASURED = 20, 10  # ticks of a walk
IDLE_TICKS = 150
AWAY = (5.5, float(flat.GROUND), 5.5)  # where the player is in no mob's way
_move = jax.jit(lambda state: mob_turns.act(state).replace(tick=state.tick + 1))


def rows() -> list[Row]:
    return [
        *_speed_rows(), _wander_row(), _panic_row(), *_zombie_rows(),
        *_harvest_rows(), *_drop_rows(), _wool_row(),
    ]  # fmt: skip


def _row(rule: str, measured: str, bound: str, holds: bool) -> Row:
    return Row("mobs", rule, measured, bound, bool(holds))


def _speed_rows() -> list[Row]:
    """Straight walks on flat ground: blocks per second against the table's examples."""
    found = []
    for words, wanted in load("mobs")["ground_speed_formula"]["examples_blocks_per_s"].items():
        mob, gait = words.split()[:2]
        state = _alone([mob])
        state = state.replace(
            mobs=state.mobs.replace(
                target=state.mobs.position[..., ::2] + jnp.array([0.0, 1000.0]),
                walk=jnp.full_like(state.mobs.walk, 1000),
                panic=jnp.full_like(state.mobs.panic, 1000 if gait == "panic" else 0),
            )
        )
        state = _run(state, WARM_UP)
        after = _run(state, MEASURED)
        way = after.mobs.position - state.mobs.position
        way = (way + 16.0) % 32.0 - 16.0  # the world repeats
        speed = 20.0 * float(jnp.linalg.norm(way[0, 0])) / MEASURED
        error = abs(speed / wanted - 1)
        found.append(_row(
            f"speed: {words.rsplit(' ', 1)[0]}", f"{speed:.3f} blocks/s, table {wanted}",
            f"within {SHARE:.0%}", error < SHARE,
        ))  # fmt: skip
    return found


def _wander_row() -> Row:
    state = _alone(["cow"] * LANES)
    starts = 0
    for _ in range(IDLE_TICKS):
        after = _move(state)
        starts += int((after.mobs.walk > 0).sum())
        state = after.replace(mobs=after.mobs.replace(walk=jnp.zeros_like(after.mobs.walk)))
    return _rate_row("walks begun by an idle mob", starts, LANES * IDLE_TICKS, 1 / 120)


def _panic_row() -> Row:
    state, ticks = _alone(["cow"]), jnp.full((1, 1), mob_life.PANIC_TICKS, jnp.int32)
    state = state.replace(mobs=state.mobs.replace(panic=ticks))
    walks = 0
    for _ in range(150):
        state = _move(state)
        walks += int(state.mobs.panic[0, 0] > 0)
    return _row("panic after a blow", f"{walks + 1} ticks", "100 ticks", walks + 1 == 100)


def _zombie_rows() -> list[Row]:
    """A zombie that has noticed the player, both held in their places."""
    start = flat.lanes(["zombie"] * LANES, [""] * LANES, ahead=1.0)
    state, hits, losses = start, [], set()
    for tick in range(61):
        state = flat.tick(
            state.replace(
                player=state.player.replace(
                    position=start.player.position, life=start.player.life, food=start.player.food
                ),
                mobs=state.mobs.replace(
                    position=start.mobs.position, panic=jnp.full_like(start.mobs.panic, 100)
                ),
            )
        )
        if float(state.player.damage[0]) > 0:
            hits.append(tick)
            losses.add(float(state.player.damage[0]))
    gaps = sorted(set(np.diff(hits).tolist()))
    table = load("mobs")["mobs"]["zombie"]
    return [
        _row("ticks between a zombie's blows", f"{gaps}", f"{table['attack_interval_ticks']}",
             gaps == [table["attack_interval_ticks"]]),
        _row("damage of a zombie's blow, normal difficulty", f"{sorted(losses)}",
             f"{table['attack']['normal']}", losses == {float(table["attack"]["normal"])}),
    ]  # fmt: skip


def _harvest_rows() -> list[Row]:
    milked = flat.tick(flat.lanes(["cow"] * LANES, ["bucket"] * LANES), USE)
    share = float((milked.inventory.item[:, 0] == NAME_ID["milk_bucket"]).mean())
    shorn = flat.tick(flat.lanes(["sheep"] * LANES, ["shears"] * LANES), USE)
    wool = np.asarray((shorn.items.quantity * (shorn.items.id == NAME_ID["wool"])).sum(1))
    counts = np.bincount(wool, minlength=4)
    # In the same tick already one in a thousand eats grass.
    worn = bool((shorn.inventory.damage[:, 0] == 1).all() & (shorn.mobs.sheared.mean() > 0.98))
    even = np.abs(counts[1:4] - LANES / 3).max() < SIGMAS * np.sqrt(LANES * 2 / 9)
    return [
        _row("an empty bucket on a cow gives milk at once", f"{share:.0%} of {LANES}", "100%",
             share == 1.0),
        _row("shears give 1 to 3 pieces of wool, evenly, and lose a use",
             f"mean {wool.mean():.2f}; {counts[1:4].tolist()} of {LANES}",
             f"mean 2, within {SIGMAS} sigma", even and counts[0] == 0 and worn),
    ]  # fmt: skip


def _drop_rows() -> list[Row]:
    """Means over dead mobs, killed by the player and while they burn."""
    found = []
    for mob in dict.fromkeys(row.mob for row in DROPS):
        for burns in (False, True):
            state = _alone([mob] * LANES)
            state = jax.jit(mob_life.leave)(
                state.replace(
                    mobs=state.mobs.replace(
                        life=jnp.zeros_like(state.mobs.life),
                        fire=jnp.full_like(state.mobs.fire, 50 * burns),
                        panic=jnp.full_like(state.mobs.panic, 100),
                    )
                )
            )
            parts, holds = [], not bool(state.mobs.kind.any())
            for row in (row for row in DROPS if row.mob == mob):
                item = NAME_ID[row.cooked if burns and row.cooked else row.item]
                ours = jnp.asarray(NAME_OF_ITEM)[state.items.id] == item
                pieces = np.asarray((state.items.quantity * ours).sum(1))
                wanted = (row.low + row.high) / 2
                sigma = np.sqrt(((row.high - row.low + 1) ** 2 - 1) / 12 / LANES)
                holds &= pieces.min() >= row.low and pieces.max() <= row.high
                holds &= abs(pieces.mean() - wanted) <= SIGMAS * sigma
                parts.append(f"{row.cooked if burns and row.cooked else row.item} "
                             f"{pieces.mean():.2f} ({wanted:g})")  # fmt: skip
            when = "while it burns" if burns else "of a dead"
            found.append(_row(f"drops {when}: {mob}", ", ".join(parts),
                              f"within {SIGMAS} sigma", holds))  # fmt: skip
    return found


def _wool_row() -> Row:
    state = _alone(["sheep"] * LANES)
    state = state.replace(mobs=state.mobs.replace(sheared=jnp.ones_like(state.mobs.sheared)))
    grown = 0
    for _ in range(IDLE_TICKS):
        after = _move(state)
        grown += int((~after.mobs.sheared).sum())
        state = after.replace(
            mobs=after.mobs.replace(sheared=state.mobs.sheared, position=state.mobs.position)
        )
    return _rate_row("wool back, a shorn sheep on grass", grown, LANES * IDLE_TICKS, 1 / 1000)


def _rate_row(rule: str, count: int, tries: int, rate: float) -> Row:
    sigma = np.sqrt(tries * rate * (1 - rate))
    return _row(
        rule, f"1 in {tries / max(count, 1):.0f} ticks ({count} in {tries})",
        f"1 in {1 / rate:.0f}, within {SIGMAS} sigma", abs(count - tries * rate) < SIGMAS * sigma,
    )  # fmt: skip


def _alone(kinds: list[str]) -> WorldState:
    """Mobs with the player out of their way."""
    assert set(kinds) <= set(MOBS)
    state = flat.lanes(kinds, [""] * len(kinds))
    away = jnp.tile(jnp.array(AWAY, jnp.float32), (len(kinds), 1))
    return state.replace(player=state.player.replace(position=away))


def _run(state: WorldState, ticks: int) -> WorldState:
    for _ in range(ticks):
        state = _move(state)
    return state
