"""What one run is: a task, a world, a learner, two loops, a language model.

A configuration is a file beside this one with a function `get_config() -> Config`. Every
field can be changed on the command line: `--config.ppo.learning_rate=3e-4`. Each group
checks itself when it is made, before anything compiles.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from experiments.configs import refusals, worlds
from experiments.configs import sight as sights
from experiments.configs.llm import LLMConfig
from rlgpt_jax.agents.llm.budget import BudgetConfig
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.minedojo.config import MineDojoConfig
from rlgpt_jax.envs.tasks import own_task
from rlgpt_jax.envs.tasks.tasks import Task as Task
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.loop.config import SENSORS, CriticConfig, LoopConfig, PromptConfig
from rlgpt_jax.macros.limits import TICK_LIMIT
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RewardConfig, RLConfig
from rlgpt_jax.rl.interface import OBSERVATION_PARTS
from rlgpt_jax.rl.reward.clip.config import MineClipConfig


@dataclasses.dataclass(frozen=True)
class MacroConfig:
    """What macros may do."""

    tick_limit: int = TICK_LIMIT  # ticks of one activation; then the macro is ended
    # Folder of macros (experiments/macro/library.py) that the policy is offered and new macros may
    # call; "" is none. The run reads its own copy.
    library: str = ""
    offer: tuple[str, ...] = ()  # those that the policy is offered; () is all that fit
    save: str = ""  # a finished run adds its macros here
    skills: bool = False  # whether macros may call the trusted skills and prompts say so

    def __post_init__(self) -> None:
        if not 1 <= self.tick_limit <= own_task.LONGEST:
            raise ValueError(
                f"macros.tick_limit={self.tick_limit} must be in 1..{own_task.LONGEST}, the "
                "longest episode."
            )
        if self.offer and not self.library:
            raise ValueError("macros.offer names macros, but macros.library names no folder.")


@dataclasses.dataclass(frozen=True)
class SenseConfig:
    """Which code lets the agents see: two that agree on what is seen, not on how fast.

    numba: worlds stepped by the host driver, on the CPU. jax: everywhere. auto: numba with the
    host driver, else jax.
    """

    renderer: Literal["auto", "numba", "jax"] = "auto"  # of pictures
    raycaster: Literal["auto", "numba", "jax"] = "auto"  # of the 120 rays


@dataclasses.dataclass(frozen=True)
class Config:
    """One run, completely."""

    task: str | Task  # a row of `envs/tasks/table.py`, or a record of one's own
    llm: LLMConfig
    seed: int = 0  # of everything random
    # What macros and policy see, see `sights.WORDS`. Without rays macros have compass, gps, 3x3x3
    # voxels, inventory, equipment, life and nearby tools: what the paper's had. Chosen by a flag
    # it also sets observation, network and ppo for pixels.
    sight: sights.Sight = "blind_code"
    # voxel: the embedded world. minedojo: Minecraft itself, on the host; its lanes are
    # minedojo.workers, and ppo.unroll_length is changed so that an update has as many ticks as
    # said: with fewer workers than ppo.num_envs it grows. control: kitchen, assembly and cars, or
    # the path of a Python file with worlds of one's own (`experiments/configs/worlds.py`).
    world: str = "voxel"
    workers: int = 2  # processes that step the lanes of a world that is not Minecraft
    voxel: WorldParams = WorldParams()
    minedojo: MineDojoConfig = MineDojoConfig()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    # What the policy sees: parts of `rl.interface.ALL_PARTS`; "rgb" comes with sight=pixels.
    observation: tuple[str, ...] = OBSERVATION_PARTS
    reward: RewardConfig = RewardConfig()
    mineclip: MineClipConfig = MineClipConfig()  # of `reward.clip`
    # auto: host on CPU, for worlds of minedojo and with reward.clip, else device.
    driver: Literal["auto", "host", "device"] = "auto"
    # How many share the lanes, with the device driver. auto: as many as divide ppo.num_envs, or
    # ppo.groups if that is set; 1 on CPU.
    devices: Literal["auto"] | int = "auto"
    senses: SenseConfig = SenseConfig()
    macros: MacroConfig = MacroConfig()
    # pure_rl of the embedded world only: what can be crafted on the way to the goal is crafted in
    # the place of the policy's action (`loop/baselines/autocraft.py`).
    autocraft: bool = False
    loop: LoopConfig = LoopConfig()
    # pure_rl only: folder of a finished run with agents, whose best iteration's set-up (reward,
    # observation, turn, training episodes) is trained with. "" is the run's own set-up.
    set_up: str = ""
    set_up_primitives: bool = False  # with set_up: the agents' primitives alone, not every one
    critic: CriticConfig = CriticConfig()
    prompts: PromptConfig = PromptConfig()
    budget: BudgetConfig = BudgetConfig()
    # Beside TensorBoard, which every run has: Weights & Biases (offline unless WANDB_MODE=online)
    # or trackio, each an extra of its name.
    tracker: Literal["none", "wandb", "trackio"] = "none"
    # Whether the end of the run and every iteration are filmed: a quarter of the time of a run with
    # episodes of 3000 ticks.
    films: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.task, str):
            object.__setattr__(self, "task", own_task.renamed(self.task))
        if not 0 <= self.seed < 2**31:
            raise ValueError(f"seed={self.seed} must be in 0..{2**31 - 1}.")
        refusals.check(self)
        sights.check(self)
        _ = self.rl  # checks what must go together

    @property
    def is_minecraft(self) -> bool:
        return self.world in worlds.MINECRAFT

    @property
    def task_record(self) -> Task | ControlTask:
        """The task as worlds and agents get it."""
        if not self.is_minecraft:
            return worlds.find(self.world, str(self.task))
        return get_task(self.task) if isinstance(self.task, str) else own_task.complete(self.task)

    @property
    def minecraft_task(self) -> Task:
        """The task, for what only Minecraft has."""
        task = self.task_record
        assert isinstance(task, Task), "a task of another world"
        return task

    @property
    def sensors(self) -> str:
        """What macros may read: a level of `macros.sensors`."""
        return SENSORS[self.sight]

    @property
    def rl(self) -> RLConfig:
        """The learner's part, as the library takes it."""
        ppo = refusals.minedojo_lanes(self) if self.world == "minedojo" else self.ppo
        return RLConfig(
            spec=self.task_record.spec,
            ppo=ppo,
            network=self.network,
            reward=self.reward,
            driver=self.driver,
            observation=self.observation,
            devices=self.devices,
        )


SHORT, LONGEST_MEASURED = 1000, 3000  # ticks of the episodes that settings were measured on
# For episodes of about 3000 ticks: an iteration takes 3 to 4 minutes on two quiet CPU cores.
LONG: dict[str, Any] = {
    # An iteration holds three whole episodes of each lane; longer rollouts, since macros take up
    # to 400 ticks and an update should hold enough decisions. A reward 330 ticks off counts a
    # third; with the default of 0.99 that is one 100 ticks off.
    # 8 epochs, the default, are no better here (docs/ppo.md).
    "ppo": {"unroll_length": 128, "gamma": 0.997, "num_epochs": 4},
    "reward": {"step_cost": 0.005},  # 15 for a whole episode; success pays 10
    "macros": {"tick_limit": 400},  # a walk of 60 blocks takes 270
    "loop": {"ticks_per_iteration": 600_000, "eval_episodes": 256},
}


def of_horizon(horizon: int) -> dict[str, Any]:
    """Budgets for a task on which nothing was measured, by the ticks of its episodes.

    An iteration holds three whole episodes of each of 64 lanes, and a whole episode costs 15 or
    less where success pays 10.
    """
    if horizon <= SHORT:
        return {}
    few = {} if horizon <= 2 * LONGEST_MEASURED else {"eval_episodes": 64, "trial_episodes": 8}
    ticks = max(LONG["loop"]["ticks_per_iteration"], 3 * 64 * horizon)
    return {
        **LONG,
        "reward": {"step_cost": min(LONG["reward"]["step_cost"], 15 / horizon)},
        "loop": {**LONG["loop"], "ticks_per_iteration": ticks, **few},
    }


def for_task(task: str | Task, transcript: str = "", **changes: Any) -> Config:
    """The defaults for a task, and the transcript that is, or will be, recorded for it.

    Args:
      task: a name of the table or a record.
      transcript: a name in `experiments/transcripts`, without `.jsonl`; "" is the task's.
      changes: other fields of `Config`, or of its groups as dictionaries:
        `for_task("craft_stick", ppo={"gamma": 0.999}, seed=1)`. Without them a record of one's
        own has rays and the budgets `of_horizon`, and a task of the table what its answers were
        recorded with.
    """
    row = get_task(task)
    llm = LLMConfig(transcript=f"experiments/transcripts/{transcript or row.name}.jsonl")
    is_own = not isinstance(task, str)
    config = Config(task=task, llm=llm)
    config = sights.seeing(config, changes.pop("sight", "rays" if is_own else "blind_code"))
    return _with(_with(config, of_horizon(row.horizon) if is_own else {}), changes)


def for_row(name: str) -> Config:
    """A task of the table that no configuration is of: as a task of one's own would be run."""
    return for_task(name, sight="rays", **of_horizon(get_task(name).horizon))


# The paper's ten tasks, in the order of its table 1: Plan4MC's, with their starts and horizons.
PAPER_TASKS = (
    "craft_stick", "get_crafting_table_nearby", "craft_wooden_pickaxe",
    "get_furnace_nearby_with_logs", "craft_stone_pickaxe_with_wooden_pickaxe",
    "harvest_milk_with_crafting_table_and_iron_ingot",
    "harvest_wool_with_crafting_table_and_iron_ingot", "harvest_beef_with_diamond_sword",
    "harvest_mutton_with_diamond_sword", "craft_bed_with_crafting_table_and_shears",
)  # fmt: skip
# Ticks of an iteration, unless a whole episode of every lane takes more: a third of `LONG`, so that
# ten tasks and their baselines with three seeds are in reach of two cores.
PAPER_TICKS = 204_800


def for_paper(task: str, name: str) -> Config:
    """One of the ten tasks as all methods of the paper's table are compared on it: macros as blind
    as the paper's, no planner, the same budget for all; with a conversation of that name."""
    horizon = get_task(task).horizon
    own = of_horizon(horizon)
    ticks = max(PAPER_TICKS, PPOConfig().num_envs * horizon)
    loop = {**own["loop"], "ticks_per_iteration": ticks, "eval_episodes": 100}
    return for_task(task, transcript=name, sight="blind_code", **{**own, "loop": loop})


def with_rays(config: Config, name: str) -> Config:
    """The same at sight rays, so that code can do it all; with conversations of RL-GPT and of code
    alone (`loop.mode=pure_code loop.pure_code_plan=own`) in one transcript."""
    transcript = {"transcript": f"experiments/transcripts/{name}.jsonl"}
    return _with(sights.seeing(config, "rays"), {"llm": transcript})


def _with(config: Config, changes: Mapping[str, Any]) -> Config:
    """The configuration with other fields, or fields of its groups as dictionaries."""
    values = {
        field: dataclasses.replace(getattr(config, field), **value)
        if isinstance(value, dict)
        else value
        for field, value in changes.items()
    }
    return dataclasses.replace(config, **values)


# Simulators are slow: few lanes, long rollouts, small networks. Where macros decide, a rollout has
# some hundred rows, which are few minibatches however small: so many epochs.
CONTROL: dict[str, Any] = {
    "ppo": {"num_envs": 16, "unroll_length": 256, "num_minibatches": 32, "num_epochs": 12},
    "network": {"fusion_width": 128, "feature_width": 128},
    "loop": {"trial_episodes": 16},
}


def for_control(task: str, world: str = worlds.CONTROL, **changes: Any) -> Config:
    """The defaults of a task in a world that is not Minecraft; `changes` as for `for_task`."""
    llm = LLMConfig(transcript=f"experiments/transcripts/{task}.jsonl")
    if worlds.is_path(world):  # a run is resumed from anywhere
        world = str(Path(world).expanduser().resolve())
    record = worlds.find(world, task)
    has_more = any(field.level == "full" for field in record.spec.fields)
    config = Config(task=task, llm=llm, world=world, sight="rays" if has_more else "blind_code")
    own = {name: getattr(record, name) for name in ("ticks_per_iteration", "eval_episodes")}
    return _with(_with(_with(config, CONTROL), {"loop": own}), changes)


def smoke(config: Config) -> Config:
    """The same path with a budget of seconds; its numbers mean nothing."""
    voxel = dataclasses.replace(config.voxel, size_x=32, size_z=32, num_worlds=4)
    ppo = dataclasses.replace(config.ppo, num_envs=8)
    horizon = 0 if config.is_minecraft else config.task_record.horizon
    loop = dataclasses.replace(
        config.loop,
        num_iterations=min(2, config.loop.num_iterations),
        ticks_per_iteration=max(2048, ppo.num_envs * horizon),
        eval_episodes=8,
        trial_episodes=4,
        checkpoint_every=2,
    )
    return dataclasses.replace(config, voxel=voxel, ppo=ppo, loop=loop)
