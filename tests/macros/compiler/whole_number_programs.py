"""Random programs over whole numbers, for which Python and the macro language agree.

Numbers stay below 2^24, where float32 is exact; what depends on the order of a set is
left out, because the language keeps the order of insertion.
"""

import random

HEAD = """
def mixed(x, y=3, *, by=2):
    return (x * by + y) % 97

def total(xs):
    if not xs:
        return 0
    return (xs[0] + total(xs[1:])) % 97

def step_on(obs, n):
    done = 0
    while done < n:
        obs = yield forward(jump=done % 2 == 1)
        done += 1
    return obs, done

def pick(kind, a, b):
    match kind % 4:
        case 0:
            return a
        case 1 | 2:
            return b
        case other if other > a:
            return other
        case _:
            return a + b

def macro(obs):
    a, b, c = obs.count("log"), int(obs.life), 3
    cells = [1, 5, 2]
    table = {1: 2, 4: 7}
    names = {"log": 1, "stone": 2}
    seen = {1, 3}
    pair = (a, b)
    prev = obs
    calls = 0
    moves = {0: forward, 1: jump, 2: back}

    def note(x):
        nonlocal calls
        calls = (calls + x) % 97
        return calls

"""
PURE = (
    "{x} + {y}", "{x} - {y}", "{x} * {y} % 89", "{x} // (abs({y}) + 1)", "{x} % (abs({y}) + 1)",
    "abs({x})", "min({x}, {y})", "max({x}, {y}, 4)", "{x} if {t} else {y}", "mixed({x}, {y})",
    "mixed({x}, by={y})", "(lambda q: q + a)({x})", "({x}) % 7", "({x}) & 15",
    "({x}) ^ 5", "-({x})", "({x}) ** 2 % 83", "pick({x}, {y}, a)", "total(cells) + {x}",
    "note({x})",
    "table.get({x} % 10, {y})", "int({t}) + {x}", "pair[{x} % 2]", "(3, 1, 4, 1, 5)[{x} % 5]",
    "sum(q for q in cells if q > {y})", "max((q * {x}) % 31 for q in cells)",
)  # fmt: skip
LEAVES = (
    "a", "b", "c", "a", "b", "c", "0", "1", "7", "-3", "len(cells)", "len(seen)", "cells[0]",
    "cells[-1]", "sum(cells)", "max(cells)", "sorted(cells)[0]", "len(table)", "calls",
    "sum(table.values())", "prev.count('log')", "obs.count('planks')", "int(obs.food)",
    "min(cells, key=lambda q: (q % 5, q))", "len({q % 3 for q in cells})", "sum(seen)",
    "sorted(cells, key=lambda q: -q)[0]", "cells.index(cells[-1])", "cells.count(a)",
    "next((q for q in cells if q > a), -1)", "names.get(obs.held, 0)", "(cells + [b])[-1]",
    "len(cells[1:])", "sum(cells[-2:])", "sum(cells[::-1][:2])", "max(seen, default=0)",
    "sum(k * v for k, v in table.items()) % 97", "sum(x * y for x, y in zip(cells, cells[1:]))",
    "len([1 for i, q in enumerate(cells, 1) if q % i == 0])", "((n := len(cells)) + n)",
    "names['log']", "list(reversed(cells))[0]", "sum(map(lambda q: q % 4, cells))",
)  # fmt: skip
TESTS = (
    "{x} < {y}", "{x} <= {y} < 50", "{x} in seen", "{x} % 10 in table", "not {x}", "{x} in cells",
    "any(q > {x} for q in cells)", "all(q != {y} for q in cells)", "pair == (a, b)",
    "obs.on_ground and {x} > 2", "{x} > 3 or len(seen) > 3", "obs.held in names",
    "obs.block(0, -1, 0) in ('stone', 'dirt')", "{x} in range(1, 20, 3)", "cells == sorted(cells)",
)  # fmt: skip
SIMPLE = (
    "a = ({x}) % 97", "b = ({x}) % 61", "c += ({x}) % 13", "a, b = b, a", "c %= 71",
    "table[({x}) % 10] = ({y}) % 50", "table[a % 10] = table.get(a % 10, 0) + 1",
    "table.pop(({x}) % 10, None)", "table.setdefault(({x}) % 10, b)", "seen.add(({x}) % 12)",
    "seen.discard(({x}) % 12)", "seen |= {{a % 12, 5}}", "cells.append(({x}) % 40)",
    "cells.insert(({x}) % 4, 9)", "cells.sort()", "cells.sort(key=lambda q: q % 7, reverse=True)",
    "cells.reverse()", "cells = cells[1:] + [({x}) % 40]", "cells[-1] = ({x}) % 40",
    "cells[0] += 1", "cells = sorted(set(cells))", "cells = [(q + 1) % 40 for q in cells]",
    "first, *rest = cells + [1]; c = (first + len(rest)) % 71", "pair = (({x}) % 9, ({y}) % 9)",
    "pair = pair[::-1]",
    "cells[:] = [q for q in cells if q != a] + [3]",
    "table = {{k: v for k, v in table.items() if k != a % 10}}",
    "cells.extend((({x}) % 5, 2))", "names[obs.held] = ({x}) % 20", "prev = obs",
    "for k, v in sorted(table.items()): c = (c * 3 + k - v) % 71", "note({x})",
    "for q in sorted(seen): c = (c * 5 + q) % 71", "print(f'{{a}} of {{cells}}')",
    "if len(cells) > 2: cells.pop({x} % 2)", "moves[({x}) % 3] = left",
)  # fmt: skip


class Writer:
    """Writes the body of one macro; `rng` decides."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []

    def number(self, depth: int = 0) -> str:
        if depth > 1 or self.rng.random() < 0.4:
            return self.rng.choice(LEAVES)
        return "(" + self.fill(self.rng.choice(PURE), depth) + ")"

    def fill(self, text: str, depth: int = 0) -> str:
        return text.format(x=self.number(depth + 1), y=self.number(depth + 1), t=self.test(depth))

    def test(self, depth: int = 0) -> str:
        if depth > 1:
            return "a < b"
        text = self.rng.choice(TESTS)
        return "(" + text.format(x=self.number(depth + 1), y=self.number(depth + 1)) + ")"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def show(self, indent: int) -> None:
        self.line(
            indent,
            f"obs = yield turn(yaw=15 * ({self.number()} % 12), pitch=15 * ({self.number()} % 5))",
        )

    def statement(self, indent: int, loops: int) -> None:
        r = self.rng
        kind = r.random()
        if kind < 0.55 or indent > 4:
            self.line(indent, self.fill(r.choice(SIMPLE)))
        elif kind < 0.68:
            self.show(indent)
        elif kind < 0.8:
            self.line(indent, f"if {self.test()}:")
            self.block(indent + 1, loops)
            if r.random() < 0.5:
                self.line(indent, "else:")
                self.block(indent + 1, loops)
        elif kind < 0.93 and loops < 2:
            self.line(indent, r.choice([
                "for k in range(3):", "for q in cells[:3]:", "for k in sorted(table)[:3]:",
                "for i, q in enumerate((4, 2)):", "for k in (a % 5, 2):",
                "for x, y in ((1, 2), pair):", "for name in ('log', 'stick'):",
            ]))  # fmt: skip
            self.block(indent + 1, loops + 1)
            if r.random() < 0.3:
                self.line(indent + 1, f"if {self.test()}: {r.choice(['break', 'continue'])}")
        else:
            self.line(indent, r.choice([
                "obs, b = yield from step_on(obs, a % 3 + 1)", "obs = yield moves[a % 3]()",
            ]))  # fmt: skip

    def block(self, indent: int, loops: int) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(indent, loops)


def whole_number_program(rng: random.Random) -> str:
    """Returns the source of one macro."""
    writer = Writer(rng)
    writer.line(1, "for turn_number in range(4):")
    writer.line(2, "cells = (cells + [2, 6])[:8]")
    for _ in range(4):
        writer.statement(2, 1)
        writer.show(2)
    return HEAD + "\n".join(writer.lines) + "\n"
