"""One vector in, one number out: the world for learners that take nothing else.

    import gymnasium
    from rlgpt_jax.envs import gym
    env = gym.Flat(gymnasium.make("rlgpt/harvest_milk-v0", image_size=None))

Stable-Baselines3 and the like train on it as it is.
"""

from typing import Any, NamedTuple

import gymnasium
import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import CRAFT_NAMES, NAME_ID, NUM_NAMES
from rlgpt_jax.envs.plan import obtain
from rlgpt_jax.envs.plan.sources import STATIONS
from rlgpt_jax.envs.tasks.own_task import stack
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.envs.view.observation import View

REACH = 32.0  # blocks from the start that `place` tells before it stays at its end


class Choice(NamedTuple):
    """One number of the action space."""

    name: str
    columns: tuple[tuple[int, int], ...]  # (column, value) in an action that is otherwise NOOP
    item: str = ""  # in whose slot the action is done; nothing happens without it


BODY = (
    Choice("nothing", ()),
    Choice("forward", ((base.MOVE, 1),)),
    Choice("back", ((base.MOVE, 2),)),
    Choice("left", ((base.STRAFE, 1),)),
    Choice("right", ((base.STRAFE, 2),)),
    Choice("jump forward", ((base.MOVE, 1), (base.JUMP, 1))),
    Choice("look up", ((base.PITCH, 11),)),
    Choice("look down", ((base.PITCH, 13),)),
    Choice("look left", ((base.YAW, 11),)),
    Choice("look right", ((base.YAW, 13),)),
    Choice("use", ((base.FUNCTION, base.FN_USE),)),
    Choice("attack", ((base.FUNCTION, base.FN_ATTACK),)),
)


def choices_of(task: Task) -> tuple[Choice, ...]:
    """Moving, looking (by 15 degrees), using, attacking; and what the way from the start items to
    the goal needs: crafting and smelting, placing a station, taking a tool in the hand."""
    found = list(BODY)
    ways = obtain.chain(task)
    made = [way.item.partition(":")[0] for way in ways]
    for way, item in zip(ways, made, strict=True):
        if way.how in ("craft", "smelt"):
            craft = (base.FUNCTION, base.FN_CRAFT), (base.CRAFT_ARG, CRAFT_NAMES.index(item))
            found.append(Choice(f"craft {item}", craft))
    kept = {name for way in ways for group in way.keeps for name in group}
    for name in sorted({task.goal_item, *kept} & {*STATIONS}):
        found.append(Choice(f"place {name}", ((base.FUNCTION, base.FN_PLACE),), name))
    tools = {name for name, _ in task.start_items if stack(name) == 1}
    for way in filter(lambda way: way.raw, ways):  # what others keep is stations and fuel
        tools |= {entry.partition(":")[0] for entry, _ in way.needs}
        tools |= {name for group in way.keeps for name in group if name in made}
    for name in sorted(tools):
        found.append(Choice(f"equip {name}", ((base.FUNCTION, base.FN_EQUIP),), name))
    return tuple(found)


class Flat(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A world of `make` with a `Discrete` action space and a `Box` of float32 in [-1, 1].

    `choices` names the actions. The vector is, in this order: sine and cosine of the yaw, pitch,
    place relative to the start (3); life, food, air; a table, a furnace near; whether the next
    action will be ignored; of 27 blocks around the feet whether they stop a body and whether they
    are what the goal comes from; of 120 rays the distance to the block, that to the mob, and
    whether either is what the goal comes from; pieces held of every item, as a share of 64; what
    is in the hand, one-hot; which of the choices that craft could do something.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]):
        super().__init__(env)
        world = env.unwrapped.world  # type: ignore[attr-defined]
        self.choices = choices_of(world.env.task)
        self._goals = np.array([NAME_ID[name] for name in world.goal_names], np.int64)
        crafts = (dict(choice.columns).get(base.CRAFT_ARG) for choice in self.choices)
        self._crafts = np.array([craft for craft in crafts if craft is not None], np.int64)
        self._held = np.zeros(base.NUM_SLOTS, np.int64)
        self._start = np.zeros(3)
        size = 12 + 2 * 27 + 3 * base.NUM_RAYS + 2 * NUM_NAMES + len(self._crafts)
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(self.choices))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        self._start = np.array(seen["location_stats"]["pos"])
        return self._vector(seen, info), info

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One tick with the action of `choices[action]`."""
        seen, reward, terminated, truncated, info = self.env.step(self._row(int(action)))
        return self._vector(seen, info), float(reward), terminated, truncated, info

    def _row(self, action: int) -> np.ndarray:
        """int64[8], the world's action."""
        row, choice = np.array(base.NOOP), self.choices[action]
        slots = np.flatnonzero(self._held == NAME_ID[choice.item])
        if choice.item and not len(slots):
            return row
        for column, value in choice.columns:
            row[column] = value
        if choice.item:
            row[base.SLOT_ARG] = slots[0]
        return row

    def _vector(self, seen: View, info: dict[str, Any]) -> np.ndarray:
        place, life, rays = seen["location_stats"], seen["life_stats"], seen["rays"]
        voxels, inventory, tools = seen["voxels"], seen["inventory"], seen["nearby_tools"]
        self._held = inventory["name"]
        held, hand = np.zeros((2, NUM_NAMES), np.float32)
        np.add.at(held, self._held, inventory["quantity"] / 64)
        held[0] = 0.0  # the name of an empty slot
        hand[self._held[0]] = 1.0
        yaw = np.deg2rad(place["yaw"])
        met = np.isin(rays["block_name"], self._goals) | np.isin(rays["entity_name"], self._goals)
        vector = np.concatenate([np.ravel(part) for part in (
            np.sin(yaw), np.cos(yaw), place["pitch"] / 90, (place["pos"] - self._start) / REACH,
            life["life"] / 20, life["food"] / 20, life["oxygen"] / 300,
            tools["table"], tools["furnace"], info["busy"],
            voxels["blocks_movement"], np.isin(voxels["block_name"], self._goals),
            rays["block_distance"] / base.RAY_RANGE, rays["entity_distance"] / base.RAY_RANGE, met,
            held, hand, seen["masks"]["craft_smelt"][self._crafts],
        )])  # fmt: skip
        return np.clip(vector, -1.0, 1.0).astype(np.float32)
