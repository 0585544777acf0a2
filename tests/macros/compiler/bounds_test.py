"""No text is too much for the compiler, and no value too much for the world."""

import resource
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.agents.parse import python_source
from rlgpt_jax.envs.base import CRAFT_ARG, FUNCTION, PITCH, SLOT_ARG, YAW
from rlgpt_jax.envs.names import NAMES
from rlgpt_jax.macros.compiler import work
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import Program
from rlgpt_jax.macros.vm.host import interpret_host
from tests.fuzz import trial, worst
from tests.fuzz.attack_texts import body
from tests.macros import worlds

MEGABYTE = 1_000_000
ANSWERS = Path(__file__).parents[1] / "answers"


# --- the compiler --------------------------------------------------------------------
def some(names):
    """Every third by default, all with `-m slow`."""
    return [
        pytest.param(name, marks=pytest.mark.slow if number % 3 else ())
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize("name", some(worst.WORST))
def test_the_worst_texts_are_refused_or_compiled_within_the_work_allowed(name):
    text = worst.WORST[name]
    assert len(text.encode("utf-8", "replace")) <= bytecode.MAX_SOURCE or "long" in name
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work.begin()
    program = parse_macro(text, None, "full")
    if isinstance(program, Refusal):
        assert program.reason and program.instead
        assert len(program.describe()) < 1_200
    else:
        bytecode.verify(program)
    largest_step = 20_000  # what one charge may overshoot
    assert work.spent() <= bytecode.MAX_WORK + largest_step
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < 50 * MEGABYTE


@pytest.mark.parametrize("name", ["lines of stars", "turns", "records in many names", "elifs"])
def test_the_largest_compilations_hold_less_than_fifty_megabytes(name):
    cost = worst.measure(worst.WORST[name], tries=1)
    assert 0 < cost.peak < 50 * MEGABYTE


def test_the_same_text_is_always_the_same_work():
    text = worst.WORST["comprehensions"][:3_000].rsplit("\n", 1)[0] + "\n"
    parse_macro(text, None, "full")
    first = work.spent()
    parse_macro("def macro(obs):\n    yield noop()\n")
    parse_macro(text, None, "full")
    assert work.spent() == first > 500


def test_macros_as_long_as_the_longest_answers_leave_half_of_the_work():
    answers = [path.read_text() for path in sorted(ANSWERS.glob("*.answer.txt"))]
    source = python_source(max(answers, key=len))
    assert isinstance(source, str)
    assert 150 < source.count("\n") < 400
    assert isinstance(parse_macro(source, None, "full"), Program)
    assert work.spent() < bytecode.MAX_WORK / 2


def test_too_much_work_is_refused_in_clear_words():
    refusal = parse_macro(worst.WORST["comprehensions"], None, "full")
    assert isinstance(refusal, Refusal)
    assert "too large" in refusal.reason or "instructions" in refusal.reason
    assert "shorter" in refusal.instead


TOO_LARGE = {
    "bytes": ("#" * 70_000, "70000 bytes, 65536 are allowed"),
    "words": ("x;" * 30_000, "60000 words and signs"),
    "nodes": ("lambda:1\n" * 4_990, "too large"),
    "foreign": ("# " + "語" * 1_500, "not ASCII"),
    "levels": (body("x = " + "1+" * 150 + "1"), "expression is too long"),
    "blocks": ("".join("  " * i + "if 1:\n" for i in range(30)) + "  " * 30 + "x", "blocks inside"),
    "indentation": (" " * 400 + "x = 1", "indented too deeply"),
    "brackets": (body("x = " + "(" * 60 + "1" + ")" * 60), "brackets are nested"),
    "brackets after others": (")" * 99 + "(" * 60, "brackets are nested"),
    "number": (body("x = " + "9" * 5_000), "the number is too long"),
    "control": (body("x = 1\x07"), "cannot be seen"),
    "bidi": (body("x = 1  # \u202e"), "cannot be seen"),
    "parameters": (f"def f({','.join(f'a{i}' for i in range(40))}):\n return 1\n" + body("x=1"),
                   "32 parameters"),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_LARGE)
def test_each_bound_has_its_words(name):
    text, words = TOO_LARGE[name]
    refusal = parse_macro(text, None, "full")
    assert isinstance(refusal, Refusal)
    assert words in refusal.reason, refusal.reason


def test_a_program_is_never_larger_than_the_arrays_of_a_set():
    """Records that are kept at every tick are instructions that no statement shows."""
    names = [f"r{i}" for i in range(90)]
    lines = [f"{name} = obs" for name in names] + ["obs = yield jump()"] * 150
    lines += [f"y = {name}.x" for name in names]
    text = "def macro(obs):\n  while True:\n" + "".join(f"    {line}\n" for line in lines)
    program = parse_macro(text, None, "full")
    if isinstance(program, Refusal):
        assert "instructions" in program.reason or "too large" in program.reason
    else:
        bytecode.verify(program)
        assert len(program.code) <= bytecode.MAX_CODE


# --- the world -----------------------------------------------------------------------
NUMBERS = {
    "nan": ("inf - inf", 12),
    "infinity": ("1e38 * 1e38", 24),
    "minus infinity": ("-1e38 * 1e38", 0),
    "literal infinity": ('float("inf")', 24),
    "literal nan": ("nan", 12),
    "huge": ("3e38", 24),
    "minus huge": ("-3e38", 0),
    "tiny": ("1e-40", 12),
    "fraction": ("22.4", 13),
    "half a bin to even": ("7.5", 12),
    "too far": ("1e9", 24),
    "true": ("True", 12),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("known", [True, False], ids=["constant", "computed"])
def test_every_number_becomes_a_turn_of_the_table(name, known):
    number, expected = NUMBERS[name]
    value = number if known else f"({number}) + (obs.x - obs.x)"
    source = body(f"v = {value}", "obs = yield turn(v, v)", "obs = yield turn(v)")
    rng = np.random.default_rng(0)
    views = [worlds.random_view(rng, 1) for _ in range(3)]
    actions, _ = worlds.run_alone(source, views)
    assert [int(actions[1][YAW]), int(actions[1][PITCH])] == [expected, expected]
    assert [int(actions[2][YAW]), int(actions[2][PITCH])] == [expected, 12]


WAYS = {
    "turn": "turn(n, n)", "turn by name": "turn(pitch=n)", "jump flag": "forward(jump=n)",
    "sprint flag": "forward(sprint=n)", "equip": "equip(name)", "place": "place(name)",
    "destroy": "destroy(name)", "craft": "craft(name)", "invented": 'equip("no such thing")',
    "invented place": 'place("x" )', "function": "move()", "table": "moves[k % 4]",
    "choice": "forward() if n < 3 else turn(n)", "or": "None or jump()",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_actions_made_of_wild_views_are_rows_of_the_table(way):
    """Views with NaN, infinities and every name; `trial.check` looks at each action."""
    source = f"""
def macro(obs):
    moves = (forward(), turn(obs.yaw), equip(obs.held), noop())
    k = 0
    for move in (forward, attack, jump, left, use, drop):
        for n in (obs.x, obs.y * obs.z, obs.yaw / (obs.life * obs.life + 1), -obs.pitch):
            for name in (obs.held, obs.block(0, -1, 0), obs.rays[7].entity):
                obs = yield {WAYS[way]}
                k += 1
"""
    fate = trial.run(worlds.program(source), lanes=16, ticks=120)
    assert fate.ticks > 0


def test_every_name_of_the_game_can_be_crafted_and_equipped_without_harm():
    seen = set()
    for first in range(0, len(NAMES), 50):
        names = ", ".join(repr(name) for name in NAMES[first : first + 50])
        source = f"""
def macro(obs):
    for name in ({names}):
        obs = yield craft(name)
        obs = yield equip(name)
        obs = yield place(name)
        obs = yield destroy(name)
"""
        program = worlds.program(source)
        macro_set, state = bytecode.link([program]), interpret_host.init_state(1)
        view = trial.random_views(np.random.default_rng(first), 1)
        for _ in range(200):
            state, out = interpret_host.tick(
                macro_set, state, view, np.ones(1, np.int32), np.zeros(1, bool)
            )
            trial.check(out.action, state)
            seen.add((int(out.action[0, FUNCTION]), int(out.action[0, CRAFT_ARG])))
            assert 0 <= out.action[0, SLOT_ARG] < 36
    assert len(seen) > 50, "no recipe was ever asked for"


def test_a_check_of_actions_finds_what_is_not_in_the_table():
    state = interpret_host.init_state(1)
    bad_rows = ([9, 0, 0, 12, 12, 0, 0, 0], [0, 0, 0, 25, 12, 0, 0, 0],
                [0, 0, 0, 12, 12, 4, 250, 0], [1, 1, 1, 1, 1, 1, 1, 1])  # fmt: skip
    for bad in bad_rows:
        with pytest.raises(trial.Escaped, match="not in the table"):
            trial.check(np.array([bad], np.int32), state)
