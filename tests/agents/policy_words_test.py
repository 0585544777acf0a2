"""What prompts say of a policy that sees pictures; without them they say what they always said."""

import dataclasses
import json
from pathlib import Path

from rlgpt_jax.agents import render, rl_setup
from rlgpt_jax.agents.llm.transcript import read
from rlgpt_jax.agents.prompt_state import Refusal
from rlgpt_jax.rl.config import NetworkConfig, RLConfig
from rlgpt_jax.rl.interface import Given
from tests.agents.states import LATER, PLAN, PROMPTS, SETTING

FOLDER = Path(__file__).parents[2] / "experiments" / "transcripts"
PICTURES = Given(observation=("compass", "inventory", "status", "rgb"), image_size=(64, 48))


def said(given: Given) -> str:
    return render.policy(dataclasses.replace(SETTING, given=given), PROMPTS)


def state(given: Given):
    return LATER.replace(setting=dataclasses.replace(SETTING, given=given), plan=PLAN)


def parse(given: Given, **parts):
    return rl_setup.parse(f"So.\n```json\n{json.dumps(parts)}\n```\n", state(given))


def test_without_pictures_the_policy_is_described_as_in_the_recorded_prompts():
    recorded = read(FOLDER / "harvest_log.jsonl")[0].request.messages[0].text
    line = next(x for x in recorded.splitlines() if x.startswith("- What it sees"))
    last = next(x for x in recorded.splitlines() if x.startswith("- It chooses at random"))
    assert line.endswith("its previous action. No picture, no memory.")
    assert line in said(Given()).splitlines() and last in said(Given()).splitlines()


def test_a_policy_with_pictures_sees_no_rays():
    words = said(PICTURES)
    assert "rays" not in words and "gps" not in words
    assert (
        "- What it sees at every decision: compass (yaw and pitch), the picture of what is before "
        "it (64 x 48 pixels, in colour), inventory, life. No memory.\n"
    ) in words


def test_what_it_remembers_is_said():
    given = dataclasses.replace(PICTURES, frame_stack=4)
    assert "It sees the pictures of the last 4 ticks together.\n" in said(given)


def test_an_interface_of_a_run_with_pictures_chooses_among_its_other_parts():
    form = rl_setup.form(state(PICTURES), PROMPTS)
    assert "A list of those of compass, inventory, status that it is given" in form
    assert "rays" not in form.partition('"observation"')[2].partition("###")[0]
    schema = rl_setup.schema(state(PICTURES))["properties"]["observation"]
    assert schema["items"]["enum"] == ["compass", "inventory", "status"]
    for name in ("rgb", "rays", "gps"):
        refused = parse(PICTURES, observation=["compass", name])
        assert isinstance(refused, Refusal) and name in refused.reason
    got = parse(PICTURES, observation=["compass"])
    described = rl_setup.describe(got).splitlines()
    assert described == ["Left out of the observation: inventory, status."]
    network = NetworkConfig(image_size=(64, 48))
    run = RLConfig(network=network, observation=PICTURES.observation)
    assert run.set_up(got).observation == ("compass", "rgb")


def test_a_picture_is_never_offered_to_a_run_without():
    refused = parse(Given(), observation=["compass", "rgb"])
    assert isinstance(refused, Refusal) and "rgb" in refused.reason
    assert "rgb" not in rl_setup.form(state(Given()), PROMPTS)
    assert parse(Given()).observation is None
