"""The same actions in a world directly and through MineDojo and the stand-in, key by key."""

import argparse
import contextlib
import functools
from typing import Any, NamedTuple

import numpy as np

from experiments.values import ConfigError
from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.names import CRAFT_NAMES
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.view.observation import Sight, View, look, with_names
from rlgpt_jax.envs.voxel.host import HostVoxel
from tests.doubles.minecraft import lidar, serve
from tests.doubles.minecraft.comparison import policy, reasons
from tests.doubles.minecraft.comparison.client import Client, check_client
from tests.doubles.minecraft.game import Game
from tests.doubles.minecraft.instance import Instance

IMAGE_SIZE = (160, 256)
_TOLERANCE = 0.0  # nothing is rounded away


class Difference(NamedTuple):
    """What the comparison of one key over all steps gave."""

    key: str
    steps: int  # in which something differs
    entries: int  # that differ, over all steps
    largest: float | None  # of numbers; None for strings
    example: str  # the first: step, direct, through MineDojo

    @property
    def words(self) -> str:
        if not self.steps:
            return "equal"
        largest = "" if self.largest is None else f", at most {self.largest:.4g}"
        return f"{self.entries} entries{largest}"


def run(options: argparse.Namespace) -> int:
    """Prints the table. Returns the exit code: 1 if a difference has no known reason."""
    if options.actions < 1:
        raise ConfigError(f"--actions={options.actions}: need 1 or more.")
    python = MineDojoConfig(python=options.python).interpreter()
    check_client(python)
    lands = serve.lands_of(options)
    instance = Instance(functools.partial(Game, lands, options.seed, options.lidar))
    with contextlib.closing(instance), Client(python) as client:
        ours, theirs, harm, rewards = _play(options, instance, client)
    found = compare(ours, theirs) + compare_rewards(*rewards)
    cured = {row.key for row in compare(ours, reasons.cured(theirs, harm)) if not row.steps}
    steps = len(rewards[0])
    print(f"\n{steps} actions, {len(found)} keys; the client's reward in all: {sum(rewards[1])}\n")
    print(table(found, steps, cured))
    unknown = [row.key for row in found if row.steps and row.key not in reasons.KNOWN]
    print(f"\nwithout a known reason: {', '.join(unknown) or 'none'}")
    return 1 if unknown else 0


def _play(
    options: argparse.Namespace, instance: Instance, client: Client
) -> tuple[list[View], dict[str, np.ndarray], list[dict], tuple[list[float], list[float]]]:
    """Views directly; arrays [steps, ...] by key and harm through MineDojo; both rewards."""
    client.ask("make", task="harvest", port=instance.port, kwargs=_settings(options))
    client.ask("reset", out=None)
    for command in policy.ARRANGE:
        client.ask("command", text=command)
    # One idle step, so that what the client remembers of the step before is true.
    client.ask("steps", actions=[list(base.NOOP)], out=None)
    before = instance.game.host
    assert before is not None
    host = instance.game.lands.world(get_task(options.task).biome)
    host.image_size = IMAGE_SIZE
    obs = host.load(before.save())
    ours, actions, rewards = direct(host, obs, options.actions, options.seed)
    out = client.file("steps.npz")
    asked = [[int(entry) for entry in action] for action in actions]
    answer = client.ask("steps", actions=asked, out=out)
    client.ask("close")
    with np.load(out) as arrays:
        theirs = {key: arrays[key] for key in arrays.files}
    return ours, theirs, answer["damage_source"], (rewards, answer["rewards"])


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """A task of ours as arguments of MineDojo's harvest tasks, with the lidar.

    A named task of MineDojo 0.1 holds "use_lidar: false", which no argument can change.
    """
    task = get_task(options.task)
    reach = [task.mob_range[0], 1, task.mob_range[1]]
    places = ["mainhand", *range(1, 36)]
    return {
        "target_names": task.goal_item, "target_quantities": task.goal_quantity,
        "reward_weights": 1, "image_size": IMAGE_SIZE, "seed": options.seed,
        "specified_biome": task.biome, "use_voxel": True,
        "use_lidar": True, "lidar_rays": [list(ray) for ray in lidar.USUAL],
        "initial_mobs": list(task.mobs), "initial_mob_spawn_range_low": [-e for e in reach],
        "initial_mob_spawn_range_high": reach,
        "initial_inventory": [
            [place, name, 0, quantity] for place, (name, quantity) in zip(places, task.start_items)
        ],
    }  # fmt: skip


def direct(
    host: HostVoxel, obs: Observation, number: int, seed: int
) -> tuple[list[View], list[np.ndarray], list[float]]:
    """Plays in the world itself; a slow action takes its three ticks, as in MineDojo."""
    plan = policy.Plan(seed)
    sea_level = host.env.sizes.sea_level + 1
    views, actions, rewards = [], [], []
    for _ in range(number):
        action = plan.next(host, obs)
        before, reward = obs, 0.0
        slow = int(action[base.FUNCTION]) in base.SLOW_FUNCTIONS
        for tick in range(base.SLOW_TICKS if slow else 1):
            step = host.advance(action[None] if tick == 0 else np.array([base.NOOP]))
            reward += float(step.reward[0])
        obs = step.obs
        view = with_names(look(Sight(obs, before, action[None], host, sea_level)))
        assert obs.rgb is not None
        views.append({**view, "rgb": obs.rgb.transpose(0, 3, 1, 2).copy()})
        actions.append(action)
        rewards.append(reward)
    return views, actions, rewards


def compare(ours: list[View], theirs: dict[str, np.ndarray]) -> list[Difference]:
    """Every key of either side."""
    rows = [_flat(view) for view in ours]
    mine = {key: np.stack([row[key][0] for row in rows]) for key in rows[0]}
    found = []
    for key in sorted({*mine, *theirs}):
        if key not in mine or key not in theirs:
            side = "directly" if key in mine else "through MineDojo"
            found.append(Difference(key, len(ours), 0, None, f"only {side}"))
        else:
            found.append(_difference(key, mine[key], theirs[key]))
    return found


def compare_rewards(ours: list[float], theirs: list[float]) -> list[Difference]:
    """The reward of each action: MineDojo's is that of its last tick alone."""
    return [_difference("reward", np.array(ours), np.array(theirs))]


def _flat(view: Any, path: str = "") -> dict[str, np.ndarray]:
    if not isinstance(view, dict):
        return {path: view}
    parts: dict[str, np.ndarray] = {}
    for key, value in view.items():
        parts |= _flat(value, f"{path}/{key}" if path else key)
    return parts


def _difference(key: str, one: np.ndarray, other: np.ndarray) -> Difference:
    if one.shape != other.shape:
        return Difference(key, len(one), 0, None, f"shapes {one.shape[1:]}, {other.shape[1:]}")
    numbers = one.dtype.kind != "U"
    if numbers:
        gap = np.abs(one.astype(np.float64) - other.astype(np.float64))
        differs = gap > _TOLERANCE
    else:
        differs = one != other
    where = np.argwhere(differs)
    if not len(where):
        return Difference(key, 0, 0, None, "")
    at = tuple(where[0])
    example = f"step {at[0]}: {one[at]}, {other[at]}"
    if key == "masks/craft_smelt":
        example += f"; {_products(differs, one)}"
    largest = float(gap.max()) if numbers else None
    return Difference(key, len(np.unique(where[:, 0])), len(where), largest, example)


def _products(differs: np.ndarray, ours: np.ndarray) -> str:
    """The names of the products whose mask [steps, 244] differs."""
    names = [
        f"{CRAFT_NAMES[k]}{'' if ours[differs[:, k], k].all() else ' (client only)'}"
        for k in np.flatnonzero(differs.any(0))
    ]
    return ", ".join(names)


def table(found: list[Difference], steps: int, cured: set[str]) -> str:
    """Markdown: the keys that are equal in one line, the others a row each.

    `cured` are keys that are equal once a bridge has repaired what it can.
    """
    groups: dict[str, list[str]] = {}
    for row in found:
        if not row.steps:
            group, _, key = row.key.rpartition("/")
            groups.setdefault(group, []).append(key)
    equal = "; ".join(
        f"{group}: {', '.join(keys)}" if group else ", ".join(keys)
        for group, keys in groups.items()
    )
    lines = [
        f"| key | steps of {steps} | difference | first (directly, MineDojo) | why | cured |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        if row.steps:
            why = reasons.KNOWN.get(row.key, "not known")
            cells = row.key, row.steps, row.words, row.example, why
            cure = "yes" if row.key in cured else "no"
            lines.append(f"| {' | '.join(map(str, cells))} | {cure} |")
    return f"Equal in every step: {equal}.\n\n" + "\n".join(lines)
