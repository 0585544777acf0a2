"""Random programs whose names and containers hold numbers, lists, dictionaries and sets in turn.

Each runs in Python without an error, so it must compile and act as there. Kinds are drawn with
the values: "n" is a whole number below 2^24, "f" one that may be infinite or nan, ("l", T) a list,
("d", T, U) a dictionary with "p" and "q", ("t", T, U) a pair, "s" a set of whole numbers, "w" a
name.
"""

import random
from typing import Any

Kind = Any
FLAT: tuple[Kind, ...] = ("n", "n", "n", "f", "s", "w")
NAMES = ("a", "b", "c", "d", "e")
WILD = ("math.inf", "-math.inf", "math.nan", "float('inf')", "1e30", "0.5", "-0.0")
HEAD = """
import math

PLAN = [{"at": (1, 2), "path": [3, 4]}, {"at": [5, 6], "path": []}]

def both(x, y):
    return [x, y]

def first(xs):
    for x in xs:
        return x

def macro(obs):
"""
WHOLE = ("+=", "-=", "|=", "&=", "^=", "%= 1 +", "*= 1 &", "<<= 1 &", "//= 1 +")


class Writer:
    """Writes the body of one macro; `rng` decides. `kinds` are those of the names by now."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.kinds: dict[str, Kind] = {}
        self.fixed: set[str] = set()  # names that a loop goes over

    def kind(self, depth: int = 2) -> Kind:
        choice = self.rng.random()
        if depth == 0 or choice < 0.35:
            return self.rng.choice(FLAT)
        if choice < 0.6:
            return ("l", self.kind(depth - 1))
        if choice < 0.85:
            return ("d", self.kind(depth - 1), self.kind(depth - 1))
        return ("t", self.kind(depth - 1), self.kind(depth - 1))

    def paths(self, kind: Kind) -> list[str]:
        """Expressions of that kind that read what is there."""
        return [path for name, k in self.kinds.items() for path in _inside(name, k, kind)]

    def value(self, kind: Kind, depth: int = 1) -> str:
        there = self.paths(kind)
        if there and self.rng.random() < (0.4 if depth else 0.8):
            return self.rng.choice(there)
        if kind == "n":
            return self.number(depth)
        if kind == "f":
            return self.wild(depth)
        if kind == "s":
            return "{" + ", ".join(str(self.rng.randint(0, 9)) for _ in range(3)) + "}"
        if kind == "w":
            return self.rng.choice(('"log"', '"stone"', "obs.held"))
        parts = [self.value(k, depth - 1 if depth else 0) for k in kind[1:]]
        if kind[0] == "l":
            other = self.value(kind[1], 0)
            return self.rng.choice((
                f"[{parts[0]}, {other}]", f"both({parts[0]}, {other})",
                f"[q for q in [{parts[0]}, {other}]]", f"[{parts[0]}] + [{other}]",
                f"[{parts[0]}] * 2",
            ))  # fmt: skip
        if kind[0] == "d":
            return f'{{"p": {parts[0]}, "q": {parts[1]}}}'
        return f"({parts[0]}, {parts[1]})"

    def number(self, depth: int) -> str:
        simple = str(self.rng.randint(0, 20))
        if depth <= 0:
            return simple
        x, y = self.value("n", depth - 1), self.value("n", depth - 1)
        wild = self.value("f", depth - 1)
        return self.rng.choice((
            simple, f"({x} + {y}) % 97", f"max({x}, {y})", f"({x} | {y}) & 63",
            f"len({self.row()})", f"int({wild} > {x})", f"int({wild} != {wild})",
            f"int(abs({wild}) == math.inf)",
            f"int({self.value('w', 0)} == 'log')", f"first([{x}, {y}])",
            f"sum(1 for q in {self.row()})", 'PLAN[0]["at"][1]', 'PLAN[1]["at"][0]',
            'len(PLAN[1]["path"])', f"sorted([{x}, {y}])[0]",
            f"int(({wild} == math.inf) or {x} < {y})", f"({x} if {wild} < 3 else {y})",
        ))  # fmt: skip

    def wild(self, depth: int) -> str:
        if depth <= 0:
            return self.rng.choice(WILD)
        x, y = self.value("f", depth - 1), self.value("f", depth - 1)
        return self.rng.choice((*WILD, f"{x} + {y}", f"{x} * 2", f"-({x})", f"abs({x})"))

    def row(self) -> str:
        found = [p for name, k in self.kinds.items() for p in _rows(name, k)]
        return self.rng.choice(found or ["[1, 2]"])

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def statement(self, indent: int) -> None:
        choice = self.rng.random()
        free = [name for name in NAMES if name not in self.fixed]
        if choice < 0.3 and indent == 1:
            kind, name = self.kind(), self.rng.choice(free)
            self.line(indent, f"{name} = {self.value(kind)}")
            self.kinds[name] = kind
        elif choice < 0.6:
            self.change(indent)
        elif choice < 0.7 and indent < 3:
            self.branch(indent)
        elif choice < 0.8 and indent < 3:
            self.loop(indent)
        else:
            x, y = self.value("n"), self.value("n")
            self.line(indent, f"obs = yield turn(yaw=15 * (({x}) % 12), pitch=15 * (({y}) % 5))")

    def change(self, indent: int) -> None:
        """Something in place: `a += 1`, `a["p"][0] |= 7`, `a += [b]`, `a.append(c)`."""
        r = self.rng
        options = [(p, "n") for p in self.changeable("n")] * 2
        options += [(p, "s") for p in self.changeable("s")]
        rows = [
            (p, k) for n, k in self.kinds.items() if n not in self.fixed for p, k in _lists(n, k)
        ]
        if rows and r.random() < 0.3:
            path, kind = r.choice(rows)
            new = self.value(kind[1])
            self.line(indent, r.choice((f"{path} += [{new}]", f"{path}.append({new})",
                                        f"{path}[0] = {new}")))  # fmt: skip
        elif options:
            path, kind = r.choice(options)
            other = self.value(kind)
            if kind == "s":
                self.line(indent, f"{path} {r.choice(('|=', '&=', '-=', '^='))} {other}")
            else:
                self.line(indent, f"{path} {r.choice(WHOLE)} ({other})")
                self.line(indent, f"{path} %= 97")

    def changeable(self, kind: Kind) -> list[str]:
        """Paths of that kind that can be assigned to: what is in a pair cannot."""
        return [p for name, k in self.kinds.items() if name not in self.fixed
                for p in _inside(name, k, kind, assigned=True)]  # fmt: skip

    def branch(self, indent: int) -> None:
        self.line(indent, f"if {self.value('n')} > {self.value('n')}:")
        self.block(indent + 1)

    def loop(self, indent: int) -> None:
        rows = [(p, k) for n, k in self.kinds.items() for p, k in _lists(n, k)]
        if not rows or "p" in self.kinds:
            return
        path, kind = self.rng.choice(rows)
        self.line(indent, f"for p in {path}[:2]:")
        self.kinds["p"] = kind[1]
        self.fixed.add("p")
        self.block(indent + 1)
        del self.kinds["p"]

    def block(self, indent: int) -> None:
        for _ in range(self.rng.randint(1, 2)):
            self.statement(indent)
        self.line(indent, "a0 = 0")


def _inside(path: str, kind: Kind, wanted: Kind, assigned: bool = False) -> list[str]:
    found = [path] if kind == wanted else []
    if isinstance(kind, tuple):
        found += [p for inner, k in _parts(path, kind, assigned)
                  for p in _inside(inner, k, wanted, assigned)]  # fmt: skip
    return found


def _parts(path: str, kind: Kind, assigned: bool) -> list[tuple[str, Kind]]:
    if kind[0] == "l":
        return [(f"{path}[0]", kind[1]), (f"{path}[-1]", kind[1])]
    if kind[0] == "d":
        return [(f'{path}["p"]', kind[1]), (f'{path}["q"]', kind[2])]
    parts = [(f"{path}[0]", kind[1]), (f"{path}[1]", kind[2])]
    return [p for p in parts if isinstance(p[1], tuple)] if assigned else parts


def _lists(path: str, kind: Kind) -> list[tuple[str, Kind]]:
    if not isinstance(kind, tuple):
        return []
    inner = [x for p, k in _parts(path, kind, True) for x in _lists(p, k) if kind[0] != "t"]
    return [(path, kind), *inner] if kind[0] == "l" else inner


def _rows(path: str, kind: Kind) -> list[str]:
    if kind == "s":
        return [path]
    if not isinstance(kind, tuple):
        return []
    return [path, *(x for p, k in _parts(path, kind, False) for x in _rows(p, k))]


def mixed_program(rng: random.Random) -> str:
    """Returns a macro of a few statements over mixed containers."""
    writer = Writer(rng)
    for name in NAMES[:3]:
        kind = writer.kind()
        writer.line(1, f"{name} = {writer.value(kind)}")
        writer.kinds[name] = kind
    for _ in range(rng.randint(4, 14)):
        writer.statement(1)
    x = writer.value("n")
    writer.line(1, f"obs = yield turn(yaw=15 * (({x}) % 12), pitch=15)")
    return HEAD + "\n".join(writer.lines) + "\n"
