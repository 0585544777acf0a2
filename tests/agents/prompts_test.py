import dataclasses
import re
import shutil

import pytest

from rlgpt_jax.agents import prompts, render
from tests.agents import states


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(prompts.FOLDER, tmp_path / "prompts")
    return tmp_path / "prompts"


def change(folder, file, old, new):
    path = folder / f"{file}.txt"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_every_file_in_the_folder_is_known_and_loads():
    prompts.load()
    files = {name.partition(".")[0] for name in prompts.PLACEHOLDERS} | {"spec"}
    assert {p.stem for p in prompts.FOLDER.glob("*.txt")} == files and len(files) <= 12


def test_all_wrong_placeholders_sections_and_missing_files_are_named_in_one_error(folder):
    change(folder, "slow", "This is the first plan.", "Nothing {yet}.")
    change(folder, "fast", "{earlier}Your last version was refused", "Refused")
    change(folder, "one", "[coding]", "[codign]")
    change(folder, "advice", "[mining]", "[sizes]")
    (folder / "critic.txt").unlink()
    (folder / "planner.txt").write_bytes(b"[prompt]\n\xff")
    with pytest.raises(ValueError) as error:
        prompts.load(folder)
    for words in (
        "slow.txt [first] has {yet}, which nobody fills",
        "fast.txt [refused] lacks {earlier}",
        "one.txt has [codign], which nobody asks for; one.txt lacks [coding]",
        "advice.txt has [sizes] twice; advice.txt lacks [mining]",
        "critic.txt is missing",
        "planner.txt is not UTF-8 text",
    ):
        assert words in str(error.value)


def test_a_section_is_all_up_to_the_next_name_without_the_blank_lines_around(folder):
    text = '\n\n  [[1, 2]\n[a b]\n\n["c"]\n[]\n[d].\n\n\n'
    change(folder, "fast", "None: this is the first version.", text)
    assert prompts.load(folder).fill("fast.first") == text.strip()


def test_a_heading_of_nothing_is_left_out_and_no_other():
    texts = prompts.Prompts({"rl_setup.again": (
        "## A\n{history}\n\n## {iteration} of {num_iterations}\n{critic}\n\n## D\n{history}."
    )})  # fmt: skip
    given = {"iteration": "1", "num_iterations": "2", "history": "", "critic": "## A\n{x}\n"}
    filled = texts.fill("rl_setup.again", **given)
    assert filled == "## 1 of 2\n## A\n{x}\n\n\n## D\n."


def test_a_heading_stands_once_in_a_file():
    for path in prompts.FOLDER.glob("*.txt"):
        found = re.findall(r"^#+ .*$", path.read_text(), re.MULTILINE)
        assert len(set(found)) == len(found), path.name


def test_braces_of_json_and_of_filled_values_stay_as_they_are():
    texts = prompts.Prompts({"shared.refused": '{"a": {}} {answer}|{reason}'})
    assert texts.fill("shared.refused", answer="{reason}", reason="b") == '{"a": {}} {reason}|b'


def test_filling_other_names_than_the_placeholders_is_an_error():
    with pytest.raises(ValueError, match="takes {answer}, {reason}; given: {reason}"):
        prompts.Prompts({"shared.refused": ""}).fill("shared.refused", reason="")


def test_the_world_section_says_what_success_is():
    setting = dataclasses.replace(states.SETTING, goal_item="furnace", goal_quantity=2)
    assert "the inventory holds 2 more furnace than at the start;" in render.world(
        setting, states.PROMPTS
    )
    nearby = dataclasses.replace(setting, nearby=True)
    words = render.world(nearby, states.PROMPTS)
    assert "Success: a furnace that you have placed is within 5 blocks and in view;" in words
    assert "more furnace" not in words
