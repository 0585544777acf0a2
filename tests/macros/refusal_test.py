"""What is outside the language comes back as a refusal with line, reason and advice."""

import unicodedata

import pytest

from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from tests.macros import refused_programs

ONE = "def macro(obs):\n    obs = yield forward()\n    "


@pytest.mark.parametrize("name", refused_programs.PROGRAMS)
def test_a_refusal_says_where_what_and_what_to_write_instead(name):
    refusal = refused_programs.refusal(name)
    source = refused_programs.PROGRAMS[name]
    words = refusal.describe()
    assert refusal.reason and refusal.instead
    assert refusal.reason in words and f"Instead: {refusal.instead}" in words
    assert len(words) < 700
    if refusal.line:
        line = source.split("\n")[refusal.line - 1]
        assert refusal.source_line == line
        assert 1 <= refusal.column <= len(line) + 1
        assert words.count("\n    ") == 2 and words.split("\n")[2].strip() == "^"


def test_the_refusals_are_those_that_were_read():
    """`python -m tests.macros.refused_programs` writes them again; look at the difference."""
    assert refused_programs.written() == refused_programs.GOLDEN.read_text(encoding="utf-8")


# --- the mark ------------------------------------------------------------------------
def marked(line: str, column: int) -> list[str]:
    words = Refusal(1, column, line, "reason", "").describe().split("\n")
    return [text.removeprefix("    ") for text in words[1:]]


def under(line: str, column: int) -> str:
    """Returns the character above the mark, on a terminal where wide ones fill two columns."""
    shown, mark = marked(line, column)
    columns = "".join(c * (1 + (unicodedata.east_asian_width(c) in "WF")) for c in shown)
    return columns[len(mark) - 1]


@pytest.mark.parametrize("line, wanted", [
    ("x = obs.helth", "h"), ("        x = obs.helth", "h"), ("\tx =\tobs.helth", "h"),
    ("日本 = obs.helth", "h"), ("x = '日本語' + obs.helth", "h"), ("é = obs.helth", "h"),
    ("x" * 300 + " = obs.helth", "h"), ("日" * 300 + " = obs.helth", "h"),
])  # fmt: skip
def test_the_mark_stands_under_the_column(line, wanted):
    column = line.index("helth") + 1
    assert under(line, column) == wanted


def test_columns_are_characters_also_behind_letters_of_several_bytes():
    refusal = parse_macro("def macro(obs):\n    é, x = '日本', obs.helth\n    yield noop()\n")
    assert isinstance(refusal, Refusal)
    assert refusal.source_line[refusal.column - 1 :].startswith("obs.helth")


def test_long_lines_are_cut_around_the_column():
    line = "x = " + " + ".join(f"name{i}" for i in range(500))
    for column in (1, 5, 100, 2_000, len(line)):
        shown, mark = marked(line, column)
        assert len(shown) < 110 and len(mark) <= len(shown)
        assert under(line, column) == line[column - 1]


def test_lines_end_where_python_ends_them():
    source = "def macro(obs):\r\n    x = 1\r    y = obs.helth\r\n    yield noop()\r\n"
    refusal = parse_macro(source)
    assert isinstance(refusal, Refusal)
    assert (refusal.line, refusal.source_line) == (3, "    y = obs.helth")


def test_no_message_is_long_or_holds_what_cannot_be_printed():
    for name in ("a" * 60_000, "é" * 190, "a\\x00\\n" * 10, "\\u202e" * 10, "%s{}"):
        for use in (f"obs.count('{name}', 1)", f"craft('{name}')", f"x = y_{name[:190]}"):
            refusal = parse_macro(f"def macro(obs):\n    {use}\n    yield noop()\n")
            assert isinstance(refusal, Refusal)
            words = refusal.describe()
            assert len(words) < 1_000
            assert all(c.isprintable() or c == "\n" for c in words)


# --- hostile text ----------------------------------------------------------------------
DEEP = 5_000
HOSTILE = {
    "brackets": ONE + "x = " + "(" * DEEP + ")" * DEEP,
    "minus signs": ONE + "x = " + "-" * 60_000 + "1",
    "not": ONE + "x = " + "not " * 10_000 + "1",
    "sum": ONE + "x = " + "1+" * 30_000 + "1",
    "attributes": ONE + "x = obs" + ".x" * 30_000,
    "calls": ONE + "x = obs" + "()" * 30_000,
    "comparisons": ONE + "x = " + "1<" * 20_000 + "1",
    "conditions": ONE + "x = " + "1 if 1 else " * 5_000 + "1",
    "elif": ONE + "if obs.x:\n        pass\n" + "    elif obs.y:\n        pass\n" * 2_500,
    "blocks": "def macro(obs):\n"
    + "".join(" " * i + "if obs.x:\n" for i in range(1, 300))
    + " " * 300 + "yield noop()",
    "functions": "".join(" " * i + "def f(obs):\n" for i in range(90)) + " " * 90 + "yield noop()",
    "huge int": ONE + "x = " + "9" * 60_000,
    "large int": ONE + "x = " + "9" * 4_000,
    "power": ONE + "x = 9 ** 9 ** 9 ** 9\n    x = 2 ** 100000000",
    "repeat": ONE + "x = [0] * 1000000000",
    "repeat tuple": ONE + "x = (0,) * 1000000000",
    "null byte": ONE + "x = 1\0",
    "surrogate": ONE + "x = '\ud800'",
    "bidi": ONE + "\u202e x = 1",
    "unicode name": ONE + "ｅxec = 1\n    ﹍x = ｅval('1')",
    "long string": ONE + "x = '" + "a" * 60_000 + "'",
    "many names": ONE + "\n    ".join(f"x{i} = {i}" for i in range(3_000)),
    "many constants": ONE + "x = (" + ",".join(map(str, range(9_000))) + ")",
    "many functions": "\n".join(f"def f{i}(obs):\n yield noop()" for i in range(1_000))
    + "\ndef macro(obs):\n" + "\n".join(f" yield from f{i}(obs)" for i in range(1_000)),
    "call chain": "def f0(obs):\n    yield noop()\n"
    + "".join(f"def f{i}(obs):\n    yield from f{i - 1}(obs)\n" for i in range(1, 20)),
    "instructions": ONE + "\n    ".join(["obs = yield turn(obs.x, obs.y)"] * 2_000)
    + "\n    x = " + "+".join(["obs.x"] * 60) + ("\n    y = x*x*x*x*x" * 2_500),
    "too large": ONE + "# " + "x" * 70_000,
    "carriage returns": "\r" * 60_000,
    "form feeds": "\f" * 60_000 + ONE + "pass",
    "backslashes": ONE + "\\\n" * 30_000,
    "nested comprehensions": ONE + "x = " + "[" * 40 + "1" + " for i in range(9)]" * 40,
    "generators": ONE + "x = sum(" * 20 + "[1]" + ")" * 20,
    "bytes": ONE + "x = b'abc'",
    "ellipsis": ONE + "x = ...",
    "complex": ONE + "x = 3j",
    "type comment": ONE + "x = 1 # type: ignore[" + "[" * 300,
    "star": ONE + "obs = yield forward(*obs.rays, **obs)",
    "walrus": ONE + "if (n := 3) > 2:\n        pass",
    "global obs": "def macro(obs):\n    global obs\n    yield noop()",
    "match": ONE + "match obs:\n        case 1:\n            pass",
    "async": "async def macro(obs):\n    yield noop()",
    "decorator": "@staticmethod\ndef macro(obs):\n    yield noop()",
    "defaults": "def f(a=f):\n    return a\n" + ONE + "x = f()",
    "assigned builtin": ONE + "range = 3\n    for i in range(3):\n        pass",
    "yield in list": ONE + "x = [(yield noop()) for i in range(3)]",
    "yield in lambda": ONE + "x = min([1], key=lambda r: (yield noop()))",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_or_compiled_within_the_bounds(name):
    result = parse_macro(HOSTILE[name], None, "full")
    assert work.spent() < bytecode.MAX_WORK * 1.2
    if isinstance(result, bytecode.Program):
        bytecode.verify(result)
    else:
        assert result.reason and len(result.describe()) < 1_200


@pytest.mark.parametrize("field", ["obs.rays", 'obs.sees("cow")', 'obs.nearest("cow").distance'])
def test_rays_exist_only_at_level_full(field):
    source = f"def macro(obs):\n    if {field}:\n        obs = yield forward()\n"
    refusal = parse_macro(source, None, "paper")
    assert isinstance(refusal, Refusal) and refusal.line == 2 and "no rays" in refusal.reason
    assert isinstance(parse_macro(source, None, "full"), bytecode.Program)


@pytest.mark.parametrize(
    ("code", "name", "here"),
    [
        ('if obs.count("oak_log"):\n        yield noop()', "oak_log", 'here it is "log"'),
        ('if obs.nearest("poppy"):\n        yield noop()', "poppy", 'here it is "red_flower"'),
        ('yield equip("Oak Sapling")', "Oak Sapling", 'here it is "sapling"'),
        ('yield equip("diamond_sworb")', "diamond_sworb", "did you mean diamond_sword"),
    ],
)
def test_an_unknown_name_is_accepted_with_a_notice(code, name, here):
    program = parse_macro(f"def macro(obs):\n    {code}\n", None, "full")
    assert isinstance(program, bytecode.Program)
    [notice] = program.notices
    assert notice.startswith(f'line 2: nothing is called "{name}"; {here}')


def test_the_named_function_is_the_macro_and_else_the_last_that_takes_obs():
    source = "".join(f"def {name}(obs):\n    yield noop()\n" for name in "ab")
    source += "def c(n):\n    return n\n"
    assert parse_macro(source, "a").name == "a"
    assert parse_macro(source).name == "b"
    missing = parse_macro(source, "d")
    assert isinstance(missing, Refusal) and "no function d" in missing.reason


def test_an_unknown_sensor_level_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="paper"):
        parse_macro("", None, "all")
