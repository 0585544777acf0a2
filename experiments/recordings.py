"""Whether a replay can begin: a recording that is there, long enough, and of this task."""

import re
from collections.abc import Collection

from experiments.configs import base
from experiments.values import ConfigError, refusing
from rlgpt_jax import files
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.envs.spec import SpecTask
from rlgpt_jax.envs.tasks.tasks import TASKS, Task

FOLDER = "experiments/transcripts"
WITHOUT = "--config.loop.mode=pure_rl"
OTHERS = (
    "Let a model answer: --config.llm.provider=anthropic, openai or compatible with "
    "--config.llm.model=NAME; answer by hand or by a program: --config.llm.provider=file; or "
    f"leave the models out: {WITHOUT}."
)


def check_transcript(config: base.Config) -> None:
    """Refuses a replay whose recording is missing, of another goal, or shorter than the run."""
    if config.llm.provider != "replay" or not config.loop.asks:
        return
    if lacks_answers(config):
        raise ConfigError(
            f"--config.llm.transcript={config.llm.transcript}: there is no such file, so there "
            f"are no recorded answers to replay. {OTHERS} Recorded: {', '.join(shipped())}."
        )
    exchanges = _read(config)
    _check_goal(config, next(iter(exchanges.values()), None))
    wanted, recorded = config.loop.num_iterations, _num_recorded(config, exchanges)
    if config.loop.planner:  # how many sub-tasks there are is the planner's word
        if not recorded:
            raise ConfigError(
                f"{config.llm.transcript} was recorded without a planner, the run asks one "
                "(loop.planner=true). Leave it out, or record with --config.llm.provider=file."
            )
    elif recorded < wanted and not config.loop.stop_when_solved:
        fewer = f"Set --config.loop.num_iterations={recorded}, or record more"
        raise ConfigError(
            f"{config.llm.transcript} holds {recorded} iterations of this mode, the run asks "
            f"for {wanted}. {fewer if recorded else 'Record them'} with --config.llm.provider=file."
        )


def num_recorded(config: base.Config) -> int:
    """Iterations of the run's mode that its recording holds; with a planner, whether it has that.

    Raises:
      ConfigError: it is no transcript.
    """
    if lacks_answers(config):
        return 0
    return _num_recorded(config, _read(config))


def _num_recorded(config: base.Config, exchanges: Collection[str]) -> int:
    prefix = config.loop.key_prefix
    if config.loop.planner:
        return int(f"{prefix}planner" in exchanges)
    begun = [f"{prefix}iter{i}/" for i in range(config.loop.num_iterations)]  # by any agent
    return sum(any(key.startswith(first) for key in exchanges) for first in begun)


def _read(config: base.Config) -> dict[str, dict]:
    """The exchanges of a recording by their keys."""
    words = f"--config.llm.transcript={config.llm.transcript} is no transcript: "
    with refusing(OSError, ValueError, RecursionError, first=words):
        lines = read_lines(files.CHECKOUT / config.llm.transcript)
        return {exchange["key"]: exchange for exchange in lines}


def lacks_answers(config: base.Config) -> bool:
    """Whether agents are to be replayed of whom nothing was recorded."""
    path = files.CHECKOUT / config.llm.transcript
    return config.llm.provider == "replay" and config.loop.asks and not path.is_file()


def shipped() -> list[str]:
    """Names of the recordings that come with the project."""
    found = sorted(path.stem for path in (files.CHECKOUT / FOLDER).glob("*.jsonl"))
    return found or ["none"]


def _check_goal(config: base.Config, exchange: dict | None) -> None:
    """Refuses a recording of another task; with a spec, one whose prompts lack the task's words."""
    asked = config.task_record
    words = ""
    if isinstance(asked, SpecTask):
        if exchange is not None and asked.words[1:] not in _text(exchange):
            words = f"another task than {asked.name}"
    elif (other := task_of(exchange)) and _goal(other) != _goal(asked):
        words = f"the task {other.name}, the run asks for {asked.name}"
    if words:
        raise ConfigError(
            f"{config.llm.transcript} was recorded for {words}: its plans and macros would not "
            "fit. Record one with --config.llm.provider=file, or leave the models out with "
            f"{WITHOUT}."
        )


def _text(exchange: dict) -> str:
    return "\n".join(message["text"] for message in exchange.get("messages", ()))


def _goal(task: Task) -> tuple[str, bool]:
    """What decides whether plans fit: with another quantity, start or limit they may."""
    return task.goal_item, task.nearby


def task_of(exchange: dict | None) -> Task | None:
    """The task that a recorded prompt is about; None if it does not say.

    A row of the table is known by its words, any other by how its success is described.
    """
    if exchange is None:
        return None
    text = _text(exchange)
    for task in TASKS.values():
        if task.words[1:] in text:
            return task
    held = re.search(r"^Success: the inventory holds (\d+) more (\w+) than", text, re.MULTILINE)
    placed = re.search(r"^Success: a (\w+) that you have placed", text, re.MULTILINE)
    if held:
        return Task(f"({held[1]} {held[2]})", "", held[2], int(held[1]))
    return Task(f"({placed[1]} placed)", "", placed[1], nearby=True) if placed else None
