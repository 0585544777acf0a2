"""A macro with the texts of other macros that it calls, as one text that can be kept alone.

What is called is frozen as it was when the caller was accepted: what was tried is what runs, also
when the other is written anew or left out later. Sections after the macro's own text hold it:

    def fetch(obs):
        obs = yield from go(obs)
    # --- called above: go ---
    def go(obs):
        ...
"""

import ast
import re
from collections.abc import Mapping

from rlgpt_jax.macros.compiler.tree.modules import bound_names
from rlgpt_jax.macros.refusal import Refused

_MARK = re.compile(r"^# --- called above: (\w+) ---\n", re.M)


def split(text: str) -> tuple[str, dict[str, str]]:
    """The macro's own text, and by name what it calls and what that calls in turn."""
    own, *rest = _MARK.split(text)
    return own, dict(zip(rest[::2], rest[1::2], strict=True))


def without(text: str, known: Mapping[str, str]) -> str:
    """`text` less the sections that `known`, name -> text, holds as they are."""
    own, called = split(text)
    return own + "".join(
        _section(name, section)
        for name, section in called.items()
        if known.get(name, "").rstrip() != section.rstrip()
    )


def _section(name: str, text: str) -> str:
    return f"# --- called above: {name} ---\n{text.rstrip()}\n"


def link(tree: ast.Module, text: str, name: str, others: Mapping[str, str]) -> str:
    """`text` with all that it calls of `others`.

    Args:
      tree: of `text`, which is one macro without sections.
      name: of the macro.
      others: name -> linked text; "" for one that has no code that could be called.

    Raises:
      Refused: it calls one of those, or one that calls it, or two versions of one.
    """
    callable_ = others.keys() - bound_names(ast.walk(tree)) - {name}
    found: dict[str, tuple[str, str]] = {}  # name -> whose call brings it, its text
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id not in callable_:
            continue
        if not others[node.id]:
            raise Refused(
                node,
                f"{node.id} is a part of the plan without accepted code",
                "write this yourself; it can be called once its code was accepted",
            )
        own, called = split(others[node.id])
        if name in called:
            raise Refused(
                node,
                f"{node.id} calls an earlier version of {name}, so that {name} "
                f"cannot call {node.id}",
                "write one of the two without the other",
            )
        for other, section in {node.id: own, **called}.items():
            first, known = found.setdefault(other, (node.id, section))
            if known.rstrip() != section.rstrip():
                raise Refused(
                    node,
                    f"two versions of {other} would be called: what "
                    f"{first if node.id == other else node.id} calls is older or newer",
                    f"call {first} or {node.id}, not both",
                )
    end = "" if text.endswith("\n") or not found else "\n"
    return text + end + "".join(_section(key, section) for key, (_, section) in found.items())
