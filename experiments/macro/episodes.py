"""A macro as pure code: started again and again until the episode ends, in many worlds."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import Step
from rlgpt_jax.macros.sensors import pack_view
from rlgpt_jax.macros.vm.bytecode import TRAPPED, Program, link, trap_message
from rlgpt_jax.macros.vm.host import interpret_host
from rlgpt_jax.rl.evaluate.episodes import chunks
from rlgpt_jax.rl.evaluate.keyframes import Items, held_items
from rlgpt_jax.rl.evaluate.report import MACRO_ENDS

MAX_LANES = 32
OnTick = Callable[[int, list[str], Step], None]  # (first episode of the chunk, labels, step)


@dataclasses.dataclass(frozen=True)
class Activation:
    """One start of the macro."""

    episode: int
    end: str  # one of MACRO_ENDS
    ticks: int
    mistake: str = ""  # line and words


@dataclasses.dataclass(frozen=True)
class Episode:
    """What came of one episode."""

    number: int
    success: bool
    ticks: int
    gained: dict[str, int]  # items at the end less those at the start


@dataclasses.dataclass
class _Lane:
    begin: Items
    ticks: int = 0
    is_open: bool = True
    running: int = 0  # ticks of the activation that runs


def play(
    world: Any,
    program: Program,
    tick_limit: int,
    seed: int,
    num: int,
    on_tick: OnTick | None = None,
) -> tuple[list[Episode], list[Activation]]:
    """Runs `num` seeded episodes, one per lane, lanes in chunks.

    Args:
      world: a host environment; it is reset.
      tick_limit: ticks of one activation.
      on_tick: called after every tick with what each lane did, for videos.
    """
    episodes: list[Episode] = []
    activations: list[Activation] = []
    for chunk_seed, share in chunks(seed, num, world.num_envs):
        ended, started = _play_chunk(
            world, program, tick_limit, chunk_seed, int(share.sum()), len(episodes), on_tick
        )
        episodes += ended
        activations += started
    return sorted(episodes, key=lambda e: e.number), activations


def _play_chunk(
    world: Any,
    program: Program,
    tick_limit: int,
    seed: int,
    num: int,
    begin: int,
    on_tick: OnTick | None,
) -> tuple[list[Episode], list[Activation]]:
    """The first episodes of `num` lanes, numbered from `begin` on."""
    macros = link([program])
    episodes: list[Episode] = []
    activations: list[Activation] = []
    obs, busy = world.reset(seed), np.zeros(world.num_envs, bool)
    state = interpret_host.init_state(world.num_envs)
    chosen = np.ones(world.num_envs, np.int32)
    lanes = [_Lane(held_items(obs, i)) for i in range(num)]
    while any(lane.is_open for lane in lanes):
        state, out = interpret_host.tick(macros, state, pack_view(obs), chosen, busy, tick_limit)
        step = world.step(out.action)
        done = np.asarray(step.terminated | step.truncated)
        for i, lane in enumerate(lanes):
            if not lane.is_open:
                continue
            if out.ended[i]:
                activations.append(_ended(out, i, begin + i, lane.running))
                lane.running = 0
            if state.slot[i]:
                lane.running += 1
            lane.ticks += 1
            if done[i]:
                lane.is_open = False
                if state.slot[i]:
                    activations.append(Activation(begin + i, "interrupted", lane.running))
                episodes.append(_closed(begin + i, lane, step, i))
        if on_tick is not None:
            on_tick(begin, [program.name] * world.num_envs, step)
        state = interpret_host.cut(state, done)
        obs, busy = step.obs, np.asarray(step.info["busy"]) & ~done
    return episodes, activations


def _ended(out: Any, lane: int, episode: int, ticks: int) -> Activation:
    mistake = ""
    if out.ended[lane] == TRAPPED:
        mistake = trap_message(int(out.trap_code[lane]), int(out.trap_line[lane]))
    return Activation(episode, MACRO_ENDS[out.ended[lane] - 1], ticks, mistake)


def _closed(number: int, lane: _Lane, step: Step, i: int) -> Episode:
    end = held_items(step.final_obs, i)
    gained = {name: end[name] - lane.begin[name] for name in {*end, *lane.begin}}
    return Episode(
        number,
        bool(np.asarray(step.info["success"])[i]),
        lane.ticks,
        {name: change for name, change in sorted(gained.items()) if change},
    )
