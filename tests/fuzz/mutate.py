"""Changes texts a little: words, lines, parts of trees, characters, two texts in one."""

import ast
import keyword
import random
import re
from collections.abc import Callable, Sequence

from tests.fuzz import random_syntax

WORD = re.compile(r"\s+|\w+|[^\w\s]")
KEYWORDS = (
    *keyword.kwlist, *"()[]{},:=.<>+-*/%@~^|&#;\\",
    ":=", "**", "//", "->", "...", "==", "<=", "!=", "match", "case", "\n", " ")  # fmt: skip
ODD = ("\0", "\t", "\r", "\f", "\x0b", "\u00a0", "\u202e", "\ud800", "\ufeff", "é", "日", "🙂",
       "ｅ", "'", '"', "\\", "\n", "{", "}", "\u0300\u0323", "0", "_", "'''")  # fmt: skip


def words(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Deletes, doubles, exchanges or swaps a few words and signs."""
    parts = WORD.findall(text) or [""]
    for _ in range(rng.randint(1, 4)):
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        change = rng.random()
        if change < 0.25:
            parts[i] = ""
        elif change < 0.4:
            parts[i] += parts[i]
        elif change < 0.6:
            parts[i], parts[j] = parts[j], parts[i]
        elif change < 0.75:
            parts[i] = parts[j]
        elif change < 0.9:
            parts[i] = rng.choice((*KEYWORDS, *random_syntax.NAMES, *random_syntax.FIELDS))
        else:
            parts[i] = repr(rng.choice(random_syntax.VALUES))
    return "".join(parts)


def lines(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Deletes, doubles, moves or indents a few lines."""
    rows = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(rows))
        change = rng.random()
        if change < 0.3 and len(rows) > 1:
            del rows[i]
        elif change < 0.5:
            rows.insert(rng.randrange(len(rows)), rows[i])
        elif change < 0.7:
            rows[i] = "    " + rows[i]
        elif change < 0.8:
            rows[i] = rows[i].removeprefix("    ")
        else:
            rows.insert(rng.randrange(len(rows)), rows.pop(i))
    return "\n".join(rows)


def splice(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Puts the beginning of one text before the end of another, or one after the other."""
    other = rng.choice(others)
    if rng.random() < 0.3:
        return text + "\n" + other
    rows, more = text.split("\n"), other.split("\n")
    return "\n".join(rows[: rng.randint(0, len(rows))] + more[rng.randint(0, len(more)) :])


def noise(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Inserts odd characters, or cuts pieces out."""
    for _ in range(rng.randint(1, 4)):
        i = rng.randint(0, len(text))
        cut = rng.choice((0, 0, 1, 1, 5, 50))
        text = text[:i] + rng.choice((*ODD, "")) * rng.choice((1, 1, 2, 60)) + text[i + cut :]
    return text


def tree(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Exchanges parts of the tree by parts of another text or by random ones."""
    try:
        root, donor = ast.parse(text), ast.parse(rng.choice(others))
    except (SyntaxError, ValueError, MemoryError):
        return words(rng, text, others)
    given = {kind: [n for n in ast.walk(donor) if isinstance(n, kind)]
             for kind in (ast.expr, ast.stmt)}  # fmt: skip
    places = [(node, name) for node in ast.walk(root) for name, value in ast.iter_fields(node)
              if isinstance(value, ast.expr | list) and value]  # fmt: skip
    for _ in range(rng.randint(1, 3) if places else 0):
        node, name = rng.choice(places)
        old = getattr(node, name)
        if isinstance(old, list):
            i = rng.randrange(len(old)) if old else 0
            kind = ast.stmt if old and isinstance(old[0], ast.stmt) else ast.expr
            if old and isinstance(old[i], kind):
                old[i] = part(rng, kind, given)
        elif not isinstance(getattr(old, "ctx", None), ast.Store):
            setattr(node, name, part(rng, ast.expr, given))
    return random_syntax.text_of(root)


def part(rng: random.Random, kind: type, given: dict) -> ast.AST:
    """Returns a part of another text, or a random one."""
    if given[kind] and rng.random() < 0.6:
        return rng.choice(given[kind])
    if kind is ast.stmt:
        return rng.choice(random_syntax.statements(rng, 15))
    return random_syntax.expression(rng)


def repeated(rng: random.Random, text: str, others: Sequence[str]) -> str:
    """Repeats a line or a word very often, up to the largest source."""
    if rng.random() < 0.5:
        rows = text.split("\n")
        i = rng.randrange(len(rows))
        rows[i : i + 1] = [rows[i]] * rng.choice((30, 300, 3_000))
        return "\n".join(rows)[:65_000]
    parts = WORD.findall(text) or ["x"]
    i = rng.randrange(len(parts))
    parts[i] = "".join(parts[i : i + rng.randint(1, 6)]) * rng.choice((30, 300, 3_000))
    return "".join(parts)[:65_000]


Change = Callable[[random.Random, str, Sequence[str]], str]
CHANGES: dict[str, Change] = {
    "words": words, "lines": lines, "splice": splice, "noise": noise, "tree": tree,
    "repeated": repeated,
}  # fmt: skip
WEIGHTS = (20, 10, 15, 5, 48, 2)


def draw(rng: random.Random, corpus: Sequence[str]) -> tuple[str, str]:
    """Returns how a text was made, and the text."""
    if rng.random() < 0.25:
        return "syntax", random_syntax.program(rng)
    (name,) = rng.choices(tuple(CHANGES), WEIGHTS)
    text = CHANGES[name](rng, rng.choice(corpus), corpus)
    if rng.random() < 0.2 and name != "repeated":
        text = words(rng, text, corpus)
    return name, text
