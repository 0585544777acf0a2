"""The control "PPO with the agents' set-up": what they have set of the training, without macros.

A run without agents (`loop.mode=pure_rl`) takes reward, observation, turn and episodes from the
best iteration of a finished run. Its ticks are its own, so that both can have as many. It has every
primitive, since agents leave out what their macros press, or theirs alone
(`Config.set_up_primitives`), which tells what macros do where these can solve the task.
"""

import dataclasses
import json
from pathlib import Path

from experiments.config_tree import from_dict
from experiments.values import ConfigError
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.rl.interface import DEFAULT, RLInterface

COPY = "set_up.json"  # of the run that takes it: resuming reads that


def read(run: Path, primitives: bool = False) -> RLInterface:
    """The set-up of a run's best iteration, for training without macros.

    Args:
      run: its folder, or the file of its record (`experiments/study/finished.py`).
      primitives: whether it leaves out the primitives that the agents left out.

    Raises:
      ConfigError: no finished run with agents.
    """
    try:
        if run.is_file():
            data = read_json(run)["set_up"]
        else:
            best = read_json(run / "result.json")["best_iteration"]
            data = read_json(run / "iterations" / str(best) / "interface.json")
        found = from_dict(RLInterface, data)
    except (ConfigError, OSError, TypeError, KeyError, AttributeError, json.JSONDecodeError):
        raise ConfigError(
            f"--config.set_up={run}: need the folder of a finished run with agents, which holds "
            "result.json and iterations/<best>/interface.json (a long task has one in each of "
            "its tasks/<name>)."
        ) from None
    kept = found.primitives if primitives else None
    return dataclasses.replace(
        found, macros=None, primitives=kept, ticks=None, stop_at_success=None, network=None
    )


def check(run: Path, task: str, sight: str) -> None:
    """Refuses the set-up of another task, or of a policy that saw something else.

    Raises:
      ConfigError: that, or what `read` raises.
    """
    read(run)
    file, part = (run, "settings") if run.is_file() else (run / "config.json", "config")
    saved = dict((read_json(file) or {}).get(part, {}))
    if isinstance(saved.get("task"), dict):
        saved["task"] = saved["task"].get("name")
    other = [f"{name}={saved[name]}" for name, mine in (("task", task), ("sight", sight))
             if saved.get(name, mine) != mine]  # fmt: skip
    if other:
        raise ConfigError(
            f"--config.set_up={run}: that run has {', '.join(other)}, this one task={task}, "
            f"sight={sight}. Its set-up says what to do and see there. Give a run of the same."
        )


def take(run: str, folder: RunFolder, primitives: bool = False) -> RLInterface:
    """What a run trains with, "" being nothing of its own; it keeps a copy."""
    if not run:
        return DEFAULT
    copy = folder.path(COPY)
    if not copy.exists():
        write_json(copy, dataclasses.asdict(read(Path(run), primitives)))
    return from_dict(RLInterface, read_json(copy))
