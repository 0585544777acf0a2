"""Prompt texts: files with named placeholders, checked once at start-up.

A placeholder is `{name}` in lower case; every other brace is text. The table below says
which placeholders each file has; a file that differs from it is refused when it is read,
so a slip in a prompt costs no model call.

`{advice_...}` is no placeholder of that kind: it is replaced by the file of that name, or by
nothing in a run whose prompts tell rules and facts alone.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from rlgpt_jax import files

FOLDER = files.folder("prompts")
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")
_ADVICE = re.compile(r"(\s*)\{(advice_[a-z_]+)\}")

# File name without ".txt" -> names that the agents fill.
PLACEHOLDERS: dict[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        # Sections that several prompts share.
        "world": "task success start_items biome horizon seconds",
        "policy": "ticks_per_iteration episodes sees memory turn shows",
        "policy_none": "",
        "macro_limits": "macro_ticks",
        "plan_limits": "max_sub_actions max_coded",
        "plan_limits_reward": "max_sub_actions",
        "sensors_paper": "",
        "sensors_full": "",
        "mode_rl_gpt": "",
        "mode_pure_code": "",
        "mode_reward_design": "",
        # Planner.
        "planner": "world facts final horizon macro_limits max_sub_tasks",
        # Slow agent.
        "slow": "flow world policy documents mode heuristics decompose example feedback",
        "flow_slow_fast_critic": "num_tries",
        "flow_slow_fast": "num_tries",
        "flow_one": "num_tries",
        "flow_reward": "",
        "flow_one_reward": "",
        "slow_documents": "sensors api",
        "slow_heuristics": "",
        "slow_heuristics_reward": "",
        "slow_heuristics_pure_code": "",
        "slow_decompose": "",
        "slow_decompose_again": "",
        "slow_example": "",
        "slow_example_reward": "",
        "slow_example_pure_code": "",
        "slow_first": "",
        "slow_again": "iteration num_iterations history keep",
        "slow_keep": "",
        "slow_program": "iteration code",
        # One agent for everything; it shares the slow agent's sections.
        "one": "flow world policy documents mode heuristics decompose coding rl example feedback "
        "answer",
        "one_coding": "",
        "one_rl_field": "",
        "one_answer": "rl",
        "one_answer_code": "",
        "one_answer_change": "",
        "one_code": "code",
        "one_tried": "number num_tries plan code interface",
        # Fast agent.
        "fast": "world sensors api plan others name kind kind_words instruction feedback",
        "kind_code": "",
        "kind_lead": "",
        "kind_macro": "",
        "kind_pure_code_code": "",
        "fast_others": "code",
        "fast_first": "",
        "fast_again": "iteration source facts",
        "fast_refused": "earlier source refusal",
        "fast_revise": "earlier source trial change",
        "fast_facts": "earlier source trial",
        # Fast agent: the RL interface.
        "rl_setup": "world policy plan fates form feedback",
        "rl_setup_form": "design limits example",
        "rl_setup_limits": "parts",
        "rl_setup_design_both": "",
        "rl_setup_design_reward": "",
        "rl_setup_design_action": "",
        "rl_setup_task": "goal horizon start_items mobs quantities horizons",
        "rl_setup_observation": "parts",
        "rl_setup_observation_picture": "parts",
        "rl_setup_actions": "primitives macros turn turns",
        "rl_setup_reward": "given successes step_costs horizon distances max_targets items "
        "max_items explorations gamma far",
        "rl_setup_training": "ticks most update network",
        "rl_setup_stop": "episodes least",
        "rl_setup_example": "",
        "rl_setup_example_action": "",
        "rl_setup_first": "",
        "rl_setup_again": "iteration num_iterations history critic",
        # Critics.
        "trial_critic": "world sensors api mode plan trials pictures names",
        "trial_pictures": "pictures",
        "critic": "world policy sensors mode rl plan fates interface report comparison history "
        "pictures names iteration num_iterations",
        "critic_rl": "limits",
        "critic_pure_code": "",
        "critic_pictures": "pictures",
        # Advice on how to split or solve a task, told within the files above.
        **dict.fromkeys(
            ("advice_split", "advice_few_macros", "advice_reward_parts", "advice_failed_code",
             "advice_example", "advice_who_can", "advice_sizes", "advice_nearer", "advice_mining",
             "advice_sub_tasks"),
            "",
        ),
        "advice_learning": "shows",
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


def load(folder: Path = FOLDER, advice: bool = True) -> Prompts:
    """Reads and checks all prompt files.

    Args:
      advice: whether the texts hold the files `advice_*`.

    Raises:
      ValueError: one error that lists every missing file and wrong placeholder.
    """
    texts, wrong = {}, []
    for name in PLACEHOLDERS:
        path = folder / f"{name}.txt"
        if not path.exists():
            wrong.append(f"{path.name} is missing")
            continue
        texts[name] = path.read_text(encoding="utf-8").strip()
    for name in texts:
        expected = PLACEHOLDERS[name]
        found = frozenset(_PLACEHOLDER.findall(_told(texts, name)))
        if unknown := found - expected:
            wrong.append(f"{name}.txt has {_list(unknown)}, which nobody fills")
        if absent := expected - found:
            wrong.append(f"{name}.txt lacks {_list(absent)}")
    if wrong:
        raise ValueError(f"prompts in {folder}: {'; '.join(wrong)}. Edit these files.")
    return Prompts({name: _told(texts, name, advice) for name in texts})


def _told(texts: Mapping[str, str], name: str, advice: bool = True) -> str:
    """A text with its advice, or without and without the space before it."""

    def put(match: re.Match[str]) -> str:
        known = match[2] in texts
        return (match[1] + texts[match[2]] if known else match[0]) if advice else ""

    return _ADVICE.sub(put, texts[name])


def _list(names) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names)) or "no placeholders"
