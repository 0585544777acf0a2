"""What one run is: a task, a world, a learner, two loops, a language model.

A configuration is a file beside this one with a function `get_config() -> Config`. Every
field can be changed on the command line: `--config.ppo.learning_rate=3e-4`. Each group
checks itself when it is made, before anything compiles.
"""

import dataclasses
from pathlib import Path
from typing import Literal

from rlgpt_jax.envs.tasks import TASKS, get_task
from rlgpt_jax.envs.voxel.params import WorldParams
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RewardConfig, RLConfig

CHECKOUT = Path(__file__).parents[2]


@dataclasses.dataclass(frozen=True)
class MacroConfig:
    """What macros may do."""

    # paper: compass, gps, 3x3x3 voxels, inventory, equipment, life, nearby tools, what the
    # paper's agent had beside the image; full: also the rays.
    sensors: Literal["paper", "full"] = "paper"
    tick_limit: int = 200  # ticks of one activation; then the macro is ended
    # While learning: host with the host driver, jax or pallas (GPU only, not yet measured
    # on one) with the device driver; auto: host or jax. Trials and evaluations: always host.
    interpreter: Literal["auto", "host", "jax", "pallas"] = "auto"
    # Folders of macros (experiments/macro/library.py). The run reads its own copy.
    library: str = ""  # offered to the policy and callable by new macros; "" is none
    offer: tuple[str, ...] = ()  # those that the policy is offered; () is all that fit
    save: str = ""  # a finished run adds its macros here
    skills: bool = False  # whether macros may call the trusted skills and prompts say so

    def __post_init__(self) -> None:
        if self.tick_limit < 1:
            raise ValueError(f"macros.tick_limit={self.tick_limit} must be at least 1.")
        if self.offer and not self.library:
            raise ValueError("macros.offer names macros, but macros.library names no folder.")


@dataclasses.dataclass(frozen=True)
class LLMConfig:
    """Where answers come from."""

    provider: Literal["replay", "file"] = "replay"
    transcript: str = ""  # replay: path from the checkout, or absolute
    folder: str = ""  # file: requests and responses; "" is <workdir>/requests
    model: str = "unknown"  # file: the name written to the transcript
    timeout_minutes: float | None = None  # file: None waits for ever

    def __post_init__(self) -> None:
        if self.provider == "replay" and not self.transcript:
            raise ValueError(
                "llm.provider=replay needs llm.transcript, the path of a recorded "
                "transcript.jsonl. Try experiments/transcripts/harvest_milk.jsonl."
            )


@dataclasses.dataclass(frozen=True)
class Config:
    """One run, completely."""

    task: str  # a row of `envs/tasks.py`
    llm: LLMConfig
    seed: int = 0
    world: WorldParams = WorldParams()
    ppo: PPOConfig = PPOConfig()
    network: NetworkConfig = NetworkConfig()
    reward: RewardConfig = RewardConfig()
    driver: Literal["auto", "host", "device"] = "auto"  # host on CPU, device on GPU
    macros: MacroConfig = MacroConfig()
    loop: LoopConfig = LoopConfig()

    def __post_init__(self) -> None:
        get_task(self.task)
        if not 0 <= self.seed < 2**31:
            raise ValueError(f"seed={self.seed} must be in 0..{2**31 - 1}.")
        check_world(self.world)

    @property
    def rl(self) -> RLConfig:
        """The learner's part, as the library takes it."""
        return RLConfig(
            ppo=self.ppo, network=self.network, reward=self.reward, driver=self.driver,
            interpreter=self.macros.interpreter,
        )


def check_world(world: WorldParams) -> None:
    """Refuses sizes that no terrain fits into."""
    for name in ("size_x", "size_z"):
        if getattr(world, name) < 32:
            raise ValueError(f"world.{name}={getattr(world, name)} must be at least 32 blocks.")
    if not 8 <= world.sea_level <= world.size_y - 24:
        raise ValueError(
            f"world.sea_level={world.sea_level} needs 8 layers below it and 24 above: with "
            f"world.size_y={world.size_y} choose 8..{world.size_y - 24}."
        )
    for name in ("max_mobs", "max_items", "max_stations", "num_worlds"):
        if getattr(world, name) < 1:
            raise ValueError(f"world.{name}={getattr(world, name)} must be at least 1.")


def for_task(task: str) -> Config:
    """The defaults for a task with its shipped transcript."""
    if task not in TASKS:
        get_task(task)
    return Config(task=task, llm=LLMConfig(transcript=f"experiments/transcripts/{task}.jsonl"))


def smoke(config: Config) -> Config:
    """The same path with a budget of seconds; its numbers mean nothing."""
    world = dataclasses.replace(config.world, size_x=32, size_z=32, num_worlds=4)
    ppo = dataclasses.replace(config.ppo, num_envs=8)
    loop = dataclasses.replace(
        config.loop,
        num_iterations=min(2, config.loop.num_iterations),
        ticks_per_iteration=2048,
        eval_episodes=8,
        trial_episodes=4,
        checkpoint_every=2,
    )
    return dataclasses.replace(config, world=world, ppo=ppo, loop=loop)
