"""What the language has of a world with a spec, and that nothing of Minecraft is told of there."""

import ast
import re
from pathlib import Path

import pytest

from rlgpt_jax.envs.spec import Field, WorldSpec
from rlgpt_jax.macros import api, compiler, vocabulary
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal, Refused
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.vm.bytecode import Program
from tests.macros.carts import SPEC, compiled, lines, played, program

MINECRAFT = re.compile(
    r"forward|\brays?\b|\bcows?\b|\blogs?\b|pickaxe|bucket|planks|craft|inventor|\bblock\(|\.block"
    r"|\bgame|\btick|\bnear\(|nearest|distance|\bpitch|obs\.time|\br\.",
    re.IGNORECASE,
)
# Messages of what a world with a spec does not have: rays, questions, actions of Minecraft.
ONLY_IN_MINECRAFT = {"calls.py": (
    "acts for one tick", "cannot be crafted", "recipes", "obs.near", "obs.block", "crafting_table",
    "for i in range(10)", 'example "log"', "behind a ray",
), "expressions.py": ("obs.pitch", "of a ray", "obs.block(", "obs.count(", "call it"),
    "facts.py": ("has no rays", "yaw, pitch", "obs.block("), "lower.py": ("rays",)}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["x = obs.goal + obs.speed", "import random\nx = random.random()",
     "xs = [1, 1, 2]\nn = xs.count(1)", "mode = 'up'\nok = 'u' in mode",
     "try:\n    x = obs.goal\nexcept AttributeError:\n    x = 0"],
)  # fmt: skip
def test_fields_and_the_language_of_every_world_are_accepted(text: str) -> None:
    program(lines(text))


@pytest.mark.parametrize(
    ("text", "reason", "advice"),
    [
        ("x = obs.gaol", "there is no field gaol", "did you mean goal"),
        ("x = obs.inventory", "there is no field inventory", "obs has x, speed, yaw"),
        ("x = obs.rays", "there is no field rays", "obs has x, speed, yaw"),
        ("n = obs.count('log')", "there is no method count", "obs has x, speed"),
        ("ok = obs.near('furnace')", "there is no method near", ""),
        ("x = obs.nearest('cow').distance", "there is no field distance", "obs has x, speed"),
        ("x = speed", "the name speed is not known", "write obs.speed"),
        ("yield forward()", "the function forward is not known", "drive, turn, brake; obs has x"),
        ("yield drvie(1)", "the function drvie is not known", "did you mean drive?"),
        ("yield turn(yaw=3)", "turn has no free parameter yaw", "write turn(by)"),
        ("yield drive()", "drive needs the argument force", "write drive(force, lift)"),
        ("f = attack\nyield f()", "the name attack is not known", ""),
        ("drive(1)", "drive(...) alone does nothing", "write obs = yield drive(...)"),
        ("yield from drive(1)", "drive(...) is an action", "write obs = yield drive(...)"),
        ("yield 3", "yield needs an action", "for example obs = yield drive(0, 1)"),
    ],
)
def test_refusals_name_what_is_there(text: str, reason: str, advice: str) -> None:
    refused = compiled(lines(text))
    assert isinstance(refused, Refusal)
    assert reason in refused.reason and advice in refused.instead
    told = refused.reason + refused.instead
    words = [word for word in MINECRAFT.findall(told) if word not in text]
    assert words == [] and "jump_to" not in told


@pytest.mark.parametrize("name", ["x", "x_speed"])
def test_advice_names_a_field_that_begins_as_one_of_minecraft(name: str) -> None:
    spec = WorldSpec("cars", (Field("speed", ""), Field(name, "")), SPEC.actions)
    refused = parse_macro(lines(f"y = {name}"), spec=spec)
    assert isinstance(refused, Refusal) and refused.instead == f"write obs.{name}"


def test_fields_of_the_level_full_are_not_there_at_paper() -> None:
    assert isinstance(compiled(lines("x = obs.goal"), "paper"), Refusal)
    assert isinstance(compiled(lines("x = obs.goal"), "full"), Program)


def test_random_numbers_come_from_all_fields_of_the_first_observation() -> None:
    macro = program(lines("import random\nyield drive(random.uniform(-1, 1))"))
    seeds = vocabulary.of_world("paper", SPEC).seeds
    assert sorted(sum(seeds, ())) == sorted(f.name for f in SPEC.fields if f.level == "paper")
    (first, *_), _ = played(macro)
    assert 0 < abs(first[1]) < 1


def messages(path: Path) -> list[str]:
    """The texts of a module of the compiler that may be shown: those of several words."""
    tree = ast.parse(path.read_text())
    docs = {ast.get_docstring(n, clean=False) for n in ast.walk(tree)
            if isinstance(n, ast.Module | ast.FunctionDef | ast.ClassDef)}  # fmt: skip
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    return [text for text in found if isinstance(text, str) and " " in text and text not in docs]


@pytest.mark.parametrize(
    "path", sorted(Path(compiler.__path__[0]).rglob("*.py")), ids=lambda p: p.name
)
def test_no_message_of_the_compiler_speaks_of_minecraft_elsewhere(path: Path) -> None:
    world = vocabulary.of_world("full", SPEC)
    for text in messages(path):
        shown = world.reworded(Refused(None, text)).reason
        if MINECRAFT.search(shown):
            assert any(words in shown for words in ONLY_IN_MINECRAFT.get(path.name, ())), shown


def test_every_replaced_wording_is_one_of_the_compiler() -> None:
    texts = [t for path in Path(compiler.__path__[0]).rglob("*.py") for t in messages(path)]
    for words, _ in vocabulary.of_world("full", SPEC).wording:
        assert any(words in text for text in texts), words


def test_unknown_levels_and_too_many_fields_are_errors() -> None:
    with pytest.raises(ValueError, match="sensors='half' is unknown"):
        compiled("", "half")
    many = WorldSpec("wide", tuple(Field(f"f{i}", "") for i in range(252)), SPEC.actions)
    with pytest.raises(ValueError, match="wide has 252 fields, macros can read 251"):
        vocabulary.of_world("paper", many)


# --- prompts ------------------------------------------------------------------------------
def test_prompts_tell_of_the_world_and_nothing_of_minecraft() -> None:
    paper, full = (
        api.prompt_text(level, skills.documented(level, SPEC), SPEC) for level in ("paper", "full")
    )
    assert not MINECRAFT.search(full) and "jump_to" not in full
    assert "one step (0.05 s)" in full and "`obs = yield drive(0, 1)`" in full
    assert (
        "- drive(force, lift=1): pushes the cart. Clamped: force to -1 .. 1, lift to 0.5 .. 2."
        in full
    )
    assert "- obs.goal: place of the goal in m." in full and "obs.goal" not in paper
    assert "- go_home(obs, steps=2): Goes half the way home, so many times." in paper
    assert "seek(obs)" in full and "seek" not in paper  # it reads what is not there


def test_examples_of_the_prompt_are_accepted() -> None:
    for action in SPEC.actions:
        if not action.hidden:
            program(lines(f"obs = yield {vocabulary.example(SPEC, action)}"))
    for field in api.documented(SPEC).fields:
        program(lines(f"x = {field.signature}"), field.level)
    macro = program(f"{api.BOUNDED_EXAMPLE}:\n    yield drive(depth, speed)\n")
    assert [argument.name for argument in macro.arguments] == ["depth", "speed"]
    names = 'mode = "reaching"\nok = "in" in mode and mode.startswith("reach")\n'
    names += 'for side in ("left", "right"):\n    ok = f"{side}_arm" == "left_arm"'
    program(lines(names))


def test_skills_are_offered_at_the_levels_where_they_run() -> None:
    assert list(skills.sources("paper", SPEC)) == ["go_home"]
    for level in ("paper", "full"):
        texts = skills.sources(level, SPEC)
        for name in texts:
            call = compiled(lines(f"obs = yield from {name}(obs)"), level, texts)
            assert isinstance(call, Program), call.describe()
