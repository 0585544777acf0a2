"""One macro on its own in fresh episodes, and facts about what it did.

A short random prelude of primitives puts every lane into another situation; then the
macro is started once and the lane is watched until it ends.
"""

import collections
import dataclasses
import math
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import (
    CAMERA_CENTRE,
    CRAFT_ARG,
    FUNCTION,
    JUMP,
    MOVE,
    PITCH,
    STRAFE,
    YAW,
    Observation,
)
from rlgpt_jax.envs.names import CRAFT_NAMES, NAMES
from rlgpt_jax.macros.bytecode import TRAPPED
from rlgpt_jax.rl import macro_step, on_host, rewards
from rlgpt_jax.rl.actions import PRIMITIVE_HEADS, HybridSpace, decode
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate import trap_text
from rlgpt_jax.rl.interface import MAX_TARGETS
from rlgpt_jax.rl.lost import Lost
from rlgpt_jax.rl.report import MACRO_ENDS
from rlgpt_jax.rl.trial_report import PRELUDE, TrialReport

FUNCTION_WORDS = ("", "use", "drop", "attack", "craft", "equip", "place", "destroy")


def describe_action(action: np.ndarray) -> str:
    """An action of the world in a few words, for example "forward, attack"."""
    yaw, pitch = action[YAW] - CAMERA_CENTRE, action[PITCH] - CAMERA_CENTRE
    words = [
        ("", "forward", "back")[action[MOVE]],
        ("", "left", "right")[action[STRAFE]],
        ("", "jump", "sneak", "sprint")[action[JUMP]],
        "" if yaw == 0 else "turn right" if yaw > 0 else "turn left",
        "" if pitch == 0 else "look down" if pitch > 0 else "look up",
        FUNCTION_WORDS[action[FUNCTION]],
    ]
    if FUNCTION_WORDS[action[FUNCTION]] == "craft":
        words[-1] += f" {CRAFT_NAMES[action[CRAFT_ARG]]}"
    return ", ".join(w for w in words if w) or "noop"


@dataclasses.dataclass
class _Lane:
    """What is known of one lane's activation."""

    before: Any = None  # what `_facts` tells; None until the macro starts
    after: Any = None
    end: str = ""
    trap: str = ""
    ticks: int = 0
    walked: float = 0.0
    success: bool = False
    episode_ended: bool = False


def _facts(obs: Observation, nearest: np.ndarray, lane: int) -> dict[str, Any]:
    items: collections.Counter[int] = collections.Counter()
    for name, quantity in zip(obs.slot_name[lane], obs.slot_quantity[lane], strict=True):
        items[int(name)] += int(quantity)
    return dict(
        position=np.array(obs.position[lane]), nearest=float(nearest[lane]), items=items,
        life=float(obs.life[lane]), pitch=float(obs.pitch[lane]),
    )  # fmt: skip


def _prelude(world: Any, rng: np.random.Generator) -> tuple[Observation, np.ndarray]:
    """Random primitives; lane i rests after its own number of ticks."""
    num = world.num_envs
    ticks = rng.integers(0, PRELUDE + 1, num)
    for index in range(PRELUDE):
        primitive = np.stack([rng.integers(0, n, num) for n in PRIMITIVE_HEADS], axis=1)
        primitive[index >= ticks] = 0
        step = world.step(np.asarray(decode(primitive.astype(np.int32))))
    return step.obs, np.asarray(step.info["busy"])


def _watch(
    world: Any, space: HybridSpace, slot: int, obs: Observation, busy: np.ndarray, num: int,
    lost: Lost, ended_before: int,
) -> tuple[list[_Lane], collections.Counter[str]]:
    """Starts the macro in every lane and follows the first `num` until all have ended.

    Where an episode is lost the macro starts once more in the next one.
    """
    goals = rewards.padded_ids(world.goal_names, MAX_TARGETS)
    nearest_of = jax.jit(rewards.nearest_goal)
    lanes = [_Lane() for _ in range(num)]
    actions: collections.Counter[str] = collections.Counter()
    state = macro_step.init_macros(space, world.num_envs, on_device=False)
    chosen = np.full(world.num_envs, slot, np.int32)
    primitive = np.asarray(decode(np.zeros((world.num_envs, 2), np.int32)))
    nearest = np.asarray(nearest_of(obs, goals))
    while any(not lane.end for lane in lanes):
        state, act = macro_step.act(
            space.macros, space.tick_limit, state, obs, chosen, primitive, busy
        )
        ended = np.asarray(act.macro.ended)
        for i, lane in enumerate(lanes):
            if lane.end:
                continue
            if lane.before is None and act.decided[i]:
                lane.before = _facts(obs, nearest, i)
            if lane.before is not None and ended[i]:
                lane.end, lane.after = MACRO_ENDS[ended[i] - 1], _facts(obs, nearest, i)
                lane.trap = trap_text(act.macro, i) if ended[i] == TRAPPED else ""
            elif lane.before is not None and not busy[i]:
                actions[describe_action(act.action[i])] += 1
        step = world.step(act.action)
        done = np.asarray(step.terminated | step.truncated)
        after = np.asarray(nearest_of(step.final_obs, goals))
        follows = np.zeros(world.num_envs, bool)
        follows[:num] = [not lane.end for lane in lanes]
        for i in lost.add(step, follows, ended_before + num - int(follows.sum())):
            lanes[i] = _Lane()
        for i, lane in enumerate(lanes):
            if lane.end or lane.before is None:
                continue
            moved = (step.final_obs.position[i] - obs.position[i])[[0, 2]]
            lane.ticks, lane.walked = lane.ticks + 1, lane.walked + float(np.hypot(*moved))
            if done[i]:
                lane.end, lane.after = "interrupted", _facts(step.final_obs, after, i)
                lane.success, lane.episode_ended = bool(step.info["success"][i]), True
        # The macro starts once; afterwards a lane that is free stands still.
        chosen[:num] = [slot if lane.before is None else 0 for lane in lanes]
        state = macro_step.cut(state, done)
        obs, busy = step.obs, np.asarray(step.info["busy"]) & ~done
        nearest = np.asarray(nearest_of(obs, goals))
    return lanes, actions


def _report(
    lanes: list[_Lane], actions: collections.Counter[str], name: str, goal: str, seed: int,
    lost: int,
) -> TrialReport:
    before, after = [lane.before for lane in lanes], [lane.after for lane in lanes]
    mean = lambda values: float(np.mean(list(values)))  # noqa: E731
    both = [
        (b["nearest"], a["nearest"]) for b, a in zip(before, after, strict=True)
        if math.isfinite(b["nearest"]) and math.isfinite(a["nearest"])
    ]  # fmt: skip
    ids = {i for facts in before + after for i in facts["items"] if i}
    changes = {
        NAMES[i]: mean(a["items"][i] - b["items"][i] for b, a in zip(before, after, strict=True))
        for i in sorted(ids)
    }
    counts = collections.Counter(lane.end for lane in lanes)
    return TrialReport(
        name=name, goal=goal, num_episodes=len(lanes),
        ends={end: counts[end] for end in MACRO_ENDS},
        trap_messages=dict(collections.Counter(la.trap for la in lanes if la.trap).most_common()),
        mean_ticks=mean(lane.ticks for lane in lanes),
        action_ticks=dict(actions.most_common()),
        successes=sum(lane.success for lane in lanes),
        items_gained={item: change for item, change in changes.items() if change},
        mean_walked=mean(lane.walked for lane in lanes),
        mean_displacement=mean(
            np.hypot(*(a["position"] - b["position"])[[0, 2]])
            for b, a in zip(before, after, strict=True)
        ),
        visible_before=sum(math.isfinite(b["nearest"]) for b in before),
        visible_after=sum(math.isfinite(a["nearest"]) for a in after),
        mean_distance_before=mean(b for b, _ in both) if both else None,
        mean_distance_after=mean(a for _, a in both) if both else None,
        mean_life_lost=mean(b["life"] - a["life"] for b, a in zip(before, after, strict=True)),
        mean_final_pitch=mean(a["pitch"] for a in after),
        deaths_or_time_up=sum(lane.episode_ended and not lane.success for lane in lanes),
        seed=seed, lost=lost,
    )  # fmt: skip


def trial(
    env: Any, space: HybridSpace, slot: int, config: RLConfig, seed: int, num_episodes: int
) -> TrialReport:
    """Starts the macro in `slot` (1-based) once per episode and reports what came of it.

    Args:
      env: pure or host environment; it is reset. Lanes are used in chunks.
      config: not used by the macro; the argument keeps one signature for all evaluations.

    Raises:
      ValueError: the slot holds no macro, or `num_episodes` is less than 1.
      TooManyLost: workers die so often that the macro does not come to its end.
    """
    if num_episodes < 1:
        raise ValueError(f"num_episodes is {num_episodes}; at least 1 is needed.")
    if not np.asarray(space.macros.valid)[slot - 1]:
        raise ValueError(f"slot {slot} holds no macro.")
    alone = dataclasses.replace(
        space, offered=tuple(i + 1 == slot for i in range(len(space.offered))), script=(),
        repeat_script=False,
    )
    world = on_host.as_host(env)
    lanes: list[_Lane] = []
    actions: collections.Counter[str] = collections.Counter()
    lost = Lost(num_episodes)
    for chunk, begin in enumerate(range(0, num_episodes, world.num_envs)):
        sequence = np.random.SeedSequence([seed, chunk])
        world.reset(int(sequence.generate_state(1)[0] >> 1))
        obs, busy = _prelude(world, np.random.default_rng(sequence))
        num = min(world.num_envs, num_episodes - begin)
        watched, done = _watch(world, alone, slot, obs, busy, num, lost, len(lanes))
        lanes += watched
        actions += done
    goal = " or ".join(world.goal_names) or "goal"
    return _report(lanes, actions, space.label(slot), goal, seed, lost.num)
