"""The documentation of the language is what the language has; skills do what they say."""

import pytest

from experiments.macro import measured
from rlgpt_jax.envs import base
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.macros import api
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.sensors import SENSOR_LEVELS
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.vm.bytecode import Program
from tests.envs.voxel import worlds
from tests.macros import api_examples

EPISODES = worlds.HOST_LANES
# What succeeds on flat ground with a cow and nothing to dig for.
ON_FLAT_GROUND = ("look_level", "face", "walk", "walk_to", "climb_out", "mine_ahead", "collect")

ENTRIES = (*api.ACTIONS, *api.FIELDS, api.Entry(api.FUNCTIONS, ""))
EXAMPLES = [(e, example) for e in ENTRIES for example in api_examples.EXPRESSIONS[e.signature]]


@pytest.fixture(scope="module")
def world() -> HostVoxel:
    return worlds.with_a_cow()


@pytest.mark.parametrize(("entry", "example"), EXAMPLES, ids=lambda x: str(x)[:40])
def test_every_example_of_the_documentation_is_accepted(entry: api.Entry, example: str) -> None:
    line = f"obs = yield {example}" if entry in api.ACTIONS else f"x = {example}"
    source = f"def macro(obs):\n    {line}\n    yield noop()\n"
    program = parse_macro(source, "macro", entry.level)
    assert isinstance(program, Program) and not program.notices
    if entry.level == "full":
        assert not isinstance(parse_macro(source, "macro", "paper"), Program)


def compiled(lines: str) -> Program | Refusal:
    """A macro of these lines."""
    indented = "".join(f"    {line}\n" for line in lines.split("\n"))
    return parse_macro(f"def macro(obs):\n{indented}    yield noop()\n", "macro", "full")


@pytest.mark.parametrize(
    "lines", [line for words in api.ACCEPTED for line in api_examples.ACCEPTED[words.split(":")[0]]]
)
def test_what_the_prompt_calls_accepted_is_accepted(lines: str) -> None:
    program = compiled(lines)
    assert isinstance(program, Program), program.describe()


@pytest.mark.parametrize("words", api.REFUSED)
def test_what_the_prompt_calls_not_accepted_is_refused(words: str) -> None:
    assert isinstance(compiled(api_examples.REFUSED[words]), Refusal)
    assert words in api.prompt_text("paper")


def test_the_rays_of_an_older_observation_are_gone_but_its_counts_stay() -> None:
    told = "but not prev.rays"
    assert told in api.prompt_text("full")
    program = compiled('prev = obs\nobs = yield attack()\nx = obs.count("log") > prev.count("log")')
    assert isinstance(program, Program)


def test_every_skill_has_a_docstring_an_example_and_a_scenario() -> None:
    assert set(skills.sources("full")) == set(skills.EXAMPLES) == set(measured.SCENARIOS)
    assert set(skills.sources("paper")) < set(skills.sources("full"))
    for level in SENSOR_LEVELS:
        for name, skill in zip(skills.sources(level), skills.documented(level), strict=True):
            assert skill.signature.startswith(f"{name}(obs") and len(skill.doc) > 30


@pytest.mark.parametrize("level", SENSOR_LEVELS)
def test_every_example_of_a_skill_is_accepted_at_its_level(level: str) -> None:
    texts = skills.sources(level)
    for name in texts:
        source = f"def macro(obs):\n    {skills.EXAMPLES[name]}\n"
        program = parse_macro(source, "macro", level, texts)
        assert isinstance(program, Program), (name, program.describe())


def test_prompts_tell_of_skills_only_where_they_are_given() -> None:
    plain = api.prompt_text("full")
    told = api.prompt_text("full", skills.documented("full"))
    assert told.startswith(plain)
    added = told[len(plain) :].strip().splitlines()
    assert added[0] == "Functions that exist already" and "yield from NAME(obs" in added[1]
    assert [line.partition("(")[0] for line in added[2:]] == [
        f"- {name}" for name in skills.sources("full")
    ]


def test_the_ray_under_the_crosshair_is_the_one_that_skills_read() -> None:
    assert base.CENTRE_RAY == 66
    texts = skills.sources("full").values()
    assert all("rays[" not in text.replace("rays[66]", "") for text in texts)


@pytest.mark.parametrize("skill", skills.EXAMPLES)
def test_a_skill_runs_in_the_world_without_a_mistake_and_ends(skill: str, world: HostVoxel) -> None:
    found = measured.measure(world, measured.program(skill))
    assert found.mistakes == () and found.episodes == EPISODES
    assert 0 < found.mean_ticks <= 200
    if skill in ON_FLAT_GROUND:
        assert found.successes == found.arose == EPISODES
