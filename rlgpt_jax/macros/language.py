"""The macro language: Python text in, a `Program` or a `Refusal` out.

The text is read with `ast.parse`, which only builds a tree; it is never run by Python.
What the compiler does not know is refused with the line, the reason and advice, so an
answer of a language model is either a program that cannot do anything but yield
actions, or words that go back to the model. See `docs/macros.md` for the language.
"""

import ast
import warnings

from rlgpt_jax.macros import bytecode as bc
from rlgpt_jax.macros.bytecode import Program
from rlgpt_jax.macros.compiler.program import compile_program
from rlgpt_jax.macros.refusal import Refusal, Refused
from rlgpt_jax.macros.sensors import SENSOR_LEVELS

OPEN, CLOSE = "([{", ")]}"
MAX_DEPTH = 100  # levels of the tree: terms of one sum, operators in front of each other
MAX_NODES = 40_000


def parse_macro(
    source: str, name: str | None = None, sensors: str = "paper"
) -> Program | Refusal:
    """Compiles a macro; never raises on any text.

    Args:
      source: Python text with one or more functions.
      name: the function to run; None takes the last one with a parameter `obs`.
      sensors: one of `SENSOR_LEVELS`; at `paper` there are no rays.
    """
    if sensors not in SENSOR_LEVELS:
        raise ValueError(f"sensors={sensors!r} is unknown; use one of {SENSOR_LEVELS}")
    lines = source.split("\n")
    try:
        check_text(source, lines)
        tree = read(source)
        check_tree(tree)
        return compile_program(tree, source, name, sensors)
    except Refused as refused:
        return refused.refusal(lines)
    except RecursionError:
        deep = Refused(None, "the source is nested too deeply", "write shorter expressions")
        return deep.refusal(lines)


class At:
    """A place in the source, for refusals that have no tree node."""

    def __init__(self, line: int, column: int):
        self.lineno, self.col_offset = line, column


def check_text(source: str, lines: list[str]) -> None:
    """Refuses texts that are too large or too nested before Python's parser sees them."""
    size = len(source.encode("utf-8", "replace"))
    if size > bc.MAX_SOURCE:
        raise Refused(None, f"the source has {size} bytes, {bc.MAX_SOURCE} are allowed",
                      "write a shorter macro")
    for number, line in enumerate(lines, 1):
        if any(ord(c) < 32 and c not in "\t\r\f" for c in line):
            raise Refused(At(number, 0), "a control character in the source", "remove it")
        if any(0xD800 <= ord(c) < 0xE000 for c in line):
            raise Refused(At(number, 0), "half a character in the source", "remove it")
        if len(line) - len(line.lstrip()) > 8 * bc.MAX_NESTING:
            raise Refused(At(number, 0), "the line is indented too deeply", "nest less")
    depth = 0
    for c in source:  # counts brackets in strings too: a string needs none
        depth += (c in OPEN) - (c in CLOSE)
        if depth > 2 * bc.MAX_NESTING:
            raise Refused(None, "brackets are nested too deeply", "use local variables")


def read(source: str) -> ast.Module:
    """Parses the text into a tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        place = At(error.lineno or 0, max((error.offset or 1) - 1, 0))
        raise Refused(place, f"not valid Python: {error.msg}",
                      "send one complete Python block") from None
    except (ValueError, MemoryError, OverflowError) as error:
        raise Refused(None, f"not valid Python: {str(error)[:100]}",
                      "send one complete Python block") from None


def check_tree(tree: ast.Module) -> None:
    """Refuses trees that are too deep or too large to walk."""
    todo: list[tuple[ast.AST, int, int]] = [(tree, 0, 0)]
    count = 0
    while todo:
        node, depth, blocks = todo.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_NODES:
            raise Refused(node, "the expression or the source is too long",
                          "use local variables and shorter expressions")
        if blocks > bc.MAX_NESTING:
            raise Refused(node, f"more than {bc.MAX_NESTING} blocks inside each other",
                          "use helpers, return or continue")
        inner = isinstance(node, ast.If | ast.For | ast.While | ast.FunctionDef)
        for child in ast.iter_child_nodes(node):
            is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and (
                node.orelse == [child]
            )
            todo.append((child, depth + 1, blocks + (inner and not is_elif)))
