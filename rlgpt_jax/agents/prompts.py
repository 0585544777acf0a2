"""Prompt texts: files with named placeholders, checked once at start-up.

A placeholder is `{name}` in lower case; every other brace is text. The table below says
which placeholders each file has; a file that differs from it is refused when it is read,
so a slip in a prompt costs no model call.
"""

import re
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "prompts"
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")

# File name without ".txt" -> names that the agents fill.
PLACEHOLDERS: dict[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        # Sections that several prompts share.
        "world": "task success start_items biome horizon seconds",
        "policy": "ticks_per_iteration episodes",
        "policy_none": "",
        "sensors_paper": "",
        "sensors_full": "",
        "mode_rl_gpt": "",
        "mode_pure_code": "",
        # Slow agent.
        "slow": "world policy sensors mode api num_tries macro_ticks feedback",
        "slow_first": "",
        "slow_again": "iteration num_iterations history",
        # Fast agent.
        "fast": "world sensors api plan name kind kind_words instruction macro_ticks feedback",
        "kind_code": "",
        "kind_macro": "",
        "kind_pure_code_code": "",
        "fast_first": "",
        "fast_refused": "source refusal",
        "fast_revise": "source trial change",
        # Critics.
        "trial_critic": "world sensors api plan trials names macro_ticks",
        "critic": "world policy sensors mode plan fates report history names iteration "
        "num_iterations",
        # Added to any prompt whose answer could not be used.
        "answer_refused": "answer reason",
    }.items()
}


class Prompts:
    """The texts of one folder."""

    def __init__(self, texts: Mapping[str, str]):
        self._texts = dict(texts)

    def fill(self, name: str, /, **values: str) -> str:
        """The text of file `name` with every placeholder replaced."""
        if values.keys() != PLACEHOLDERS[name]:
            raise ValueError(
                f"prompt {name!r} takes {_list(PLACEHOLDERS[name])}; given: {_list(values)}."
            )
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self._texts[name])


def load(folder: Path = FOLDER) -> Prompts:
    """Reads and checks all prompt files.

    Raises:
      ValueError: one error that lists every missing file and wrong placeholder.
    """
    texts, wrong = {}, []
    for name, expected in PLACEHOLDERS.items():
        path = folder / f"{name}.txt"
        if not path.exists():
            wrong.append(f"{path.name} is missing")
            continue
        texts[name] = path.read_text(encoding="utf-8").strip()
        found = frozenset(_PLACEHOLDER.findall(texts[name]))
        if unknown := found - expected:
            wrong.append(f"{path.name} has {_list(unknown)}, which nobody fills")
        if absent := expected - found:
            wrong.append(f"{path.name} lacks {_list(absent)}")
    if wrong:
        raise ValueError(f"prompts in {folder}: {'; '.join(wrong)}. Edit these files.")
    return Prompts(texts)


def _list(names) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "no placeholders"
