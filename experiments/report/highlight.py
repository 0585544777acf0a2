"""Python source as HTML with line numbers, coloured by token; no line is ever executed."""

import itertools

from pygments import lex
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Number, Operator, String

from experiments.report.html import tag, text

KIND = {Keyword: "key", Operator.Word: "key", String: "str", Number: "num", Comment: "com"}


def code(source: str, marked_line: int | None = None) -> str:
    """A `<pre>` with one span per line; `marked_line` (from 1) is set off as refused."""
    rows = []
    for number, line in enumerate(_coloured(source), start=1):
        kind = "line refused" if number == marked_line else "line"
        rows.append(tag("span", line or " ", class_=kind, data_n=str(number)))
    return tag("pre", tag("code", "\n".join(rows)), class_="code", tabindex="0")


def _coloured(source: str) -> list[str]:
    """Each line of `source` as HTML."""
    tokens = lex(source.rstrip("\n"), PythonLexer(stripnl=False, ensurenl=False))
    kinds = ((next((k for t, k in KIND.items() if kind in t), ""), s) for kind, s in tokens)
    lines = [""]
    for kind, group in itertools.groupby(kinds, key=lambda pair: pair[0]):
        first, *rest = "".join(words for _, words in group).split("\n")
        lines[-1] += _painted(first, kind)
        lines += [_painted(words, kind) for words in rest]
    return lines


def _painted(words: str, kind: str) -> str:
    return tag("span", text(words), class_=kind) if kind and words else text(words)
