"""Skills of a long task, played one after the other in every lane.

A skill begins as its training episodes did: its script runs once, positions are counted from
where it begins, no previous action is known, the first of its needs is in the hand and, if
it was learned, the view is level. Bringing hand and view there is one action of the chain
itself. Which skill a lane is in: `rule.py`.

Each skill keeps its own networks, masks, parts of the observation, macros and tick limit. A
lane is busy for the macros of all skills but its own. Networks that remember begin with
nothing when their skill is picked, and see every tick from there on.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import HostEnvironment, Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.chain import rule
from rlgpt_jax.rl.chain.rule import Begun
from rlgpt_jax.rl.chain.skills import Chain, Prepared
from rlgpt_jax.rl.networks import frame_stack
from rlgpt_jax.rl.networks.frame_stack import FrameStack
from rlgpt_jax.rl.policy import PolicyArrays
from rlgpt_jax.rl.rollout import macro_step
from rlgpt_jax.rl.rollout.macro_step import Act
from rlgpt_jax.rl.rollout.one_tick import Episodes, Lanes
from rlgpt_jax.rl.rollout.rollout_host import decide, end_tick
from rlgpt_jax.rl.worlds import PolicyWorld

OPENING = "start"  # label of the chain's own action


class ChainLanes(NamedTuple):
    """What N lanes remember between two ticks, besides the world."""

    lanes: Lanes
    skill: np.ndarray  # int32[N]  -1 before the first is picked
    ticks: np.ndarray  # int32[N]  since the skill was picked
    could: np.ndarray  # bool[N]  whether its goal could be reached then
    wanted: np.ndarray  # int32[N]  pieces of its item with which its goal is met
    macros: list[Any]  # one interpreter's state per skill, None if it has no macros


class Ran(NamedTuple):
    """What a skill did in some lanes in one tick."""

    skill: int
    act: Act
    mine: np.ndarray  # bool[N]  the lanes that were told to this skill
    acted: np.ndarray  # bool[N]  those of them in which no macro ended before the action
    labels: list[str]  # of the lanes that acted


class ChainTick(NamedTuple):
    """One tick of N lanes."""

    after: ChainLanes
    ran: list[Ran]
    skill: np.ndarray  # int32[N]  that each lane was in
    began: np.ndarray  # bool[N]  it was picked in this tick
    act: Act  # what each lane did; its macros are those of its skill
    labels: list[str]  # what each lane did, without the skill's name
    episodes: Episodes
    step: Step


def start(chain: Chain, lanes: Lanes) -> ChainLanes:
    """Lanes at the start of their episodes; `lanes` is of `one_tick.start_lanes`."""
    num = len(np.asarray(lanes.busy))
    zeros = np.zeros(num, np.int32)
    macros = [macro_step.init_macros(s.space, num) for s in chain.skills]
    return ChainLanes(lanes, zeros - 1, zeros, np.zeros(num, bool), zeros, macros)


def counts(obs: Observation, item_ids: np.ndarray) -> np.ndarray:
    """int[N, I]: how many of each item every lane holds; in NumPy, since every tick asks."""
    match = np.asarray(obs.slot_name)[:, :, None] == item_ids
    return (match * np.asarray(obs.slot_quantity)[:, :, None]).sum(axis=1)


def near_of(obs: Observation, lane: int) -> frozenset[str]:
    """Stations that stand near one lane and in its view."""
    names = (("crafting_table", obs.near_table), ("furnace", obs.near_furnace))
    return frozenset(name for name, near in names if near[lane])


def sighted(obs: Observation, chain: Chain) -> np.ndarray:
    """bool[N, K]: which of K targets are near and in sight."""
    ids = np.array([NAME_ID[name] for name, _ in chain.targets], np.int32)
    pairs = ((obs.ray_block, obs.ray_block_distance), (obs.ray_entity, obs.ray_entity_distance))
    seen = np.zeros((len(obs.pitch), len(ids)), bool)
    for name, distance in pairs:
        is_near = np.asarray(distance) <= chain.near
        seen |= ((np.asarray(name)[:, :, None] == ids) & is_near[:, :, None]).any(axis=1)
    return seen


def tick(
    world: HostEnvironment,
    prepared: Prepared,
    before: ChainLanes,
    obs: Observation,
    key: jax.Array,
    index: int,
) -> ChainTick:
    """Lets macros go on, picks skills where a lane is free, lets these act, steps the world.

    A macro that ends leaves its lane free in the same tick, as in training. The state of
    the macros in `before` is used up.

    Args:
      index: picks the keys of this tick.
    """
    chain, busy = prepared.chain, np.asarray(before.lanes.busy)
    ran = _go_on(chain, before, obs, busy)
    free = ~busy & (_running(before.skill, before.macros) == 0)
    now, began = _pick(prepared, before, obs, free)
    action, opens = _openings(chain, obs, now.skill, began)
    more, seen = _decide(prepared, now, obs, free & ~opens, key, index)
    ran += more
    labels = np.full(len(busy), "nothing", object)
    labels[opens] = OPENING
    decided, slot = np.zeros(len(busy), bool), np.zeros(len(busy), np.int32)
    for part in ran:
        action = np.where(part.acted[:, None], part.act.action, action)
        decided = np.where(part.acted, part.act.decided, decided)
        slot = np.where(part.acted, part.act.slot, slot)
        labels[part.acted] = part.labels
    act = Act(action, decided, slot, _running(now.skill, now.macros), None)
    step = world.step(action)
    lanes, _, _, episodes = end_tick(prepared.of_lanes(now.skill), now.lanes, act, step, seen)
    done = np.asarray(step.terminated | step.truncated)
    after = now._replace(
        lanes=lanes,
        skill=np.where(done, -1, now.skill),
        ticks=np.where(done, 0, now.ticks + 1),
        macros=[macro_step.cut(state, done) for state in now.macros],
    )
    return ChainTick(after, ran, now.skill, began, act, list(labels), episodes, step)


def _running(skill: np.ndarray, macros: Sequence[Any]) -> np.ndarray:
    """int32[N]: the macro of each lane's skill that is under way, 0 if none."""
    running = np.zeros(len(skill), np.int32)
    for s, state in enumerate(macros):
        if state is not None:
            running = np.where(skill == s, state.slot, running)
    return running


def _go_on(chain: Chain, before: ChainLanes, obs: Observation, busy: np.ndarray) -> list[Ran]:
    """One tick of the macros that are under way; where one ends, nothing is begun yet."""
    running, ran = _running(before.skill, before.macros), []
    still = np.tile(np.array(base.NOOP, np.int32), (len(busy), 1))
    for s, skill in enumerate(chain.skills):
        mine = (before.skill == s) & (running > 0) & ~busy
        if mine.any():
            before.macros[s], act = macro_step.act(
                skill.space, before.macros[s], obs, np.zeros_like(running), still, ~mine
            )
            goes_on = mine & ~act.decided
            labels = [skill.space.label(int(slot)) for slot in running[goes_on]]
            ran.append(Ran(s, act, mine, goes_on, labels))
    return ran


def _pick(
    prepared: Prepared, before: ChainLanes, obs: Observation, free: np.ndarray
) -> tuple[ChainLanes, np.ndarray]:
    """Asks the rule in every free lane. Returns the lanes and bool[N], which begin a skill."""
    chain = prepared.chain
    skill, ticks, could = before.skill.copy(), before.ticks.copy(), before.could.copy()
    wanted, began = before.wanted.copy(), np.zeros(len(skill), bool)
    amounts, seen = counts(obs, prepared.item_ids), sighted(obs, chain)
    pick = chain.search or functools.partial(rule.pick, chain.goals)
    names = [name for _, name in chain.targets]
    for lane in np.flatnonzero(free):
        held = {name: int(n) for name, n in zip(chain.items, amounts[lane], strict=True) if n}
        near = near_of(obs, int(lane)).union(itertools.compress(names, seen[lane]))
        old, begun = int(skill[lane]), Begun(ticks[lane], could[lane], wanted[lane])
        if old >= 0 and not rule.is_over(chain.goals, old, begun, held, near, chain.reach):
            continue
        new = pick(held, near)
        goal = chain.goals[new]
        had = rule.held_with(held, near, goal.item) if chain.search else 0
        skill[lane], ticks[lane], began[lane] = new, 0, True
        could[lane], wanted[lane] = chain.reach(new, held, near), had + goal.quantity
    lanes = before.lanes
    if began.any():
        lanes = lanes._replace(
            stage=jnp.where(began, 0, lanes.stage),
            previous=jnp.where(began, 0, lanes.previous),
            start=_begin(began, prepared.whole.world, obs, prepared.targets[skill], lanes.start),
            frames=frame_stack.forget(lanes.frames, jnp.asarray(began)),
        )
    return ChainLanes(lanes, skill, ticks, could, wanted, before.macros), began


@jax.jit
def _begin(
    began: np.ndarray, world: PolicyWorld, obs: Observation, targets: np.ndarray, start: jax.Array
) -> jax.Array:
    """`Lanes.start` where skills begin: as if their episode did."""
    return jnp.where(began[:, None], world.place(obs, targets), start)


def _openings(
    chain: Chain, obs: Observation, skill: np.ndarray, began: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Actions int32[N, 8] that bring hand and view to where training episodes start, and
    bool[N], the lanes that need one."""
    action = np.tile(np.array(base.NOOP, np.int32), (len(skill), 1))
    opens = np.zeros(len(skill), bool)
    for lane in np.flatnonzero(began):
        goal = chain.skills[skill[lane]].goal
        wanted = NAME_ID[goal.needs[0][0]] if goal.needs else 0
        slots = np.flatnonzero(np.asarray(obs.slot_name[lane]) == wanted)
        if wanted and obs.equipment[lane, 0] != wanted and len(slots):
            action[lane, base.FUNCTION], action[lane, base.SLOT_ARG] = base.FN_EQUIP, slots[0]
            opens[lane] = True
        turn = -round(float(obs.pitch[lane]) / base.CAMERA_STEP) if goal.learned else 0
        if turn:
            action[lane, base.PITCH] = base.CAMERA_CENTRE + turn
            opens[lane] = True
    return action, opens


def _decide(
    prepared: Prepared,
    now: ChainLanes,
    obs: Observation,
    free: np.ndarray,
    key: jax.Array,
    index: int,
) -> tuple[list[Ran], FrameStack | None]:
    """Every skill decides in its lanes among `free` bool[N]. Skill and tick have keys of
    their own, so that a lane does not depend on what skills the others are in. Returns also
    what is remembered after this tick."""
    ran = []
    before = seen = now.lanes.frames
    for s, skill in enumerate(prepared.chain.skills):
        mine = free & (now.skill == s)
        sees = skill.params is not None and before is not None and (now.skill == s).any()
        if not mine.any() and not sees:
            continue
        if skill.params is None:
            # A script that repeats is never at its end.
            chosen = np.asarray(prepared.problems[s].space.script)[np.asarray(now.lanes.stage)]
            choices = np.zeros((len(free), 2), np.int32)
            primitive = np.tile(np.array(base.NOOP, np.int32), (len(free), 1))
        else:
            actor = PolicyArrays(prepared.config.network, skill.params, prepared.problems[s])
            own_key = jax.random.fold_in(key, s)
            decision = decide(actor, now.lanes, obs, own_key, np.int32(index))
            parts = (decision.chosen, decision.action.primitive, decision.primitive)
            chosen, choices, primitive = map(np.asarray, parts)
            seen = frame_stack.choose(now.skill == s, decision.frames, seen)
        if not mine.any():
            continue
        now.macros[s], act = macro_step.act(
            skill.space, now.macros[s], obs, chosen, primitive, ~mine
        )
        labels = [
            skill.space.action_label(int(act.slot[lane]), choices[lane])
            for lane in np.flatnonzero(mine)
        ]
        ran.append(Ran(s, act, mine, mine, labels))
    return ran, seen
