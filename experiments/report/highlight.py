"""Python source as HTML with line numbers, coloured by token; no line is ever executed."""

import io
import keyword
import tokenize

from experiments.report.html import tag, text

KIND = {tokenize.STRING: "str", tokenize.NUMBER: "num", tokenize.COMMENT: "com"}


def code(source: str, marked_line: int | None = None) -> str:
    """A `<pre>` with one span per line; `marked_line` (from 1) is set off as refused."""
    lines = _coloured(source)
    rows = []
    for number, line in enumerate(lines, start=1):
        kind = "line refused" if number == marked_line else "line"
        rows.append(tag("span", line or " ", class_=kind, data_n=str(number)))
    return tag("pre", tag("code", "\n".join(rows)), class_="code", tabindex="0")


def _coloured(source: str) -> list[str]:
    """Each line of `source` as HTML. Text that is no Python is escaped and left plain."""
    plain = source.rstrip("\n").split("\n")
    spans: list[list[tuple[int, int, str]]] = [[] for _ in plain]
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _kind(token)
            if kind:
                _add(spans, plain, token, kind)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was coloured before the fault stays
    return [_painted(line, marks) for line, marks in zip(plain, spans, strict=True)]


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return "key" if keyword.iskeyword(token.string) else ""
    return KIND.get(token.type, "")


def _add(
    spans: list[list[tuple[int, int, str]]], lines: list[str], token: tokenize.TokenInfo, kind: str
) -> None:
    """Notes a token, which may cover several lines, line by line."""
    (first, start), (last, end) = token.start, token.end
    for row in range(first, min(last, len(lines)) + 1):
        begin = start if row == first else 0
        stop = end if row == last else len(lines[row - 1])
        spans[row - 1].append((begin, stop, kind))


def _painted(line: str, marks: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for begin, stop, kind in marks:
        parts.append(text(line[at:begin]))
        parts.append(tag("span", text(line[begin:stop]), class_=kind))
        at = stop
    return "".join([*parts, text(line[at:])])
