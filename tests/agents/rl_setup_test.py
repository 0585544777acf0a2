"""The question for the RL interface, and which answers can be used."""

import dataclasses
import json

import pytest

from rlgpt_jax.agents import rl_read, rl_setup
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import Refusal
from rlgpt_jax.rl.interface import DEFAULT, Given, RewardTerms, RLInterface, TrainingTask
from tests.agents.states import LATER, PLAN, PROMPTS, SETTING

DESIGNS = tuple(rl_read.PARTS)
GIVEN = Given(
    reward=RewardTerms(success=10.0, step_cost=0.02, distance=0.5, targets=("cow",)),
    mobs=("cow",), start_items=(("bucket", 1),),
)  # fmt: skip
RUN = dataclasses.replace(
    SETTING, given=GIVEN, ticks_per_iteration=100_000, offered=(("climb", "Goes up."),)
)


def state(**changes):
    return LATER.replace(setting=dataclasses.replace(RUN, **changes), plan=PLAN)


def answer(**parts) -> str:
    return f"I think so.\n```json\n{json.dumps(parts)}\n```\n"


def parse(given=None, /, **parts):
    return rl_setup.parse(answer(**parts), given or state())


def test_an_answer_that_sets_everything():
    got = parse(
        task={"goal_item": "log", "goal_quantity": 2, "horizon": 100, "mob_range": 5,
              "start_items": {"shears": 1, "dirt": 3}},
        observation=["rays", "held", "rays"],
        actions={"primitives": ["use", "nothing", "forward", "turn_left"],
                 "macros": ["hop", "climb"], "turn": 15},
        reward={"success": 20, "step_cost": 0, "distance": {"targets": ["log", "cow"],
                "per_block": 1.5}, "items": {"log": 2, "dirt": -0.5}, "exploration": 0.1},
        training={"ticks": 50_000.0, "stop_at_success": 0.9, "network": "best"},
    )  # fmt: skip
    assert got == RLInterface(
        task=TrainingTask("log", 2, 100, 5, (("shears", 1), ("dirt", 3))),
        observation=("held", "rays"),
        primitives=("forward", "turn_left", "use"),
        macros=("hop", "climb"),
        turn=15,
        reward=RewardTerms(
            20.0, 0.0, 1.5, ("log", "cow"), (("log", 2.0), ("dirt", -0.5)), exploration=0.1
        ),
        ticks=50_000,
        stop_at_success=0.9,
        network="best",
        reasoning="I think so.",
    )


def test_what_is_left_out_or_null_stays_as_the_run_has_it():
    nulls = {
        "reasoning": "Why not.", "task": {"goal_item": None, "start_items": None},
        "observation": None, "actions": {"primitives": None, "macros": None},
        "reward": {"distance": {"targets": [], "per_block": None}, "items": []},
        "training": {"ticks": None, "stop_at_success": None},
    }  # fmt: skip
    assert parse(**nulls) == dataclasses.replace(DEFAULT, reasoning="Why not.")
    assert parse() == dataclasses.replace(DEFAULT, reasoning="I think so.")


def test_lists_of_objects_mean_the_same_as_objects():
    """A JSON schema that names every property has no other way for items."""
    got = parse(
        task={"start_items": [{"name": "log", "quantity": 2}]},
        reward={"items": [{"name": "wool", "reward": 3}]},
    )
    assert got.task.start_items == (("log", 2),) and got.reward.items == (("wool", 3.0),)


def test_empty_is_not_left_out():
    got = parse(task={"start_items": {}}, actions={"macros": []})
    assert got.task.start_items == () and got.macros == ()


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"rewards": {}}, ("'rewards'", "reward", "observation")),
        ({"reward": {"sucess": 1}}, ("'sucess'", "success")),
        ({"reward": []}, ("reward is []", "success")),
        ({"reward": {"success": 1000}}, ("1000", "0 to 100", "Write 100")),
        ({"reward": {"success": "12"}}, ("'12'", "Write 12")),
        ({"reward": {"success": 10**400}}, ("0 to 100",)),
        ({"reward": {"success": float("inf")}}, ("inf", "0 to 100")),
        ({"reward": {"step_cost": float("nan")}}, ("nan", "0 to 1")),
        ({"reward": {"step_cost": True}}, ("True", "0 to 1")),
        ({"reward": {"exploration": 11}}, ("11", "Write 10")),
        ({"reward": {"distance": {"per_block": -1}}}, ("per_block is -1", "Write 0")),
        ({"reward": {"distance": {"targets": ["cows"]}}}, ("'cows'", "cow")),
        ({"reward": {"distance": {"targets": "cow"}}}, ("'cow'", "list of names")),
        ({"reward": {"items": {"lgo": 1}}}, ("'lgo'", "log")),
        ({"reward": {"items": {"log": 101}}}, ("reward.items.log is 101", "Write 100")),
        ({"reward": {"items": [{"name": "log"}]}}, ("'log'", "-100 to 100")),
        ({"reward": {"items": 3}}, ("reward.items is 3", "object")),
        ({"reward": {"success": 0, "distance": {"per_block": 0}}}, ("no term is above 0",)),
        ({"task": {"horizon": 10}}, ("10", "20 to 400", "Write 20")),
        ({"task": {"horizon": 50.5}}, ("50.5", "whole")),
        ({"task": {"goal_quantity": 0}}, ("goal_quantity is 0", "1 to 64")),
        ({"task": {"goal_item": "milk"}}, ("'milk'", "milk_bucket")),
        ({"task": {"mob_range": 99}}, ("99", "2 to 40")),
        ({"task": {"start_items": {"log": 65}}}, ("log is 65", "Write 64")),
        ({"observation": []}, ("blind",)),
        ({"observation": ["ray"]}, ("'ray'", "rays")),
        ({"actions": {"primitives": ["turn_left", "use"]}}, ("walking", "forward")),
        ({"actions": {"primitives": ["forward"]}}, ("turning", "turn_right")),
        ({"actions": {"primitives": ["run", "turn_left"]}}, ("'run'", "sprint")),
        ({"actions": {"macros": ["raise_view"]}}, ("raise_view", '"code"')),
        ({"actions": {"macros": ["hops"]}}, ("'hops'", "hop, climb")),
        ({"training": {"ticks": 5_000}}, ("5000", "10,000 to 100,000", "Write 10000")),
        ({"training": {"ticks": 100_001.5}}, ("100001.5", "Write 100000")),
        ({"training": {"stop_at_success": 95}}, ("95", "0.1 to 1")),
        ({"actions": {"turn": 20}}, ("actions.turn is 20", "15, 30")),
        ({"actions": {"turn": [15]}}, ("actions.turn is [15]", "15, 30")),
        ({"training": {"network": "first"}}, ("'first'", "last, best, fresh")),
    ],
)
def test_a_refusal_says_what_was_given_and_what_may_be(parts, words):
    got = parse(**parts)
    assert isinstance(got, Refusal)
    assert all(word in got.reason for word in words), got.reason


@pytest.mark.parametrize(("text", "words"), [("No.", "no JSON object"), ("{", "could not be read")])
def test_an_answer_without_json_is_refused(text, words):
    assert words in rl_setup.parse(text, state()).reason


def test_a_value_that_is_no_object_is_refused():
    with pytest.raises(Wrong, match="must be an object"):
        rl_read.interface_of(["reward"], state())
    assert rl_read.interface_of(None, state()) == DEFAULT


PARTS = {
    "task": {"horizon": 100},
    "observation": ["rays"],
    "actions": {"primitives": ["forward", "turn_left"]},
    "reward": {"success": 1},
    "training": {"stop_at_success": 0.5},
}
MAY = {
    "both": set(PARTS),
    "reward": {"task", "observation", "reward", "training"},
    "action": {"actions"},  # and training.ticks
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("part", PARTS)
def test_a_design_allows_its_parts_and_says_so_of_the_others(design, part):
    got = parse(state(design=design), **{part: PARTS[part]})
    if part in MAY[design]:
        assert isinstance(got, RLInterface)
    else:
        assert f'"{part}' in got.reason and "cannot be set in this run" in got.reason


def test_ticks_may_be_set_in_every_design():
    assert {parse(state(design=d), training={"ticks": 20_000}).ticks for d in DESIGNS} == {20_000}


def test_more_ticks_than_the_run_has_are_all_of_them():
    assert parse(state(), training={"ticks": 200_000}).ticks == 100_000


def test_nulls_of_parts_that_a_design_does_not_have_are_no_offence():
    got = parse(state(design="action"), reward={"success": None, "items": []}, task=None)
    assert isinstance(got, RLInterface)


def test_what_has_no_meaning_in_a_task_is_refused():
    alone = state(given=dataclasses.replace(GIVEN, mobs=()))
    assert "no mobs" in parse(alone, task={"mob_range": 5}).reason
    placed = state(nearby=True)
    assert "placed" in parse(placed, task={"goal_quantity": 2}).reason
    assert parse(placed, task={"goal_quantity": 2, "goal_item": "log"}).task.goal_quantity == 2


def objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


def unions(schema) -> int:
    if not isinstance(schema, dict):
        return 0
    return isinstance(schema.get("type"), list) + sum(map(unions, schema.values()))


@pytest.mark.parametrize("design", DESIGNS)
def test_the_schema_is_closed_and_names_what_the_design_may_set(design):
    schema = rl_setup.schema(state(design=design))
    for found in objects(schema):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])
    allowed = MAY[design] | {"training", "reasoning"}
    assert set(schema["properties"]) == allowed
    assert unions(schema) <= 16  # what Anthropic's structured outputs take
    stop = "stop_at_success" in schema["properties"]["training"]["properties"]
    assert stop == (design != "action")


def filled(schema):
    """An answer that keeps to a schema, with null wherever it may be."""
    kind = schema["type"]
    if isinstance(kind, list):
        return None
    if kind == "object":
        return {name: filled(part) for name, part in schema["properties"].items()}
    return {"array": [], "string": "", "number": 1.0}[kind]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_emptiest_answer_of_the_schema_is_the_run_s_own_training(design):
    given = state(design=design)
    text = json.dumps(filled(rl_setup.schema(given)))
    assert rl_setup.parse(text, given) == DEFAULT


def test_the_question_tells_the_run_s_own_values_and_ranges():
    (message,) = rl_setup.render(state(), PROMPTS)
    for words in (
        "10 for success, -0.02 per tick, 0.5 per block nearer to the nearest cow",
        "the goal is 1 milk_bucket, at most 200 ticks, start with 1 bucket",
        "cow, within 10 blocks", "20 to 400 ticks", "10,000 to 100,000", "hop, climb.",
        "updated every 8,192 ticks", "last 100 finished", "not before 20%",
        "discount 0.99 per tick",
    ):  # fmt: skip
        assert words in message.text, words


@pytest.mark.parametrize(
    ("design", "there", "absent"),
    [
        ("both", ('### "reward"', '### "actions"'), ()),
        ("reward", ('### "reward"', '### "task"'), ('### "actions"', '"macros"')),
        ("action", ('### "actions"', '"ticks"'), ('### "reward"', "stop_at_success")),
    ],
)
def test_a_design_is_told_its_parts_alone(design, there, absent):
    text = rl_setup.form(state(design=design), PROMPTS)
    assert all(words in text for words in there)
    assert not any(words in text for words in absent)


def test_later_questions_show_what_was_set_and_the_critic_s_words():
    memory = dataclasses.replace(LATER.memory[0], interface="Reward: 3 for success.")
    later = state().replace(memory=(memory,))
    text = rl_setup.render(later, PROMPTS)[0].text
    assert "Reward: 3 for success." in text and "The critic says to you: Train longer." in text
    first = rl_setup.render(later.replace(memory=(), iteration=0), PROMPTS)[0].text
    assert "this is the first" in first


def test_a_refused_answer_comes_with_its_reason():
    again = state().replace(refused=("{}", "No term is above 0."))
    assert "No term is above 0." in rl_setup.render(again, PROMPTS)[0].text


def test_an_interface_in_words():
    words = rl_setup.describe(parse(
        task={"goal_quantity": 3, "horizon": 100},
        observation=["rays", "held", "compass", "gps", "voxels", "previous", "status"],
        actions={"primitives": ["forward", "back", "left", "right", "jump", "turn_left",
                                "turn_right", "use"], "macros": []},
        reward={"step_cost": 0, "items": {"log": 2}, "distance": {"targets": ["log"]}},
        training={"stop_at_success": 0.9},
    ))  # fmt: skip
    assert words.split("\n") == [
        "Training episodes: the goal is 3 of the goal item, at most 100 ticks.",
        "Left out of the observation: biome, inventory.",
        "Primitives left out: sneak, sprint, look_up, look_down, attack.",
        "Macros offered: none.",
        "Reward: 0 per tick, distance counts to the nearest log, 2 per log gained.",
        "Budget: ends early when 90% of the last training episodes succeed.",
    ]
    assert rl_setup.describe(DEFAULT) == "Training is as the run has it."


def test_the_fallback_is_the_run_s_own_training_with_a_note():
    got = rl_setup.fallback("reward is [].")
    assert dataclasses.replace(got, note="") == DEFAULT and "reward is []." in got.note
    assert got.note in rl_setup.describe(got)
