"""Finds and reads the transcript that a command was given."""

import fnmatch
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.values import ConfigError, refusing, suggest
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.files import CHECKOUT
from rlgpt_jax.loop.record import read_json

Line = dict[str, Any]
WIDTH, NARROWEST = 120, 100  # columns where there is no terminal, and at least


def console() -> Console:
    """Where the commands print."""
    made = Console(file=sys.stdout, highlight=False, markup=False)
    made.width = max(made.width, NARROWEST) if made.is_terminal else WIDTH
    return made


def transcript_of(path: Path) -> Path:
    """The transcript file of a run folder; a .jsonl file is its own."""
    if path.is_file():
        return path
    inside = path / "transcript.jsonl"
    if inside.is_file():
        return inside
    if not path.exists():
        raise ConfigError(
            f"{path}: there is no such folder or file. Give a run folder, for example "
            "runs/harvest_milk-seed0-..., or a .jsonl file of experiments/transcripts."
        )
    others = sorted(found.name for found in path.glob("*.jsonl"))
    hint = f" Give one of: {', '.join(others)}." if others else (
        " A run of mode pure_rl asks no model, and a run that has just begun has not asked yet."
    )  # fmt: skip
    raise ConfigError(f"{path} holds no transcript.jsonl.{hint}")


def load(path: Path) -> tuple[Path, list[Line]]:
    """The file and its lines."""
    file = transcript_of(path)
    with refusing(ValueError):  # not JSON, or JSON of something else
        lines = read_lines(file)
    if not lines:
        raise ConfigError(f"{file} holds no exchange yet.")
    return file, lines


def recording_of(run: Path) -> Path:
    """The transcript that a run replayed."""
    path = run / "config.json"
    if not path.is_file():
        raise ConfigError(
            f"{run} holds no config.json that would name its recording. Give what to compare "
            "with: python -m experiments.transcript diff RUN OTHER."
        )
    llm = read_json(path).get("config", {}).get("llm", {})
    if llm.get("provider") != "replay":
        raise ConfigError(
            f"{run} is no replay (llm.provider={llm.get('provider')}), so there is no recording "
            "of it. Give what to compare with: python -m experiments.transcript diff RUN OTHER."
        )
    return CHECKOUT / llm["transcript"]


def chosen(lines: Sequence[Line], key: str, agent: str) -> list[Line]:
    """Those whose key fits the pattern and that asked that agent; "" fits all.

    Raises:
      ConfigError: if there are none.
    """
    found = [line for line in lines if not agent or line["agent"] == agent]
    if not found:
        agents = sorted({line["agent"] for line in lines})
        raise ConfigError(f"--agent={agent}: nothing was asked of it. {suggest(agent, agents)}")
    fits = [line for line in found if not key or fnmatch.fnmatchcase(line["key"], key)]
    if not fits:
        keys = [line["key"] for line in found]
        raise ConfigError(
            f"--key={key}: no such key. {suggest(key, keys)} A * stands for any text, as in "
            "--key='iter0/*'."
        )
    return fits


def pictures(line: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Name and hash of every picture of a prompt, in order."""
    return [image for message in line["messages"] for image in message.get("images", ())]
