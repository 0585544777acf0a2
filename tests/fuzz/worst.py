"""The texts that ask most of the compiler: each pass has some that it finds hardest.

All have at most 64 KB. `measure` says what a text costs; `show` prints all of them.
"""

import dataclasses
import gc
import time
import tracemalloc

from rich.console import Console
from rich.table import Table

from rlgpt_jax.macros.language import TOKEN
from rlgpt_jax.macros.vm.bytecode import MAX_TOKENS
from tests.fuzz.attack_texts import before, body

SIZE = 64_000


def room(piece: str, size: int = SIZE) -> int:
    """Returns how often a piece fits into the bounds on bytes and on words."""
    tokens = sum(1 for _ in TOKEN.finditer(piece))
    return min(size // len(piece.encode()), (MAX_TOKENS - 200) // max(tokens, 1))


def fill(piece: str, size: int = SIZE) -> str:
    """Repeats a piece up to the bounds; `{}` in it is the number of the piece."""
    if "{}" not in piece:
        return piece * room(piece, size)
    return "".join(piece.replace("{}", str(i)) for i in range(room(piece + "..", size)))


def rows(piece: str) -> str:
    """Returns a macro whose body repeats a line."""
    return body(*(piece.replace("{}", str(i)) for i in range(room(f"    {piece}..\n"))))


def numbered(piece: str, count: int, joint: str = "\n") -> str:
    """Repeats a piece; {i}, {j} and {k} are its number, the one before and the one after."""
    count = min(count, room(piece + 6 * " " + joint, SIZE - 2_000))
    return joint.join(
        piece.replace("{i}", str(i)).replace("{j}", str(i - 1)).replace("{k}", str(i + 1))
        for i in range(1, count + 1)
    )


def loop(*lines: str) -> str:
    return body("while True:\n" + "\n".join("    " + line for line in lines))


def nest(opening: str, depth: int, inner: str) -> str:
    """Returns lines, each inside the block that the line before it opens."""
    lines = [" " * i + opening.replace("{i}", str(i)) for i in range(depth)]
    return "\n".join([*lines, " " * depth + inner])


WORST: dict[str, str] = {
    # The parser.
    "small statements": fill("x;"),
    "lines of names": fill("a\n"),
    "lines of stars": fill("*a,\n"),
    "comparisons": fill("1<1\n"),
    "fields of f-strings": "x = f'" + fill("{a}") + "'",
    "f-strings": fill("f'{a}'\n"),
    "a table": "x = (" + fill("1,") + ")",
    "a dictionary": "x = {" + fill("1:1,") + "}",
    "a chain of assignments": fill("x=") + "1",
    "one letter": "á" * 32_000,
    "a long word": body("x" * 60_000 + " = 1"),
    "marks that Python sorts": "a" + "\u0300" * 16_000 + "\u0323" * 16_000,
    "pieces of such marks": fill("a" + "\u0300" * 95 + "\u0323" * 95 + "\n", 32_000),
    "letters that grow": "\ufdfa" * 21_000,
    "a long number": body("x = " + "9" * 60_000),
    "numbers as long as allowed": rows("x = " + "9" * 4_200),
    "backslashes": body("x = \\\n" + "\\\n" * 8_000 + "1"),
    "empty lines": fill("\n"),
    "decorators": fill("@a\n") + "def f(): pass",
    "minus signs": body("x = " + "-" * 60_000 + "1"),
    "odd brackets": fill("([{"),
    "a string": body("x = '" + "a" * 60_000 + "'"),
    "triple quotes": body("x = '''" + "\n" * 9_000 + "'''"),
    # The tree.
    "passes": rows("pass"),
    "lambdas": rows("lambda:1"),
    "functions of one line": fill("def f{}(o): return 1\n") + body("x = 1"),
    "empty functions": fill("def f{}():0\n") + body("x = 1"),
    "functions in functions": nest("def f{i}(o):", 23, "return 1") + "\n" + body("x = 1"),
    "functions that call all": numbered("def f{i}(o): return f{k}(o)+f{k}(o)", 1_500) + "\n"
    + body("x = 1"),
    "functions that name all": numbered("def f{i}(o):\n return (" + ",".join(
        f"f{i}" for i in range(1, 30)) + ")[0]", 200) + "\n" + body("x = f1(1)"),
    "global names": fill("def f{}(): global a, b\n") + body("x = 1"),
    "long parameter lists": numbered(
        "def f{i}(" + ",".join(f"a{i}=1" for i in range(32)) + "): return 1", 250) + "\n"
    + body(numbered("x = f{i}()", 250)),
    # Names and constants.
    "names": rows("x{} = {}"),
    "constants": fill("A{} = {}\n") + body("x = 1"),
    "constants of constants": before("A0 = (1, 1)\n" + numbered("A{i} = A{j}", 3_000)),
    "constants doubled": before("A0 = (1, 1)\n" + numbered("A{i} = A{j} + A{j}", 1_500)),
    "constants nested": before("A0 = (1, 1)\n" + numbered("A{i} = (A{j}, A{j})", 1_500)),
    "rows of a large table": before(
        "A = (" + "1," * 4_000 + ")\n" + numbered("B{i} = A[:]", 1_000)),
    "a large table looked up": "A = (" + "1," * 4_000 + ")\n" + body(
        "\n".join("x = A[3] + A[4]" for _ in range(900))),
    "a large dictionary looked up": "D = {" + ",".join(f"{i}:{i}" for i in range(1_900)) + "}\n"
    + body("\n".join(f"x = D[{i}]" for i in range(1_500))),
    "unknown names": rows("x = obs.count('thing_{}')"),
    "unknown long names": rows("x = obs.count('cobblestone_{}_pickaxe_of_stone_planks')"),
    "tests of names": rows("x = 'e{}' in obs.held"),
    "sets of names": rows("x = obs.held in ('a{}', 'b{}', 'c{}')"),
    "one unknown long name": body("x = " + "pickaxe_" * 4_000),
    # The code.
    "turns": rows("obs = yield turn(obs.x, obs.y)"),
    "powers": rows("x = x**8"),
    "tuples": rows("x = (x,x,x,x,x,x,x,x)"),
    "sums": rows("x=" + "+".join(["x"] * 60)),
    "conditions": rows("x=" + " if x else ".join(["x"] * 40)),
    "chains of comparisons": rows("x=" + "<".join(["x"] * 90)),
    "and or": rows("x=" + " and x or ".join(["x"] * 40)),
    "elifs": body("if obs.x:\n pass\n" + "elif obs.y:\n pass\n" * 2_000),
    "matches": body("match obs.held:\n" + numbered(" case 'a{i}': pass", 3_000)),
    "matches of rows": body(
        "x = (1, 2, 3)\nmatch x:\n" + numbered(" case (a, 2, {i}): pass", 2_000)),
    "comprehensions": rows("x=[i for i in x if i]"),
    "comprehensions in comprehensions": rows("x=" + "[" * 10 + "i" + " for i in x]" * 10),
    "whiles in whiles": "def macro(obs):\n a=b=c=1\n obs=yield jump()\n" + "".join(
        " " * i + "while a and b:\n" for i in range(1, 23)) + " " * 23 + "a=b\n",
    "loops in loops": "def macro(obs):\n" + "".join(
        " " * i + f"for v{i} in range(9):\n" for i in range(1, 22))
    + " " * 22 + "obs = yield jump()\n",
    "anys in anys": rows("x=" + "any(" * 12 + "i" + " for i in x)" * 12),
    "lambdas in lambdas": rows("f=" + "lambda:" * 12 + "x"),
    "keys": rows("x=min(x,key=lambda r:r+1)"),
    "sorted": rows("x=sorted(x)"),
    "dictionaries": rows("x={1:x,2:x,3:x}"),
    "slices": rows("x=x[1:]"),
    "stars": rows("a,*x=x"),
    "f-strings in code": rows("x=f'{x}{x}{x}'"),
    "augmented": rows("x[0]+=1"),
    "walrus": rows("x=(y:=x)+y"),
    "yields in sums": rows("x=(yield jump()).x+(yield jump()).x"),
    # Passes that go round: what is known of one value comes from another.
    "values passed backwards": body(numbered("x{i} = x{k}", 190)) + "\n",
    "records passed backwards": loop(*[f"x{i} = x{i + 1}" for i in range(150)], "x150 = obs",
                                     "obs = yield jump()"),
    "records in many names": loop(
        *[f"x{i} = obs" for i in range(150)], *["obs = yield jump()"] * 300,
        *[f"y = x{i}.x" for i in range(150)]),
    "helpers passed backwards": numbered("def f{i}(o, a):\n return f{k}(o, a)", 1_200) + "\n"
    + body("x = 1"),
    "lists of lists backwards": body(numbered("x{i} = [x{k}, x{k}]", 180)),
    "values returned backwards": numbered("def f{i}(o):\n x = [f{k}]\n return x[0]", 900) + "\n"
    + body("x = 1"),
    "jumps backwards": body("".join(" " * i + "while obs.x:\n" for i in range(20)) + " " * 20
                            + "pass\n" + "\n".join(["x = 1"] * 3_000)),
    "many small loops": rows("while x: x=1"),
    "loops with yields": rows("for i in x: obs=yield jump()"),
    "captured names": "def macro(obs):\n " + "\n ".join(f"a{i} = {i}" for i in range(60)) + "\n"
    + numbered(" def f{i}(o): return a1+a2+a3+a4+a5+a6+a7+a8+a9", 600)
    + "\n x = f1(1)\n yield noop()\n",
    "captured through functions": "def macro(obs):\n a = 1\n"
    + numbered(" def f{i}(o): return f{k}(o) if o else a", 900) + "\n yield noop()\n",
    "functions as values": numbered("def f{i}(o): return 1", 500) + "\n" + body(
        "x = (" + ",".join(f"f{i}" for i in range(1, 60)) + ")", "for f in x: y = f(1)"),
    "calls of values": numbered("def f{i}(g): return g(g)", 600) + "\n" + body(
        numbered("x = f{i}(f{i})", 600)),
    "generator helpers": numbered("def f{i}(obs):\n obs = yield jump()\n return obs", 500) + "\n"
    + body(numbered("obs = yield from f{i}(obs)", 500)),
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Cost:
    """What the compilation of one text took."""

    seconds: float  # CPU, the least of the tries
    work: int  # steps of `compiler/work.py`
    peak: int  # bytes held at a time
    end: str  # "accepted" with the number of instructions, or the reason of the refusal


def measure(text: str, tries: int = 3, memory: bool = True) -> Cost:
    from rlgpt_jax.macros.compiler import work
    from rlgpt_jax.macros.language import parse_macro
    from rlgpt_jax.macros.refusal import Refusal

    def compiled() -> str:
        try:
            program = parse_macro(text, None, "full")
        except Exception as error:
            return f"CRASH {type(error).__name__}: {error}"
        if isinstance(program, Refusal):
            return program.reason
        return f"{len(program.code)} instructions"

    seconds, end, peak = [], "", 0
    for _ in range(tries):
        begin = time.process_time()
        end = compiled()
        seconds.append(time.process_time() - begin)
    steps = work.spent()
    if memory:
        tracemalloc.start()
        compiled()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Cost(min(seconds), steps, peak, end)


def show(console: Console) -> int:
    """Prints the costs, the slowest first. Returns 1 if one is over the bounds."""
    from tests.fuzz.random_texts import MAX_BYTES, MAX_SECONDS

    gc.collect()
    gc.freeze()  # what was there before is not looked through again and again
    costs = {name: measure(text) for name, text in WORST.items()}
    bad = 0
    table = Table("text", "CPU ms", "steps", "peak MB", "end", box=None, pad_edge=False)
    for name, cost in sorted(costs.items(), key=lambda item: -item[1].seconds):
        crash = cost.end.startswith("CRASH")
        over = crash or cost.seconds > MAX_SECONDS or cost.peak > MAX_BYTES
        bad += over
        table.add_row(name, f"{1e3 * cost.seconds:.0f}", str(cost.work), f"{cost.peak / 1e6:.1f}",
                      cost.end[:60], style="red" if over else "")  # fmt: skip
    console.print(table)
    slowest = max(cost.seconds for cost in costs.values())
    largest = max(cost.peak for cost in costs.values())
    console.print(
        f"{len(costs)} texts; slowest {1e3 * slowest:.0f} ms, largest {largest / 1e6:.1f} MB"
    )
    return 1 if bad else 0
