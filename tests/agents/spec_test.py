"""Prompts and set-ups of a world with a spec."""

import dataclasses
import json
import re

import pytest

from rlgpt_jax.agents import critic, fast, one, prompts, rl_setup, slow
from rlgpt_jax.agents.prompt_state import Attempt, Plan, PromptState, Refusal, SubAction, Trial
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec
from rlgpt_jax.macros import api
from rlgpt_jax.rl.interface import Given, RewardTerms, TrainingTask
from tests.agents.states import FATES, MEMORY, SETTING

SPEC = WorldSpec(
    name="boat",
    fields=(
        Field("east", "metres from the pier", -5.0, 5.0),
        Field("wind", "metres per second", 0.0, 9.0, level="full"),
    ),
    actions=(
        Action("sail", "sets the sail", (Argument("area", 0.0, 1.0), Argument("angle", -90, 90))),
        Action("drift", "does nothing"),
        Action("tow", "a tug comes", hidden=True),
    ),
    primitive="sail",
    notes="A boat on a lake.",
    progress=(("east", 0.5),),
    step_seconds=0.5,
)
BOAT = dataclasses.replace(
    SETTING, task="reach the buoy", goal_item="", goal_quantity=0, start_items="", biome="",
    spec=SPEC, api=api.prompt_text("paper", (), SPEC), reserved=("sail",),
    given=Given(RewardTerms(success=10.0, step_cost=0.02, progress=SPEC.progress)),
)  # fmt: skip
TEXTS = prompts.load(spec=True)
ATTEMPT = Attempt("def hop(obs):\n    yield drift()\n", trial="It drifted.")
PLAN = Plan((
    SubAction("raise_sail", "code", "Sail."), SubAction("hop", "macro", "Go on."),
    SubAction("find", "learn", "Find it."),
))  # fmt: skip
STATE = PromptState(
    BOAT, iteration=1, memory=(dataclasses.replace(MEMORY, plan=PLAN),), plan=PLAN, fates=FATES,
    sub_action=PLAN.sub_actions[1], attempts=(ATTEMPT,),
    trials=(Trial(PLAN.sub_actions[1], "def hop(obs): ...", "20 of 20 ended."),), report="Half.",
)  # fmt: skip
# Words of Minecraft that no prompt of another world may tell; "block" is what JSON comes in.
FOREIGN = re.compile(
    r"minecraft|\b(rays?|inventory|mobs?|cow|log|biome|crosshair|torch|jump|blocks)\b", re.I
)
RENDERS = {
    "slow": slow.render, "fast": fast.render, "rl_setup": rl_setup.render, "one": one.render,
    "trial_critic": critic.render_trials, "critic": critic.render,
}  # fmt: skip


@pytest.mark.parametrize("mode", ["rl_gpt", "pure_code"])
@pytest.mark.parametrize("design", ["both", "reward", "action"])
@pytest.mark.parametrize("name", RENDERS)
def test_no_prompt_tells_a_word_of_minecraft(name, design, mode):
    plan = dataclasses.replace(PLAN, sub_actions=PLAN.sub_actions[:1]) if mode != "rl_gpt" else PLAN
    setting = dataclasses.replace(BOAT, design=design, mode=mode)
    state = STATE.replace(setting=setting, plan=plan, sub_action=plan.sub_actions[0])
    for seen in (state, state.replace(memory=(), iteration=0, attempts=())):
        text = RENDERS[name](seen, TEXTS)[0].text
        assert not FOREIGN.findall(text)
        assert "A boat on a lake." in text and "reach the buoy" in text.lower()


def test_prompts_tell_what_the_policy_and_macros_have():
    text = slow.render(STATE, TEXTS)[0].text
    assert "east, wind, and which macro it started last" in text
    assert "sail with any area (0 to 1), angle (-90 to 90): sets the sail" in text
    assert "The policy also sees wind (metres per second)." in text
    assert "0.5 per unit of east above its largest value so far in the episode" in text
    assert "(100 seconds of the world's time)" in text and "tow" not in text


def answer(**parts) -> str:
    return f"```json\n{json.dumps(parts)}\n```\n"


def test_a_set_up_has_the_parts_that_the_world_has():
    got = rl_setup.parse(answer(
        task={"horizon": 100}, actions={"primitives": ["angle"], "macros": ["hop"]},
        reward={"success": 20, "environment": 1, "progress": {"wind": -2, "east": 0}},
        training={"network": "best"},
    ), STATE)  # fmt: skip
    assert not isinstance(got, Refusal), got
    assert got.task == TrainingTask(horizon=100) and got.primitives == ("angle",)
    assert got.reward == RewardTerms(
        success=20.0, environment=1.0, progress=(("wind", -2.0), ("east", 0.0))
    )
    words = rl_setup.describe(got, SPEC)
    assert "Primitives left out: area." in words
    assert "2 per unit of wind below its smallest value so far in the episode" in words


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"observation": ["east"]}, '"observation" cannot be set in this run. Leave it out'),
        ({"task": {"goal_item": "log"}}, "task has no field 'goal_item'"),
        ({"actions": {"turn": 15}}, "actions has no field 'turn'"),
        ({"actions": {"primitives": []}}, "Name at least one of area, angle"),
        ({"reward": {"progress": {"depth": 1}}}, "choose from east, wind"),
        ({"reward": {"progress": {"east": 1e9}}}, "from -1000 to 1000"),
        ({"reward": {"success": 0, "progress": {"east": 0}}}, "no term is above 0"),
    ],
)
def test_a_set_up_that_cannot_be_is_refused_in_words_of_the_world(parts, words):
    got = rl_setup.parse(answer(**parts), STATE)
    assert isinstance(got, Refusal) and words in got.reason


def test_the_schema_has_no_field_of_minecraft():
    schema = rl_setup.schema(STATE)["properties"]
    assert set(schema) == {"reasoning", "task", "actions", "reward", "training"}
    assert set(schema["task"]["properties"]) == {"horizon"}
    assert set(schema["reward"]["properties"]) == {
        "success", "step_cost", "environment", "progress"
    }  # fmt: skip
