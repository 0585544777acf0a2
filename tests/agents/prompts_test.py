import dataclasses
import shutil

import pytest

from rlgpt_jax.agents import prompts, render
from tests.agents import states


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(prompts.FOLDER, tmp_path / "prompts")
    return tmp_path / "prompts"


def test_every_file_in_the_folder_is_known_and_loads():
    prompts.load()
    assert {p.stem for p in prompts.FOLDER.glob("*.txt")} == set(prompts.PLACEHOLDERS)


def test_all_wrong_placeholders_and_missing_files_are_named_in_one_error(folder):
    (folder / "slow_first.txt").write_text("Nothing {yet}.")
    (folder / "fast_refused.txt").write_text("Reason: {refusal}")
    (folder / "critic.txt").unlink()
    with pytest.raises(ValueError) as error:
        prompts.load(folder)
    for words in (
        "slow_first.txt has {yet}", "fast_refused.txt lacks {earlier}, {source}", "critic.txt is"
    ):
        assert words in str(error.value)


def test_braces_of_json_and_of_filled_values_stay_as_they_are():
    texts = prompts.Prompts({"answer_refused": '{"a": {}} {answer}|{reason}'})
    assert texts.fill("answer_refused", answer="{reason}", reason="b") == '{"a": {}} {reason}|b'


def test_filling_other_names_than_the_placeholders_is_an_error():
    with pytest.raises(ValueError, match="takes {answer}, {reason}; given: {reason}"):
        prompts.Prompts({"answer_refused": ""}).fill("answer_refused", reason="")


def test_the_world_section_says_what_success_is():
    setting = dataclasses.replace(states.SETTING, goal_item="furnace", goal_quantity=2)
    assert "the inventory holds 2 more furnace than at the start;" in render.world(
        setting, states.PROMPTS
    )
    nearby = dataclasses.replace(setting, nearby=True)
    words = render.world(nearby, states.PROMPTS)
    assert "Success: a furnace that you have placed is within 5 blocks and in view;" in words
    assert "more furnace" not in words
