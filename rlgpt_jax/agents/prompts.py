"""Prompt texts: sections of a few files, with named placeholders, checked once at start-up.

A section is a line `[name]` and all that follows up to the next such line, without the blank
lines around it; in code it is "file.name". What stands before the first one is for readers. A
placeholder is `{name}` in lower case; every other brace is text. The table below says which
placeholders each section has; files that differ from it are refused when they are read, so a
slip in a prompt costs no model call. Worlds that are not Minecraft have other texts for some
sections: those of spec.txt, under their full names.

Where a heading has a placeholder alone below it, and that is filled with nothing, the heading is
left out too.

`{advice_...}` is no placeholder of that kind: it is replaced by that section of advice.txt, or by
nothing in a run whose prompts tell rules and facts alone.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from rlgpt_jax import files

FOLDER = files.folder("prompts")
_SECTION = re.compile(r"^\[([a-z][a-z_.]*)\]$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")
_HEADED = re.compile(r"^#+ .*\n\{([a-z][a-z_]*)\}(?:\n\n+|\Z)", re.MULTILINE)
_ADVICE = re.compile(r"(\s*)\{advice_([a-z_]+)\}")

_ADVICES = "example failed_code few_macros mining nearer reward_parts sizes split sub_tasks who_can"


def _plain(names: str) -> dict[str, str]:
    """Sections that nothing is filled in."""
    return dict.fromkeys(names.split(), "")


# File name without ".txt" -> its sections -> the names that the agents fill.
_FILES: dict[str, dict[str, str]] = {
    # What several agents are told. `refused` is added to any prompt whose answer could not be used.
    "shared": _plain(
        "place no_policy sensors_paper sensors_full mode_rl_gpt mode_pure_code mode_reward_design"
    )
    | {
        "world": "task success start_items biome horizon seconds",
        "policy": "ticks_per_iteration episodes sees memory turn shows",
        "documents": "sensors api",
        "macro_limits": "macro_ticks",
        "plan_limits": "max_sub_actions max_coded",
        "plan_limits_reward": "max_sub_actions",
        "refused": "answer reason",
    },
    "planner": {"prompt": "world facts final horizon macro_limits max_sub_tasks"},
    "slow": _plain(
        "flow_reward heuristics heuristics_reward heuristics_pure_code decompose decompose_again "
        "example_task example example_reward example_pure_code first keep"
    )
    | {
        "prompt": "place flow world policy documents mode heuristics decompose example_task "
        "example first again program",
        "flow_slow_fast_critic": "num_tries",
        "flow_slow_fast": "num_tries",
        "again": "iteration num_iterations history keep",
        "program": "iteration code",
    },
    # One agent for everything; it shares the slow agent's sections.
    "one": _plain("flow_reward coding answer_rl answer_code answer_change")
    | {
        "prompt": "place flow world policy documents mode heuristics decompose coding rl "
        "example_task example first again program code tried answer",
        "flow": "num_tries",
        "tried": "number num_tries plan code interface",
        "answer": "rl",
    },
    "fast": _plain("coding example kind_code kind_lead kind_macro kind_pure_code_code first")
    | {
        "prompt": "place world sensors api coding example plan others name kind kind_words "
        "instruction feedback",
        "others": "code",
        "again": "iteration source facts",
        "refused": "earlier source refusal",
        "revise": "earlier source trial change",
        "facts": "earlier source trial",
    },
    # The fast agent's RL interface.
    "rl_setup": _plain(
        "design_both design_reward design_action example_task example example_action first"
    )
    | {
        "prompt": "place world policy plan fates form feedback",
        "form": "design limits example_task example",
        "limits": "task observation observation_picture actions reward training",
        "task": "goal horizon start_items mobs quantities horizons",
        "observation": "parts",
        "observation_picture": "parts",
        "actions": "primitives macros turn turns",
        "reward": "given successes step_costs horizon distances max_targets items max_items "
        "explorations gamma far",
        "training": "ticks most update network stop",
        "stop": "episodes least",
        "again": "iteration num_iterations history critic",
    },
    "trial_critic": _plain("made judge")
    | {
        "prompt": "place world sensors api mode plan trials pictures made judge names",
        "pictures": "pictures",
    },
    "critic": _plain("programs")
    | {
        "prompt": "place world policy sensors mode set_up programs plan fates interface report "
        "comparison history pictures names iteration num_iterations",
        "set_up": "limits",
        "pictures": "pictures",
    },
    # On how to split or solve a task, told within the texts above.
    "advice": _plain(_ADVICES) | {"learning": "shows"},
}
# The sections of spec.txt that others are filled in.
_SPEC = {
    "shared.world": "task horizon seconds notes",
    "shared.policy": "ticks_per_iteration episodes paid sees memory acts at_first",
    "shared.sensors_paper": "more",
    "shared.sensors_full": "more",
    "rl_setup.task": "horizon horizons",
    "rl_setup.actions": "primitives left_out macros",
    "rl_setup.reward": "given successes step_costs horizon environments progresses max_items "
    "fields gamma far",
    "advice.learning": "",
}
# "file.section" -> names that the agents fill, in Minecraft and in other worlds.
PLACEHOLDERS: dict[str, frozenset[str]] = {
    f"{file}.{section}": frozenset(fields.split())
    for file, sections in _FILES.items()
    for section, fields in sections.items()
}
SPEC_PLACEHOLDERS = PLACEHOLDERS | {name: frozenset(x.split()) for name, x in _SPEC.items()}


class Prompts:
    """The texts of one folder, for Minecraft or for worlds with a spec."""

    def __init__(
        self, texts: Mapping[str, str], placeholders: Mapping[str, frozenset[str]] = PLACEHOLDERS
    ):
        self._texts, self._placeholders = dict(texts), placeholders

    def fill(self, name: str, /, **values: str) -> str:
        """The section `name` with every placeholder replaced, without headings of nothing."""
        if values.keys() != self._placeholders[name]:
            raise ValueError(
                f"prompt {name!r} takes {_list(self._placeholders[name])}; given: {_list(values)}."
            )
        text = _HEADED.sub(lambda match: match[0] if values[match[1]] else "", self._texts[name])
        return _PLACEHOLDER.sub(lambda match: values[match[1]], text)

    def fill_from(self, name: str, many: Mapping[str, str], /, **values: str) -> str:
        """The same, with those of many other values that the section has placeholders for."""
        names = many.keys() & self._placeholders[name]
        return self.fill(name, **{key: many[key] for key in names}, **values)


def load(folder: Path = FOLDER, advice: bool = True, spec: bool = False) -> Prompts:
    """Reads and checks all prompt files.

    Args:
      advice: whether the texts hold those of advice.txt.
      spec: whether they are for a world that is not Minecraft.

    Raises:
      ValueError: one error that lists every missing, unknown or repeated section and every wrong
        placeholder.
    """
    wrong: list[str] = []
    texts = {
        f"{file}.{section}": text
        for file, sections in _FILES.items()
        for section, text in _read(folder / f"{file}.txt", sections, wrong).items()
    }
    own = _read(folder / "spec.txt", PLACEHOLDERS, wrong, whole=False)
    wrong += [f"spec.txt lacks [{name}]" for name in _SPEC if name not in own]
    for name in [name for name in PLACEHOLDERS if name in texts]:
        _check(
            "{}.txt [{}]".format(*name.split(".")), _told(texts, name), PLACEHOLDERS[name], wrong
        )
    for name in own:
        text = _told(texts | own, name)
        _check(f"spec.txt [{name}]", text, SPEC_PLACEHOLDERS[name], wrong)
    if wrong:
        raise ValueError(f"prompts in {folder}: {'; '.join(wrong)}. Edit these files.")
    told = texts | own if spec else texts
    placeholders = SPEC_PLACEHOLDERS if spec else PLACEHOLDERS
    return Prompts({name: _told(told, name, advice) for name in told}, placeholders)


def _check(where: str, text: str, placeholders: frozenset[str], wrong: list[str]) -> None:
    """Adds to `wrong` the placeholders of a section that are not what they must be."""
    found = frozenset(_PLACEHOLDER.findall(text))
    if unknown := found - placeholders:
        wrong.append(f"{where} has {_list(unknown)}, which nobody fills")
    if absent := placeholders - found:
        wrong.append(f"{where} lacks {_list(absent)}")


def _read(
    path: Path, sections: Collection[str], wrong: list[str], whole: bool = True
) -> dict[str, str]:
    """The sections of a file; adds to `wrong` what is wrong with which there are.

    Args:
      whole: whether it must have all of `sections`.
    """
    if not path.exists():
        wrong.append(f"{path.name} is missing")
        return {}
    try:
        _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        wrong.append(f"{path.name} is not UTF-8 text")
        return {}
    names = parts[::2]
    wrong += [f"{path.name} has [{n}], which nobody asks for" for n in names if n not in sections]
    wrong += [f"{path.name} has [{n}] twice" for n in sections if names.count(n) > 1]
    wrong += [f"{path.name} lacks [{n}]" for n in sections if whole and n not in names]
    found = zip(names, parts[1::2], strict=True)
    return {name: text.strip() for name, text in found if name in sections}


def _told(texts: Mapping[str, str], name: str, advice: bool = True) -> str:
    """A text with its advice, or without and without the space before it."""

    def put(match: re.Match[str]) -> str:
        told = texts.get(f"advice.{match[2]}")
        return (match[0] if told is None else match[1] + told) if advice else ""

    return _ADVICE.sub(put, texts[name]).strip()


def _list(names) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "no placeholders"
