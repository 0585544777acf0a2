"""Prompt texts: sections of a few files, with named placeholders, checked once at start-up.

A section is a line `[name]` and all that follows up to the next such line, without the blank
lines around it; in code it is "file.name". What stands before the first one is for readers. A
placeholder is `{name}` in lower case; every other brace is text. The table below says which
placeholders each section has; files that differ from it are refused when they are read, so a
slip in a prompt costs no model call.

Where a heading has a placeholder alone below it, and that is filled with nothing, the heading is
left out too.

`{advice_...}` is no placeholder of that kind: it is replaced by that section of advice.txt, or by
nothing in a run whose prompts tell rules and facts alone.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from rlgpt_jax import files

FOLDER = files.folder("prompts")
_SECTION = re.compile(r"^\[([a-z][a-z_]*)\]$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")
_HEADED = re.compile(r"^#+ .*\n\{([a-z][a-z_]*)\}(?:\n\n+|\Z)", re.MULTILINE)
_ADVICE = re.compile(r"(\s*)\{advice_([a-z_]+)\}")

_ADVICES = "example failed_code few_macros mining nearer reward_parts sizes split sub_tasks who_can"
# File name without ".txt" -> its sections -> the names that the agents fill.
_FILES: dict[str, dict[str, str]] = {
    # What several agents are told.
    "shared": {
        "world": "task success start_items biome horizon seconds",
        "policy": "ticks_per_iteration episodes sees memory turn shows",
        "no_policy": "",
        "documents": "sensors api",
        "sensors_paper": "",
        "sensors_full": "",
        "macro_limits": "macro_ticks",
        "mode_rl_gpt": "",
        "mode_pure_code": "",
        "mode_reward_design": "",
        "plan_limits": "max_sub_actions max_coded",
        "plan_limits_reward": "max_sub_actions",
        "refused": "answer reason",  # added to any prompt whose answer could not be used
    },
    "planner": {"prompt": "world facts final horizon macro_limits max_sub_tasks"},
    "slow": {
        "prompt": "flow world policy documents mode heuristics decompose example first again "
        "program",
        "flow_slow_fast_critic": "num_tries",
        "flow_slow_fast": "num_tries",
        "flow_reward": "",
        "heuristics": "",
        "heuristics_reward": "",
        "heuristics_pure_code": "",
        "decompose": "",
        "decompose_again": "",
        "example": "",
        "example_reward": "",
        "example_pure_code": "",
        "first": "",
        "again": "iteration num_iterations history keep",
        "keep": "",
        "program": "iteration code",
    },
    # One agent for everything; it shares the slow agent's sections.
    "one": {
        "prompt": "flow world policy documents mode heuristics decompose coding rl example first "
        "again program code tried answer",
        "flow": "num_tries",
        "flow_reward": "",
        "coding": "",
        "tried": "number num_tries plan code interface",
        "answer": "rl",
        "answer_rl": "",
        "answer_code": "",
        "answer_change": "",
    },
    "fast": {
        "prompt": "world sensors api plan others name kind kind_words instruction feedback",
        "kind_code": "",
        "kind_lead": "",
        "kind_macro": "",
        "kind_pure_code_code": "",
        "others": "code",
        "first": "",
        "again": "iteration source facts",
        "refused": "earlier source refusal",
        "revise": "earlier source trial change",
        "facts": "earlier source trial",
    },
    # The fast agent's RL interface.
    "rl_setup": {
        "prompt": "world policy plan fates form feedback",
        "form": "design limits example",
        "design_both": "",
        "design_reward": "",
        "design_action": "",
        "limits": "task observation observation_picture actions reward training",
        "task": "goal horizon start_items mobs quantities horizons",
        "observation": "parts",
        "observation_picture": "parts",
        "actions": "primitives macros turn turns",
        "reward": "given successes step_costs horizon distances max_targets items max_items "
        "explorations gamma far",
        "training": "ticks most update network stop",
        "stop": "episodes least",
        "example": "",
        "example_action": "",
        "first": "",
        "again": "iteration num_iterations history critic",
    },
    "trial_critic": {
        "prompt": "world sensors api mode plan trials pictures names",
        "pictures": "pictures",
    },
    "critic": {
        "prompt": "world policy sensors mode set_up programs plan fates interface report "
        "comparison history pictures names iteration num_iterations",
        "set_up": "limits",
        "programs": "",
        "pictures": "pictures",
    },
    # On how to split or solve a task, told within the texts above.
    "advice": {**dict.fromkeys(_ADVICES.split(), ""), "learning": "shows"},
}
# "file.section" -> names that the agents fill.
PLACEHOLDERS: dict[str, frozenset[str]] = {
    f"{file}.{section}": frozenset(fields.split())
    for file, sections in _FILES.items()
    for section, fields in sections.items()
}


class Prompts:
    """The texts of one folder."""

    def __init__(self, texts: Mapping[str, str]):
        self._texts = dict(texts)

    def fill(self, name: str, /, **values: str) -> str:
        """The section `name` with every placeholder replaced, without headings of nothing."""
        if values.keys() != PLACEHOLDERS[name]:
            raise ValueError(
                f"prompt {name!r} takes {_list(PLACEHOLDERS[name])}; given: {_list(values)}."
            )
        text = _HEADED.sub(lambda match: match[0] if values[match[1]] else "", self._texts[name])
        return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def load(folder: Path = FOLDER, advice: bool = True) -> Prompts:
    """Reads and checks all prompt files.

    Args:
      advice: whether the texts hold those of advice.txt.

    Raises:
      ValueError: one error that lists every missing, unknown or repeated section and every wrong
        placeholder.
    """
    texts, wrong = _read(folder)
    for name in [name for name in PLACEHOLDERS if name in texts]:
        where = "{}.txt [{}]".format(*name.split("."))
        found = frozenset(_PLACEHOLDER.findall(_told(texts, name)))
        if unknown := found - PLACEHOLDERS[name]:
            wrong.append(f"{where} has {_list(unknown)}, which nobody fills")
        if absent := PLACEHOLDERS[name] - found:
            wrong.append(f"{where} lacks {_list(absent)}")
    if wrong:
        raise ValueError(f"prompts in {folder}: {'; '.join(wrong)}. Edit these files.")
    return Prompts({name: _told(texts, name, advice) for name in texts})


def _read(folder: Path) -> tuple[dict[str, str], list[str]]:
    """The sections of all files, and what is wrong with which there are."""
    texts: dict[str, str] = {}
    wrong: list[str] = []
    for file, sections in _FILES.items():
        path = folder / f"{file}.txt"
        if not path.exists():
            wrong.append(f"{path.name} is missing")
            continue
        try:
            _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            wrong.append(f"{path.name} is not UTF-8 text")
            continue
        names = parts[::2]
        wrong += [f"{path.name} has [{n}], which nobody asks for" for n in names
                  if n not in sections]  # fmt: skip
        wrong += [f"{path.name} has [{n}] twice" for n in sections if names.count(n) > 1]
        wrong += [f"{path.name} lacks [{n}]" for n in sections if n not in names]
        texts |= {f"{file}.{n}": text.strip() for n, text in zip(names, parts[1::2], strict=True)}
    return texts, wrong


def _told(texts: Mapping[str, str], name: str, advice: bool = True) -> str:
    """A text with its advice, or without and without the space before it."""

    def put(match: re.Match[str]) -> str:
        told = texts.get(f"advice.{match[2]}")
        return (match[0] if told is None else match[1] + told) if advice else ""

    return _ADVICE.sub(put, texts[name]).strip()


def _list(names) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "no placeholders"
