"""A small world with a spec, for tests of the macro language: a cart that drives to a goal."""

from collections.abc import Mapping
from types import ModuleType

import numpy as np

from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.limits import MAX_ARGUMENTS
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm import bytecode
from rlgpt_jax.macros.vm.bytecode import MacroTick, Program
from rlgpt_jax.macros.vm.host import interpret_host

GO_HOME = '''
def go_home(obs, steps=2):
    """Goes half the way home, so many times."""
    for _ in range(steps):
        obs = yield jump_to(obs.x / 2)
    return obs
'''
SEEK = '''
def seek(obs):
    """Drives towards the goal for one step, and home."""
    obs = yield drive(obs.goal - obs.x)
    obs = yield from go_home(obs, 1)
    return obs
'''
# More fields than Minecraft has numbers before its first name, which is in column 11.
SENSED = ("x", "speed", "yaw", *(f"wheel_{i}" for i in range(9)), "held")
SPEC = WorldSpec(
    name="carts",
    fields=(
        *(Field(name, f"{name} of the cart in m", -5, 5) for name in SENSED),
        Field("goal", "place of the goal in m", -5, 5, level="full"),
    ),
    actions=(
        Action("drive", "pushes the cart", (Argument("force", -1, 1), Argument("lift", 0.5, 2, 1))),
        Action("turn", "turns the wheel, in degrees", (Argument("by", -3, 3, 0.5),)),
        Action("brake", "slows down."),
        Action("jump_to", "is at once at x", (Argument("x", -5, 5),), hidden=True),
    ),
    primitive="drive",
    skills=(("go_home", GO_HOME), ("seek", SEEK)),
    step_seconds=0.05,
)
NUM_FIELDS = len(SPEC.fields)
IDLE = [0, 0, 1]


def compiled(
    source: str, sensors: str = "full", library: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Program | Refusal:  # fmt: skip
    return parse_macro(source, name, sensors, library or {}, SPEC)


def program(source: str, *args: object) -> Program:
    """Compiles a macro that the test needs to be accepted."""
    result = compiled(source, *args)  # type: ignore[arg-type]
    assert isinstance(result, Program), result.describe()
    return result


def lines(text: str) -> str:
    """A macro of these lines."""
    indented = "".join(f"    {line}\n" for line in text.split("\n"))
    return f"def macro(obs):\n{indented}    yield brake()\n"


def view(step: int, arguments: tuple[float, ...] = ()) -> np.ndarray:
    """float32[1, F + MAX_ARGUMENTS]: field i is i + step."""
    row = np.zeros((1, NUM_FIELDS + MAX_ARGUMENTS), np.float32)
    row[:, :NUM_FIELDS] = np.arange(NUM_FIELDS) + step
    row[0, NUM_FIELDS : NUM_FIELDS + len(arguments)] = arguments
    return row


def played(
    macro: Program, steps: int = 12, arguments: tuple[float, ...] = (),
    host: ModuleType = interpret_host,
) -> tuple[list[list[float]], MacroTick]:  # fmt: skip
    """The actions of a macro until it ends or the steps do, and the last tick."""
    macro_set, state = bytecode.link([macro]), host.init_state(1)
    actions = []
    for step in range(steps):
        chosen = np.array([step == 0], np.int32)
        given = view(step, arguments)
        state, out = host.tick(macro_set, state, given, chosen, np.zeros(1, bool), spec=SPEC)
        assert out.action.dtype == np.float32 and out.action.shape == (1, SPEC.columns)
        if out.ended[0]:
            assert out.action[0].tolist() == IDLE
            break
        actions.append(out.action[0].tolist())
    return actions, out
