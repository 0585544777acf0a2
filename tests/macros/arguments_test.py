"""Actions of a world with a spec, and bounded parameters of macros, run on the host."""

import re

import numpy as np
import pytest

from rlgpt_jax.envs.spec import Action, Argument, WorldSpec
from rlgpt_jax.macros.language import link_macro
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode as bc
from rlgpt_jax.macros.vm.host import interpret_host
from tests.macros import worlds
from tests.macros.carts import (
    GO_HOME,
    IDLE,
    NUM_FIELDS,
    SPEC,
    compiled,
    lines,
    played,
    program,
    view,
)
from tests.macros.vm.machines import uncompiled_host

DRIVE, TURN, BRAKE, JUMP_TO = range(4)
SKILLS = dict(SPEC.skills)
NAN, INF = float("nan"), float("inf")
# Lines of a macro, and the actions that they are; field i is i + the step.
ACTIONS = {
    "obs = yield drive(0.25)\nyield drive(lift=2, force=obs.x - 0.5)": (
        [[DRIVE, 0.25, 1], [DRIVE, 0.5, 2]]
    ),
    "act = turn(obs.speed)\nyield act\nyield act\nyield turn()": (
        [[TURN, 1, 0], [TURN, 1, 0], [TURN, 0.5, 0]]
    ),
    "def steer(x):\n    return turn(x) if x < 2 else brake()\nyield steer(1.5)\nyield steer(3)": (
        [[TURN, 1.5, 0], [BRAKE, 0, 0]]
    ),
    "for act, by in ((turn, 2), (drive, -1)):\n    obs = yield act(by)": (
        [[TURN, 2, 0], [DRIVE, -1, 1]]
    ),
    "step = drive\nobs = yield step(0.5, lift=2)\nyield step(**{'force': 1, 'lift': 1})": (
        [[DRIVE, 0.5, 2], [DRIVE, 1, 1]]
    ),
    "acts = [turn(i) for i in range(3)] + [brake()]\nfor act in acts:\n    yield act": (
        [[TURN, 0, 0], [TURN, 1, 0], [TURN, 2, 0], [BRAKE, 0, 0]]
    ),
    "yield": [IDLE],
    # Clamped; nan is the default, or what is nearest to 0.
    "yield drive(-9, 9)\nyield turn(1e30)\nyield turn(-inf)": (
        [[DRIVE, -1, 2], [TURN, 3, 0], [TURN, -3, 0]]
    ),
    "bad = inf - inf\nyield drive(bad, bad)\nyield turn(bad)": [[DRIVE, 0, 1], [TURN, 0.5, 0]],
    # An old observation, and the column where Minecraft has a name.
    "prev = obs\nobs = yield turn(1)\nyield drive(prev.x - obs.x, prev.wheel_8 - 10)\n"
    "yield drive(obs.wheel_8 / 24, (prev.held - obs.held) * -2)": (
        [[TURN, 1, 0], [DRIVE, -1, 1], [DRIVE, 0.5, 2]]
    ),
    # Another meaning of a name is the author's.
    "def turn(x):\n    return drive(x)\nyield turn(0.5)": [[DRIVE, 0.5, 1]],
}
SPEEDS = """
def push(obs, depth: (0.0, 0.2) = 0.1, *, speed: (-1, 2)):
    obs = yield drive(depth, speed)
    return obs
"""


@pytest.mark.parametrize("text", ACTIONS)
def test_actions_have_their_index_and_arguments_compiled_and_in_python(text: str) -> None:
    macro = program(lines(text))
    actions, out = played(macro)
    expected = np.array([*ACTIONS[text], [BRAKE, 0, 0]], np.float32).tolist()
    assert actions == expected and out.ended[0] == bc.RETURNED
    assert played(macro, host=uncompiled_host())[0] == actions


@pytest.mark.parametrize(
    ("text", "trap"),
    [
        ("yield drive('fast')", bc.TRAP_KIND),
        ("yield drive(1 / (obs.x - obs.x))", bc.TRAP_DIVIDE),
        ("act = obs.x\nyield act", bc.TRAP_KIND),
        ("act = (obs.x, 1)\nyield act[0]", bc.TRAP_KIND),
        ("xs = []\nwhile True:\n    xs.append(brake())", bc.TRAP_MEMORY),
    ],
)
def test_mistakes_end_the_macro_with_its_line(text: str, trap: int) -> None:
    actions, out = played(program(lines(text)))
    assert actions == [] and out.trap_code[0] == trap
    assert 2 <= out.trap_line[0] <= 1 + len(text.split("\n"))


def test_actions_leave_no_room_taken_and_lists_are_kept() -> None:
    text = (
        "xs = [3, 1]\nlast = turn(2)\nwhile True:\n    for i in range(9):\n        act = turn(i)\n"
    )
    text += "    xs.append(i)\n    if len(xs) > 20:\n        xs = xs[:2]\n    obs = yield act\n"
    text += "    obs = yield turn(xs[0] + xs[1] / 2)\n    obs = yield last"
    macro = program(lines(text))
    for host in (interpret_host, uncompiled_host()):
        actions, out = played(macro, 120, host=host)
        assert len(actions) == 120 and out.ended[0] == 0
        assert {tuple(row) for row in actions[0::3]} == {(TURN, 3, 0)}
        assert {tuple(row) for row in actions[1::3]} == {(TURN, 3, 0)}
        assert {tuple(row) for row in actions[2::3]} == {(TURN, 2, 0)}


def test_lanes_that_wait_or_do_nothing_are_idle() -> None:
    macro_set = bc.link([program(lines("yield turn(2)"))])
    views, chosen = np.repeat(view(0), 3, 0), np.array([0, 1, 1], np.int32)
    busy = np.array([False, True, False])
    state = interpret_host.init_state(3)
    _, out = interpret_host.tick(macro_set, state, views, chosen, busy, spec=SPEC)
    assert out.action.tolist() == [IDLE, IDLE, [TURN, 2, 0]]
    assert out.from_macro.tolist() == [False, False, True]


# --- bounded parameters -------------------------------------------------------------
def test_parameters_hold_what_the_macro_was_started_with() -> None:
    macro = program(SPEEDS)
    assert macro.arguments == (Argument("depth", 0.0, 0.2, 0.1), Argument("speed", -1, 2, 0.5))
    for given, expected in (
        ((0.125, 1.5), [0.125, 1.5]),
        ((7, -7), [0.2, 0.5]),  # speed -1, and then the bounds of lift
        ((NAN, NAN), [0.1, 0.5]),
        ((-INF, INF), [0, 2]),
    ):
        for host in (interpret_host, uncompiled_host()):
            (action,), _ = played(macro, arguments=given, host=host)
            assert action == np.array([DRIVE, *expected], np.float32).tolist()


def test_called_by_another_macro_they_are_those_of_python() -> None:
    call = "obs = yield from push(obs, speed=1)\nobs = yield from push(obs, 0.5, speed=obs.speed)"
    expected = np.array([[DRIVE, 0.1, 1], [DRIVE, 0.5, 2], [BRAKE, 0, 0]], np.float32).tolist()
    plain = SPEEDS.replace("*, speed: (-1, 2)", "speed: (-1, 2) = 0")
    for source, library in ((SPEEDS + "\n" + lines(call), {}), (lines(call), {"push": plain})):
        macro = program(source, "paper", library, "macro")
        assert macro.arguments == () and played(macro)[0] == expected


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("depth: (0.2, 0.1)", "the bounds of depth are not two numbers in order"),
        ("depth: (0, inf)", "not two numbers in order"),
        ("depth: (-1e39, 0)", "not two numbers in order"),
        ("depth: (0, 1, 2)", "the bounds of depth are not two constant numbers"),
        ("depth: (0, unknown)", "not two constant numbers"),
        ("depth: ()", "not two constant numbers"),
        ("depth: (0, 1) = 2", "the default of depth, 2.0, is outside"),
        ("depth: (0, 1) = None", "the default of depth is not a constant number"),
        ("depth", "bounded parameters"),
        ("depth: float", "bounded parameters"),
        (", ".join(f"p{i}: (0, 1)" for i in range(MAX_ARGUMENTS + 1)), "4 are allowed"),
    ],
)
def test_bad_bounds_are_refused_in_one_line(parameters: str, words: str) -> None:
    refused = compiled(f"def push(obs, {parameters}):\n    yield drive(1)\n")
    assert isinstance(refused, Refusal) and words in refused.reason
    assert refused.line == 1 and re.search("0.0, 0.2|use fewer", refused.instead)


def test_other_annotations_and_minecraft_know_no_bounds() -> None:
    source = "def push(obs, n: int = 2, *rest: (0, 1)):\n    yield drive(n - 1.5)\n"
    assert program(source).arguments == () and played(program(source))[0] == [[DRIVE, 0.5, 1]]
    assert worlds.program("def push(obs, n: (0, 1) = 1):\n    yield noop()\n").arguments == ()


# --- trusted skills -------------------------------------------------------------------
def test_a_skill_may_use_hidden_actions_and_other_skills() -> None:
    macro = program(lines("obs = yield from seek(obs)"), "full", SKILLS)
    assert played(macro)[0] == [[DRIVE, 1, 1], [JUMP_TO, 0.5, 0], [BRAKE, 0, 0]]
    alone = program(GO_HOME)
    assert played(alone)[0] == [[JUMP_TO, 0, 0], [JUMP_TO, 0.5, 0]]


@pytest.mark.parametrize("library", [{}, {"go_home": GO_HOME.replace("steps=2", "steps=3")}])
def test_nobody_else_may(library: dict[str, str]) -> None:
    call = "yield from go_home(obs)" if library else "yield jump_to(1)"
    refused = compiled(lines(call), "full", library)
    assert isinstance(refused, Refusal) and "the function jump_to is not known" in refused.reason
    assert "jump_to" not in refused.instead


def test_a_part_of_a_plan_is_linked_with_what_it_calls() -> None:
    part = "def near(obs):\n    obs = yield from go_home(obs, 1)\n    return obs\n"
    text = link_macro(lines("obs = yield from near(obs)"), "macro", {"near": part})
    assert isinstance(text, str) and "called above: near" in text
    assert played(program(text, "paper", SKILLS))[0] == [[JUMP_TO, 0, 0], [BRAKE, 0, 0]]


# --- errors of callers ------------------------------------------------------------------
def test_wrong_worlds_are_errors_in_one_line() -> None:
    here, there = program(lines("pass")), worlds.program("def macro(obs):\n    yield noop()")
    with pytest.raises(ValueError, match="several worlds"):
        bc.link([here, there])
    state, row, no = interpret_host.init_state(1), np.zeros(1, np.int32), np.zeros(1, bool)
    with pytest.raises(ValueError, match=f"the view has 3 columns.*{NUM_FIELDS + MAX_ARGUMENTS}"):
        interpret_host.tick(bc.link([here]), state, np.zeros((1, 3)), row, no, spec=SPEC)


def test_a_spec_that_macros_could_not_name_is_an_error() -> None:
    one, two = Argument("one", 0, 1, 0.5), Argument("two", 0, 1)
    for actions, words in (
        ((Action("open it", ""),), "'open it' is not a Python name"),
        ((Action("go", ""), Action("go", "")), "stands twice"),
        ((Action("go", "", (one, two)),), "change their order"),
    ):
        with pytest.raises(ValueError, match=words):
            WorldSpec("w", (), actions)
    with pytest.raises(ValueError, match="outside its bounds"):
        Argument("one", 0, 1, 2)
