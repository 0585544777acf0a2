"""The macro language: Python text in, a `Program` or a `Refusal` out.

The text is read with `ast.parse`, which only builds a tree; it is never run by Python.
What the compiler does not know is refused with the line, the reason and advice, so an
answer of a language model is either a program that cannot do anything but yield
actions, or words that go back to the model. See `docs/macros.md` for the language.
"""

import ast
import dataclasses
import re
import traceback
import types
import warnings
from collections.abc import Mapping

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.macros import linked
from rlgpt_jax.macros.compiler import imports, work
from rlgpt_jax.macros.compiler.program import compile_program, routines
from rlgpt_jax.macros.refusal import Refusal, Refused
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.bytecode import Program
from rlgpt_jax.macros.vocabulary import of_world

NOTHING: Mapping[str, str] = types.MappingProxyType({})  # a library without functions
OPEN, BRACKET = "([{", re.compile(r"[()\[\]{}]")
LINE_ENDS = re.compile(r"\r\n|\r|\n")  # what Python's parser takes as one
TOKEN = re.compile(r"\w+|[^\w\s]|\n[ \t]*")
# Characters that show nothing, or show the text in another order than it is read in.
UNSEEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Python sorts marks that follow each other by comparing all pairs.
FOREIGN = re.compile(rf"[^\x00-\x7f]{{{bc.MAX_FOREIGN + 1},}}")
DEEP_LINE = re.compile(rf"^[ \t\f]{{{8 * bc.MAX_NESTING + 1},}}", re.M)


def parse_macro(
    source: str,
    name: str | None = None,
    sensors: str = "paper",
    library: Mapping[str, str] = NOTHING,
    spec: WorldSpec | None = None,
) -> Program | Refusal:
    """Compiles a macro; never raises on any text.

    Args:
      source: Python text with one or more functions, and with what it calls if it was linked
        (`linked.py`).
      name: the function to run; None takes the last one with a parameter `obs`.
      sensors: one of `SENSOR_LEVELS`; at `paper` there are no rays.
      library: texts of functions that the macro may call, by the function's name.
      spec: of the world that the macro is for; None is Minecraft.
    """
    of_world(sensors, spec)  # a mistake in these is not the macro's
    try:
        return parse_or_raise(source, name, sensors, library, spec)
    except Exception as error:  # an answer never ends a run
        fault = Refused(
            None,
            "the compiler failed on this code, which is a fault of ours and not "
            f"of the code: {type(error).__name__}: {error}",
            "write it in another, plainer way",
        )
        return dataclasses.replace(fault.refusal([]), fault=traceback.format_exc(limit=-20))


def parse_or_raise(
    source: str,
    name: str | None,
    sensors: str,
    library: Mapping[str, str] = NOTHING,
    spec: WorldSpec | None = None,
) -> Program | Refusal:
    """As `parse_macro`, but faults of the compiler are raised, for those who look for them."""
    source, called = linked.split(source)
    lines = LINE_ENDS.split(source)
    routines()  # made once: no part of the work
    work.begin()
    vocabulary = of_world(sensors, spec)

    def read(text: str) -> ast.Module:
        tree = checked_tree(text)
        tree.__dict__["trusted"] = vocabulary.is_trusted(text)  # may use hidden actions
        return tree

    try:
        tree = read(source)
        trees = imports.needed(tree, called, library, read)
        return compile_program(tree, source, name, vocabulary, trees)
    except Refused as refused:
        return imports.blame(vocabulary.reworded(refused)).refusal(lines)
    except RecursionError:
        deep = Refused(None, "the source is nested too deeply", "write shorter expressions")
        return deep.refusal(lines)


def link_macro(source: str, name: str, others: Mapping[str, str]) -> str | Refusal:
    """The text of a macro with what it calls of `others` (`linked.link`); never raises.

    A text that cannot be read comes back as it is: `parse_macro` has the words for it. Sections
    that the author has written are left out.
    """
    own, _ = linked.split(source)
    work.begin()
    try:
        tree = checked_tree(own)
    except Exception:
        return own
    try:
        return linked.link(tree, own, name, others)
    except Refused as refused:
        return refused.refusal(LINE_ENDS.split(own))
    except Exception:  # a fault of ours, for which `parse_macro` has the words
        return own


def checked_tree(source: str) -> ast.Module:
    """Parses a text whose size and nesting are safe. Raises `Refused`."""
    check_text(source)
    tree = read(source)
    check_tree(tree)
    return tree


def at(line: int, column: int) -> types.SimpleNamespace:
    """A place in the source, for refusals that have no tree node."""
    return types.SimpleNamespace(lineno=line, col_offset=column)


def check_text(source: str) -> None:
    """Refuses texts that are too large or too nested before Python's parser sees them.

    The parser takes up to 1.5 microseconds and 600 bytes for a word or a sign.
    """
    size = len(source.encode("utf-8", "replace"))
    if size > bc.MAX_SOURCE:
        raise Refused(
            None,
            f"the source has {size} bytes, {bc.MAX_SOURCE} are allowed",
            "write a shorter macro",
        )
    refuse_match(UNSEEN, source, "a character that cannot be seen", "remove it")
    refuse_match(
        FOREIGN,
        source,
        f"more than {bc.MAX_FOREIGN} characters that are not ASCII in one piece",
        "write names and comments in plain letters",
    )
    refuse_match(DEEP_LINE, source, "the line is indented too deeply", "nest less")
    tokens = sum(1 for _ in TOKEN.finditer(source))
    if tokens > bc.MAX_TOKENS:
        raise Refused(
            None,
            f"the source has {tokens} words and signs, {bc.MAX_TOKENS} are allowed",
            "write a shorter macro, and tables with a loop",
        )
    work.charge(3 * tokens)  # what the parser takes, and `check_tree`
    depth = 0
    for c in BRACKET.findall(source):  # also those in strings, which need none
        depth = depth + 1 if c in OPEN else max(depth - 1, 0)
        if depth > 2 * bc.MAX_NESTING:
            raise Refused(None, "brackets are nested too deeply", "use local variables")


def refuse_match(pattern: re.Pattern[str], source: str, reason: str, advice: str) -> None:
    """Refuses a text in which a pattern is found, with the place of the first match."""
    found = pattern.search(source)
    if found:
        before = LINE_ENDS.split(source[: found.start()])
        raise Refused(at(len(before), len(before[-1])), reason, advice)


def read(source: str) -> ast.Module:
    """Parses the text into a tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        place = at(error.lineno or 0, max((error.offset or 1) - 1, 0))
        reason = str(error.msg)
        if reason.startswith("Exceeds the limit"):
            raise Refused(place, "the number is too long", "numbers are float32") from None
        raise Refused(place, f"not valid Python: {reason}", advice_for(reason)) from None
    except (ValueError, MemoryError, OverflowError) as error:
        raise Refused(
            None, f"not valid Python: {str(error)[:100]}", "send one complete Python block"
        ) from None


def advice_for(message: str) -> str:
    """Returns advice for a message of Python's parser."""
    found = (advice for part, advice in SYNTAX_ADVICE.items() if part in message)
    return next(found, "send one complete Python block, and nothing else in it")


SYNTAX_ADVICE = {
    "expected an indented block": "indent the lines below by four spaces; an empty body is `pass`",
    "indent": "indent every level by four spaces, without tabs",
    "tabs": "indent every level by four spaces, without tabs",
    "was never closed": "close every bracket; the answer may have been cut off",
    "unmatched": "remove the bracket, or open it",
    "unterminated": "close the quotes on the same line",
    "invalid character": "write plain ASCII: straight quotes, - and not a dash",
    "expected ':'": "end the line with a colon",
    "instead of '='": "compare with ==",
}


def check_tree(tree: ast.Module) -> None:
    """Refuses trees that are too deep or too large to walk."""
    todo: list[tuple[ast.AST, int, int]] = [(tree, 0, 0)]
    count = 0
    while todo:
        node, depth, blocks = todo.pop()
        count += 1
        if depth > bc.MAX_LEVELS:
            raise Refused(
                node, "the expression is too long", "use local variables and shorter expressions"
            )
        if count > bc.MAX_NODES:
            raise Refused(None, "the source is too long", "write a shorter macro")
        if blocks > bc.MAX_NESTING:
            raise Refused(
                node,
                f"more than {bc.MAX_NESTING} blocks inside each other",
                "use helpers, return or continue",
            )
        inside = blocks + isinstance(node, BLOCKS)
        for child in work.children(node):
            is_elif = (
                isinstance(child, ast.If) and isinstance(node, ast.If) and (node.orelse == [child])
            )
            todo.append((child, depth + 1, blocks if is_elif else inside))


BLOCKS = (
    ast.If,
    ast.For,
    ast.While,
    ast.FunctionDef,
    ast.ClassDef,
    ast.With,
    ast.Try,
    ast.Match,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.TryStar,
)
