"""The part of an iteration about how the fast agent set up its training, in words."""

import json
from typing import Any

from experiments.config_tree import from_dict
from experiments.report import html
from experiments.report.html import tag, text
from experiments.values import ConfigError
from rlgpt_jax.agents import rl_setup
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.interface import RLInterface

WORDS = ("reasoning", "note")  # fields of the interface that hold words of an agent


def interface_of(saved: dict[str, Any] | None, spec: WorldSpec | None = None) -> str:
    """What it sets, a line each; "" where nobody was asked."""
    if not saved:
        return ""
    inner = tag("h3", "Set-up of the training", class_="later")
    inner += html.notes(saved, ("note", "", "warn"))
    lines = [line.lstrip("- ") for line in described(saved, spec).splitlines() if line.strip()]
    if len(lines) == 1:
        inner += tag("p", text(lines[0]))
    else:
        inner += tag("ul", "".join(tag("li", text(line)) for line in lines), class_="plain")
    return inner + html.reasons(saved, "Reasons of the fast agent")


def described(saved: dict[str, Any], spec: WorldSpec | None = None) -> str:
    """The words that the agents read; the bare fields of another version's interface."""
    try:
        return rl_setup.describe(from_dict(RLInterface, saved), spec)
    except (ConfigError, TypeError, ValueError, KeyError):
        fields = {k: v for k, v in saved.items() if k not in WORDS and v not in (None, [], {})}
        return "\n".join(f"{name}: {json.dumps(value)}" for name, value in fields.items())
