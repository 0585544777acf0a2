"""The command line of playing."""

import subprocess
import sys

import pytest

from experiments.play import keys, options
from experiments.play.__main__ import main
from experiments.values import ConfigError


def test_a_full_command_line(tmp_path):
    asked = options.parse([
        "--task=harvest_milk", "--seed=5", "--worlds=3",
        f"--record={tmp_path}/a.mp4", "--headless", "--actions=a.txt", "--out=b.json",
    ])  # fmt: skip
    assert asked.task.name == "harvest_milk"
    assert (asked.seed, asked.world.num_worlds) == (5, 3)
    assert str(asked.actions) == "a.txt" and str(asked.out) == "b.json"


def test_a_file_of_one_s_own_with_names_as_the_wiki_has_them(tmp_path):
    path = tmp_path / "my_task.py"
    path.write_text(
        "from experiments.configs.base import Task\n"
        "TASK = Task('pick_poppy', 'pick one poppy', 'poppy', start_items=(('Oak Log', 2),))\n"
    )
    task = options.parse([f"--task={path}"]).task
    assert (task.goal_item, task.start_items) == ("red_flower", (("log", 2),))
    assert task.words.startswith("pick one poppy") and task.sources == ("red_flower",)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "--task=NAME is needed"),
        (["--task=harvest_mlk"], "no such configuration or task. Did you mean harvest_milk"),
        (["--task=kitchen_kettle"], "this needs one of Minecraft"),
        (["--task=harvest_milk", "--sed=1"], "--sed: no such flag. Did you mean --seed"),
        (["--task=harvest_milk", "--seed=x"], "--seed=x"),
        (["--task=harvest_milk", "--seed=-1"], "it must be 0 or more"),
        (["--task=harvest_milk", "--worlds=0"], "it must be 1 or more"),
        (["--task=harvest_milk", "--headless"], "give it with --actions"),
        (["--task=harvest_milk", "--actions=a.txt"], "--actions belongs to --headless"),
        (["--task=harvest_milk", "--record=a.avi"], "must end with .mp4"),
        (["--task=harvest_milk", "now"], "'now' is not a flag"),
    ],
)
def test_what_cannot_be_used_is_told(argv, words):
    with pytest.raises(ConfigError, match=words.replace(".", r"\.")):
        options.parse(argv)


def test_help_names_every_flag_and_key(capsys):
    assert main(["--help"]) == 0
    words = capsys.readouterr().out
    assert all(f"--{name}" in words for name in options.HELP)
    assert keys.HELP in words and "bins of 15 degrees" in words
    assert "jax" not in subprocess.run(
        [sys.executable, "-c", "import experiments.play.__main__, sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip


def test_the_program_ends_with_2_and_words_on_a_mistake():
    done = subprocess.run(
        [sys.executable, "-m", "experiments.play", "--task=harvest_mlk"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.startswith("error: --task=harvest_mlk")
