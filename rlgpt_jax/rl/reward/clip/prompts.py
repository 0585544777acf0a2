"""The sentences of the CLIP reward: one that is rewarded, and others that it must stand out of."""

import dataclasses
import json
from pathlib import Path

from rlgpt_jax import files
from rlgpt_jax.rl.reward.clip.config import MineClipConfig
from rlgpt_jax.rl.reward.clip.faults import MineClipError

SHIPPED = files.folder("prompts") / "mineclip.json"


class PromptsError(MineClipError):
    """A file of sentences that cannot be used: what it is and what is needed."""


@dataclasses.dataclass(frozen=True)
class Prompts:
    """What `prompts/mineclip.json` holds."""

    tasks: dict[str, str]  # name of a task -> its sentence
    negatives: tuple[str, ...]


def load(path: Path = SHIPPED) -> Prompts:
    """Reads and checks the file.

    Raises:
      PromptsError: there is none, or it is not of this form.
    """
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        raise PromptsError(f"{path} cannot be read ({error}).") from error
    except ValueError as error:
        raise PromptsError(f"{path} is not JSON ({error}).") from error
    if not isinstance(data, dict) or set(data) != {"tasks", "negatives"}:
        raise PromptsError(f'{path} must be an object with "tasks" and "negatives" alone.')
    tasks, negatives = data["tasks"], data["negatives"]
    if not isinstance(tasks, dict) or not isinstance(negatives, list):
        raise PromptsError(f'{path}: "tasks" must be an object, "negatives" a list of sentences.')
    for sentence in [*tasks.values(), *negatives]:
        if not isinstance(sentence, str) or not sentence.strip() or sentence != sentence.strip():
            raise PromptsError(f"{path}: {sentence!r} is not a sentence without space around it.")
    _check_negatives(negatives, path)
    return Prompts(dict(tasks), tuple(negatives))


def _check_negatives(negatives: list[str], path: Path) -> None:
    if not negatives or len(set(negatives)) < len(negatives):
        raise PromptsError(f"{path} must hold at least one negative, and each of them once.")


def read_negatives(path: Path) -> tuple[str, ...]:
    """One sentence a line; empty lines are none.

    Raises:
      PromptsError: there is no such file, or it holds none, or one twice.
    """
    try:
        lines = [line.strip() for line in path.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise PromptsError(f"{path} cannot be read ({error}).") from error
    _check_negatives(lines, path)
    return tuple(lines)


def sentences(config: MineClipConfig, task: str, words: str) -> tuple[str, ...]:
    """The rewarded sentence, then the negatives without it.

    Args:
      task: name of the task, to find its sentence by.
      words: of the task, for one that has no sentence of its own.

    Raises:
      PromptsError: a file cannot be used, or no negative is left.
    """
    prompts = load(Path(config.prompts) if config.prompts else SHIPPED)
    negatives = prompts.negatives
    if config.negatives:
        negatives = read_negatives(Path(config.negatives))
    prompt = config.prompt or prompts.tasks.get(task) or words
    others = tuple(sentence for sentence in negatives if sentence != prompt)
    if not others:
        raise PromptsError(f'the only negative is the rewarded sentence "{prompt}". Add others.')
    return prompt, *others
