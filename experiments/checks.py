"""What must be there before a run starts: each lack is one error, before anything compiles."""

import importlib.util
from pathlib import Path

from experiments.configs import base
from experiments.values import ConfigError, refusing
from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.llm.base import ProviderError
from rlgpt_jax.envs.control import packages
from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.loop.library import store


def check_start(config: base.Config) -> None:
    """Refuses to start without a key, an interpreter or files, or with a slip in a prompt file.

    Raises:
      ConfigError: what is missing and where it comes from.
    """
    if config.llm.is_real and config.loop.asks:
        with refusing(ProviderError):  # no key of the model that will be asked
            config.llm.endpoint()
    _check_tracker(config)
    check_tools(config)


def check_tools(config: base.Config) -> None:
    """The same of all but the model: what `run.make_tools` reads."""
    _check_interpreter(config)
    task = config.task_record
    if isinstance(task, ControlTask):
        with refusing(packages.MissingPackage):  # of a simulator
            packages.check(task.name, task.packages)
    _check_clip_files(config)
    with refusing(ValueError):
        prompts.load()


def _check_tracker(config: base.Config) -> None:
    """Refuses to start without the package of the tracker that was asked for."""
    name = config.tracker
    if name != "none" and importlib.util.find_spec(name) is None:
        raise ConfigError(
            f"--config.tracker={name}: {name} is not installed: pip install -e '.[{name}]', or "
            "take --config.tracker=none."
        )


def _check_interpreter(config: base.Config) -> None:
    """Refuses to start without the interpreter that MineDojo runs under, or without Ray."""
    if config.world == "minedojo":
        if config.minedojo.launcher == "ray" and importlib.util.find_spec("ray") is None:
            raise ConfigError(
                "--config.minedojo.launcher=ray: Ray is not installed: pip install -e '.[scale]', "
                "or take --config.minedojo.launcher=local."
            )
        with refusing(ValueError, first="--config.world=minedojo: "):
            config.minedojo.interpreter()


def _check_clip_files(config: base.Config) -> None:
    """Refuses to start without the files of the CLIP reward; what is in them is read later."""
    if config.reward.clip:
        for field in ("weights", "merges", "texts", "prompts", "negatives"):
            path = getattr(config.mineclip, field)
            if path and not Path(path).is_file():
                raise ConfigError(
                    f"--config.mineclip.{field}: there is no file {path}. What it must be and "
                    "where it comes from: docs/mineclip.md."
                )


def check_library(config: base.Config) -> None:
    """Refuses a library of macros that cannot be read; a resumed run reads its own copy."""
    if config.macros.library:
        with refusing(store.LibraryError, first="--config.macros.library: "):
            store.load(Path(config.macros.library))


def check_budget(config: base.Config) -> None:
    """Refuses an iteration that is over before one episode can be.

    Every iteration starts new episodes, so the end of a long task would never be met.
    """
    task, lanes, loop = config.task_record, config.rl.ppo.num_envs, config.loop
    horizon, ticks = task.horizon, loop.ticks_per_iteration
    if loop.learns and not loop.planner and ticks < lanes * horizon:
        name = "minedojo.workers" if config.world == "minedojo" else "ppo.num_envs"
        fewer = f", or --config.{name}={ticks // horizon} or less" * (ticks >= horizon)
        raise ConfigError(
            f"an episode of {task.name} lasts up to {horizon} ticks, but "
            f"loop.ticks_per_iteration={ticks} over {name}={lanes} lanes is "
            f"{ticks // lanes} ticks a lane. Set --config.loop.ticks_per_iteration="
            f"{lanes * horizon} or more{fewer}."
        )
