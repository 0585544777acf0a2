"""Trusted skills: macros of ours that models' macros may call by name.

They are compiled into the programs that call them, like functions of a library on disk
(`compiler/imports.py`). One text serves readers, `--help` and prompts: the docstring.
"""

import ast
from functools import cache
from typing import NamedTuple

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros.skills.sources import FULL, PAPER
from rlgpt_jax.macros.vocabulary import of_world


class Described(NamedTuple):
    """A macro that others may call, as prompts tell of it."""

    signature: str  # name(obs, ...), with defaults
    doc: str  # one paragraph


# How each skill is called; a test compiles and runs every one.
EXAMPLES = {
    "look_level": "obs = yield from look_level(obs)",
    "face": "obs = yield from face(obs, 90)",
    "walk": "obs = yield from walk(obs, 20)",
    "walk_to": "obs = yield from walk_to(obs, obs.x + 5, obs.z)",
    "climb_out": "obs = yield from climb_out(obs)",
    "pillar_up": 'obs = yield from pillar_up(obs, "dirt", 2)',
    "place_ahead": 'obs = yield from place_ahead(obs, "crafting_table")',
    "craft_up_to": 'obs = yield from craft_up_to(obs, "planks", 4)',
    "collect": 'obs = yield from collect(obs, "log")',
    "scan_for": 'obs = yield from scan_for(obs, "log")',
    "aim_at": 'obs = yield from aim_at(obs, "cow")',
    "go_to": 'obs = yield from go_to(obs, "cow", 2.5)',
    "mine_ahead": "obs = yield from mine_ahead(obs)",
    "mine": 'obs = yield from mine(obs, "log")',
    "use_on": 'obs = yield from use_on(obs, "cow")',
}


def sources(sensors: str = "paper", spec: WorldSpec | None = None) -> dict[str, str]:
    """Texts of the skills of a sensor level, by name.

    Args:
      spec: of the world, whose skills are at a level if they, and those they call, read nothing
        that is not; None is Minecraft.

    Raises:
      ValueError: no such level.
    """
    sensed = of_world(sensors, spec).fields
    if spec is None:
        return PAPER | (FULL if sensors == "full" else {})
    skills = dict(spec.skills)
    lost = {f".{field.name}" for field in spec.fields if field.name not in sensed}
    while lost:
        lost = {name for name, text in skills.items() if read_in(text) & lost}
        skills = {name: text for name, text in skills.items() if name not in lost}
    return skills


def read_in(text: str) -> set[str]:
    """The names that a text reads, and its fields as `.field`."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)}


@cache
def documented(sensors: str = "paper", spec: WorldSpec | None = None) -> tuple[Described, ...]:
    """The skills of a sensor level as prompts tell of them."""
    return tuple(described(source, name) for name, source in sources(sensors, spec).items())


def described(source: str, name: str, doc: str = "") -> Described:
    """Signature and first paragraph of the docstring of a function in a text.

    Args:
      doc: stands for the docstring.
    """
    node = next(
        n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name
    )
    text = doc or ast.get_docstring(node) or ""
    return Described(f"{name}({ast.unparse(node.args)})", " ".join(text.split("\n\n")[0].split()))
