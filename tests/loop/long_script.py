"""A flat land with trunks everywhere, and written answers for a wooden pickaxe from nothing."""

import functools
import json

import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.env import VoxelEnv
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.rules.blocks.blocks import AIR_CODE, BLOCK_ID
from rlgpt_jax.envs.voxel.rules.blocks.light import flood
from rlgpt_jax.envs.voxel.state import WorldPool
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.library.offer import make_offer
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.rl.config import PPOConfig, RLConfig
from tests.envs.voxel.worlds import GROUND, HOST_LANES, HOST_PARAMS, flat
from tests.loop import script
from tests.loop.script import RL, block, critique, plan

TASK = Task(
    "wooden_pickaxe", "obtain 1 wooden_pickaxe", "wooden_pickaxe", horizon=1500, sources=("log",)
)
PARAMS, LANES = HOST_PARAMS, HOST_LANES
SETTINGS = RLConfig(
    ppo=PPOConfig(num_envs=LANES, unroll_length=16, num_epochs=1, num_minibatches=2),
    network=RL.network,
)
CONFIG = LoopConfig(
    planner=True, num_iterations=1, num_tries=1, ticks_per_iteration=2 * LANES * 16,
    eval_episodes=LANES, trial_episodes=LANES, checkpoint_every=1,
)  # fmt: skip


@functools.cache
def trunks() -> WorldPool:
    """Flat worlds with a log on the ground every 5 blocks; one can stand between them."""
    world = flat(PARAMS)
    world[world >= AIR_CODE] = AIR_CODE + 1
    world[::5, ::5, GROUND] = BLOCK_ID["log"]
    spawnable = np.ones((PARAMS.num_worlds, PARAMS.size_x, PARAMS.size_z), bool)
    spawnable[:, ::5, ::5] = False
    blocks = np.stack([world] * PARAMS.num_worlds)
    return WorldPool(
        blocks=jnp.asarray(blocks),
        light=jnp.asarray(np.stack([flood(w) for w in blocks])),
        surface=jnp.full(spawnable.shape, GROUND, jnp.int32),
        spawnable=jnp.asarray(spawnable),
    )


@functools.cache
def _world(task: Task, num_envs: int) -> HostVoxel:
    return HostVoxel(VoxelEnv(task, PARAMS, num_envs, trunks()))


def make_env(split: str, num_envs: int, seed: int, task: Task | None = None) -> HostVoxel:
    return _world(task or TASK, num_envs)


def sub_task(name, item, quantity, needs, ticks, solve, words="Do it.") -> dict:
    return {
        "name": name, "goal": {"item": item, "quantity": quantity},
        "needs": [{"item": i, "quantity": n} for i, n in needs], "words": words, "ticks": ticks,
        "solve": solve,
    }  # fmt: skip


def task_plan(*sub_tasks: dict) -> str:
    return block("json", json.dumps({"reasoning": "As it is made.", "sub_tasks": sub_tasks}))


LOGS = sub_task("get_logs", "log", 3, (), 500, "loop")
CRAFT = sub_task("make_pickaxe", "wooden_pickaxe", 1, (("log", 3),), 100, "code")
GET_LOG = """\
def {name}(obs):
    obs = yield from scan_for(obs, "log")
    obs = yield from mine(obs, "log")
"""
MAKE = """\
def make(obs):
    obs = yield from craft_up_to(obs, "planks", 9)
    obs = yield from craft_up_to(obs, "crafting_table", 1)
    obs = yield from craft_up_to(obs, "stick", 2)
    for i in range(4):
        if obs.near("crafting_table"):
            break
        obs = yield turn(yaw=90, pitch=45 - obs.pitch)
        obs = yield place("crafting_table")
    obs = yield craft("wooden_pickaxe")
"""


def code(name: str, source: str) -> str:
    return block("python", source.format(name=name))


PARTS = ("first", "second", "third", "fourth")
ANSWERS = {
    "planner": task_plan(LOGS, CRAFT),
    "task/get_logs/iter0/slow": plan(*((part, "code", "Get a log.") for part in PARTS)),
    **{f"task/get_logs/iter0/fast/{part}/try0": code(part, GET_LOG) for part in PARTS},
    "task/get_logs/iter0/fast/rl": block("json", "{}"),
    "task/get_logs/iter0/critic": critique(**dict.fromkeys(PARTS, "")),
    "task/make_pickaxe/pure_code/iter0/slow": plan(("make", "code", "Make it.")),
    "task/make_pickaxe/pure_code/iter0/fast/make/try0": code("make", MAKE),
    "task/make_pickaxe/pure_code/iter0/critic": critique(make=""),
}


class Script(script.Script):
    """A model that answers from `ANSWERS` and remembers what it was asked."""

    def __init__(self, **changes: str):
        super().__init__(ANSWERS, **changes)

    @property
    def asked(self) -> list[str]:
        return [key for batch in self.batches for key in batch]


def tools(path, provider, **changes) -> Tools:
    given = dict(
        task=TASK, make_env=make_env, provider=provider, folder=RunFolder(path), rl=SETTINGS,
        sensors="full", offer=make_offer((), CONFIG, "full", with_skills=True),
    )  # fmt: skip
    return Tools(**given | changes)
