"""Random programs of the macro language: mostly sensible, sometimes with a trap."""

import random

NUMBERS = ("a", "b", "c")
HEAD = """
def grow(cells, x):
    cells.append(x)
    if len(cells) > 40:
        return [x]
    return cells

def half(x, by=2):
    return x / by

def walk(obs, n, r):
    for k in range(n):
        obs = yield forward(jump=k % 2 == 0)
        if r is not None and r.distance < obs.life:
            return obs, k
    return obs, n

def macro(obs):
    a = obs.x
    b = obs.yaw
    c = 3
    cells = [1, 2, 3]
    pair = (a, b)
    name = obs.held
    ray = None
    old = obs
"""


class Writer:
    """Writes one program; `rng` decides."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []

    def number(self, depth: int = 0) -> str:
        r = self.rng
        if depth > 2 or r.random() < 0.3:
            return r.choice([*NUMBERS, *NUMBERS, "obs.x", "obs.pitch", "obs.life", "old.y",
                             "len(cells)", "cells[0]", "pair[1]", "1", "0.1", "-7", "15", "1e20",
                             'obs.count("log")', "obs.count(name)",
                             'obs.nearest("cow").distance'])  # fmt: skip
        x, y = self.number(depth + 1), self.number(depth + 1)
        return r.choice([
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} / {y})", f"({x} // {y})",
            f"({x} % {y})", f"abs({x})", f"min({x}, {y})", f"max({x}, {y})", f"round({x})",
            f"int({x})", f"({x}) ** 2", f"sqrt(abs({x}))", f"sin({x})", f"cos({x})",
            f"atan2({x}, {y})", f"hypot({x}, {y})", f"half({x})", f"-{x}", f"({x} ** 0.5)",
            f"({x} if {self.test()} else {y})", "sum(cells)", "max(cells)",
            f"sum(r.yaw for r in obs.rays if r.distance < {x})", f"sign({x})", f"floor({x})",
        ])  # fmt: skip

    def test(self) -> str:
        r = self.rng
        x, y = r.choice(NUMBERS), r.choice([*NUMBERS, "0", "2.5"])
        return r.choice([
            f"{x} < {y}", f"{x} <= {y} < 90", f"{x} != {y}", "name == 'log'", "not cells",
            "name in ('log', 'planks', 'stick', 'nothing')", "'st' in name", "obs.on_ground",
            "obs.sees('cow')", "ray is None", "pair == (a, b)", "a in cells", "(1, 2) in [pair]",
            "obs.block(0, -1, 0) == 'stone'", "obs.near('furnace')", "ray or cells",
            "any(r.entity == 'cow' for r in obs.rays)",
        ])  # fmt: skip

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, loops: int) -> None:
        for _ in range(self.rng.randint(1, 4)):
            self.statement(indent, loops)

    def statement(self, indent: int, loops: int) -> None:
        r = self.rng
        kind = r.random()
        if kind < 0.3 or indent > 4:
            self.simple(indent)
        elif kind < 0.5:
            self.line(indent, f"obs = yield {self.action()}")
        elif kind < 0.7:
            self.line(indent, f"if {self.test()}:")
            self.block(indent + 1, loops)
            if r.random() < 0.5:
                self.line(indent, "else:")
                self.block(indent + 1, loops)
        elif kind < 0.9 and loops < 2:
            self.line(indent, r.choice([
                "for k in range(4):", "for k in range(int(obs.life) % 5, 0, -1):",
                "for c in cells:", "for k, a in enumerate((1, 2.5, -3)):",
                "for name in ('log', 'bucket'):", "for a, b in ((1, 2), pair):",
            ]))  # fmt: skip
            self.block(indent + 1, loops + 1)
            if r.random() < 0.3:
                self.line(indent + 1, r.choice(["break", "continue"]))
        elif kind < 0.95:
            self.line(indent, f"obs, c = yield from walk(obs, {r.randint(1, 3)}, ray)")
        else:
            self.line(
                indent,
                r.choice(
                    [
                        "old = obs",
                        "ray = obs.nearest('log')",
                        "ray = None",
                        "ray = max(obs.rays, key=lambda r: r.distance)",
                    ]
                ),
            )

    def simple(self, indent: int) -> None:
        r = self.rng
        self.line(indent, r.choice([
            f"{r.choice(NUMBERS)} = {self.number()}", f"{r.choice(NUMBERS)} += {self.number(2)}",
            f"pair = ({self.number(1)}, {self.number(2)})", f"cells.append({self.number(1)})",
            f"cells[{r.randint(-1, 2)}] = {self.number(1)}",
            f"cells = grow(cells, {r.choice('abc')})",
            f"cells = [x for x in cells if x < {self.number(2)}]", "a, b = b, a", "a, b = pair",
            "cells = [r.distance for r in obs.rays if r.block == 'log']",
            "name = obs.block(1, 0, -1)", "pair = (pair, cells)", "pair = (a, b)",
        ]))  # fmt: skip

    def action(self) -> str:
        return self.rng.choice([
            f"turn(yaw={self.number(1)}, pitch={self.number(2)})", "forward()", "attack()",
            "equip(name)", "craft('planks')", "place(name)", f"turn({self.rng.choice('abc')})",
        ])  # fmt: skip


def random_program(rng: random.Random) -> str:
    """Returns the source of one macro."""
    writer = Writer(rng)
    writer.line(1, "while True:" if rng.random() < 0.5 else "for turn_number in range(5):")
    writer.block(2, 0)
    writer.line(2, f"obs = yield {writer.action()}")
    return HEAD + "\n".join(writer.lines) + "\n"
