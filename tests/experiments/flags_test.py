"""Mistakes on the command line are one clear line, before jax is imported."""

import dataclasses
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import config_tree, flags, main
from experiments.configs import base, worlds
from experiments.values import ConfigError
from rlgpt_jax.agents import prompts
from rlgpt_jax.agents.llm.exchange import FIELDS, SCHEMA
from rlgpt_jax.envs.tasks import tasks

ROOT = Path(__file__).parents[2]
PURE = "--config.loop.mode=pure_rl"  # needs no transcript


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--config=harvest_mlk"], "Did you mean harvest_milk"),
        (["--config=harvest_milk", "--sed=1"], "Did you mean --seed"),
        (["--config=harvest_milk", "--seed=one"], "--seed=one: needs a whole number"),
        (["--config=harvest_milk", PURE, "--seed=-1"], "seed=-1 must be in 0.."),
        (["--config=harvest_milk", "--config.ppo.lerning_rate=1"], "--config.ppo.learning_rate"),
        (["--config=harvest_milk", "--config.ppo.num_envs"], "needs a value"),
        (["--config=harvest_milk", "--config.loop.mode=pure_lr"], "Did you mean pure_rl"),
        (["--config=harvest_milk", "--config.task=harvest_mik"], "Try: harvest_milk"),
        (
            ["--config=harvest_milk", "--config.task=craft_stick"],
            "was recorded for the task harvest_milk, the run asks for craft_stick",
        ),
        (
            [
                "--config=harvest_milk",
                "--config.task=craft_stick",
                PURE,
                "--config.loop.ticks_per_iteration=100000",
            ],
            "--config.loop.ticks_per_iteration=192000 or more",
        ),
        (["--config=harvest_milk", "--config.voxel.size_x=8"], "at least 32 blocks"),
        (["--config=harvest_milk", "--config.voxel.size_y=64"], "choose 8..40"),
        (["--config=harvest_milk", "--config.llm.transcript=no.jsonl"], "there is no such file"),
        (["--config=harvest_milk", PURE, "extra"], "'extra' is not a flag"),
        (["--resume"], "--config=NAME is needed"),
        (["--config=harvest_milk", "--seed=1e3"], "--seed=1e3: needs a whole number in digits"),
        (["--config=harvest_milk", "--config.seed=1_0"], "in digits"),
        (["--config=harvest_milk", "--seed=1", "--seed", "2"], "seed is given more than once"),
        (["--config=harvest_milk", "--seed=1", "--config.seed=1"], "seed is given more than once"),
        (["--config=harvest_milk", "--config=harvest_wool"], "--config is given more than once"),
        (["--config=harvest_milk", "--smoke", "--nosmoke"], "--smoke is given more than once"),
        (["--config=harvest_milk", "--config.ppo.clip=1", "--config.ppo.clip=2"], "more than once"),
        (["--config=harvest_milk", "--config.llm.transcript=/etc/passwd"], "is no transcript"),
        (["--config=harvest_milk", f"--config.llm.transcript={sys.executable}"], "no transcript"),
        (["--config=harvest_milk", "--config.macros.tick_limit=1e9"], "must be in 1..72000"),
        (["--config=harvest_milk", "--config.ppo.num_envs=1e7"], "at most 1,048,576"),
        (["--config=harvest_milk", "--config.reward.step_cost=3e38"], "at most 1e+06"),
        (["--config=harvest_milk", PURE, f"--workdir={'x' * 300}"], "no usable path (File name"),
        (
            ["--config=harvest_milk", PURE, "--workdir=a\nb"],
            "'a\\nb': no usable path (it holds control characters)",
        ),
        ([], "harvest_milk_rays, harvest_milk_released, harvest_milk_seeing"),
        (["--workdir=/nowhere", "--resume"], "holds no config.json"),
    ],
)
def test_a_mistake_names_what_would_be_right(argv: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        flags.parse(argv)
    assert words in str(caught.value)


@pytest.mark.parametrize("field", ["api_key_env=sk-planted", "base_url=http://me:sk-planted@h/v1"])
def test_a_key_in_the_wrong_place_is_not_told(field: str) -> None:
    argv = ["--config=harvest_milk", "--config.llm.provider=compatible", "--config.llm.model=m",
            "--config.llm.transcript=", f"--config.llm.{field}"]  # fmt: skip
    with pytest.raises(ConfigError) as error:
        flags.parse(argv)
    assert "llm.api_key_env" in str(error.value) and "planted" not in str(error.value)


def test_a_terminal_obeys_no_words_of_a_mistake() -> None:
    with pytest.raises(ConfigError) as error:
        flags.parse(["--config=\x1b[2J" + "x" * 100_000])
    assert "\x1b" not in str(error.value) and "characters more" in str(error.value)


def test_a_slip_in_a_prompt_file_is_one_error_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(prompts.FOLDER, tmp_path / "prompts")
    path = folder / "slow.txt"
    path.write_text(path.read_text().replace("[keep]\n", "[keep]\n{task} "))
    monkeypatch.setattr(prompts.load, "__defaults__", (folder, True, False))
    assert main.main(["--config=harvest_milk", f"--workdir={tmp_path / 'run'}"]) == 2
    error = capsys.readouterr().err
    assert "slow.txt [keep] has {task}, which nobody fills" in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_mistake_ends_with_code_2_and_without_jax() -> None:
    program = (
        "import sys; from experiments.main import main; "
        "code = main(['--config=harvest_milk', '--config.ppo.num_env=3']); "
        "assert 'jax' not in sys.modules; sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "Did you mean --config.ppo.num_envs" in done.stderr


def test_help_lists_every_configuration_with_one_line(capsys: pytest.CaptureFixture) -> None:
    for argv in (["--config=help"], ["--config", "help"]):
        assert main.main(argv) == 0
        lines = capsys.readouterr().out.splitlines()
        files = flags.config_names()
        table = [name for name in tasks.TASKS if name not in files]
        names = [*sorted(files), *table, *worlds.TASKS]
        assert [line.split()[0] for line in lines] == names
        assert all(len(line.split()) > 4 for line in lines)
        bare = {line.split()[0] for line in lines if line.endswith("(nothing recorded)")}
        assert {"template", "craft_bowl"} < bare
        assert not {"harvest_milk", "harvest_milk_rays", "harvest_milk_pixels"} & bare


def test_help_names_every_flag(capsys: pytest.CaptureFixture) -> None:
    assert main.main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(f"--{name}" in text for name in flags.HELP)
    for argv in (["--config=craft_bowl", "--config.help"], ["--config", "craft_bowl", "--help"]):
        assert main.main(argv) == 0
        shown = capsys.readouterr().out
        assert "--config.task=craft_bowl " in shown and "in --config=harvest_milk:" not in shown
    assert main.main(["--config=craft_bowll", "--config.help"]) == 2


@pytest.mark.parametrize("name", ["harvest_milk", "kitchen_microwave"])
def test_help_has_every_field_with_a_meaning(name: str) -> None:
    config = flags.load_config(name)
    told = {path: meaning for path, _, meaning in config_tree.rows(config)}
    assert set(config_tree.leaf_values(config)) <= set(told)
    assert [path for path, words in told.items() if not words or words.startswith("(")] == []
    assert "ticks per rollout" in config_tree.help_text(config)


def test_a_task_of_the_table_needs_no_file_and_has_budgets_by_its_horizon() -> None:
    for name in set(tasks.TASKS) - set(flags.config_names()):
        config = flags.resolve(name, None, False, [("loop.mode", "pure_rl")])
        task = config.task_record
        assert task == tasks.TASKS[name]
        assert config.loop.ticks_per_iteration >= 3 * config.ppo.num_envs * task.horizon
    bowl, diamond = flags.load_config("craft_bowl"), flags.load_config("obtain_diamond")
    assert bowl.ppo == flags.load_config("craft_stick_rays").ppo and bowl.sight == "rays"
    assert diamond.reward.step_cost * 36_000 == pytest.approx(15)
    milk = flags.load_config("harvest_milk_with_empty_bucket_and_cow")
    assert milk == flags.load_config("harvest_milk")


def test_seed_smoke_and_overrides_apply_in_this_order() -> None:
    argv = ["--config=harvest_milk", PURE, "--seed=3", "--smoke", "--config.ppo.num_envs=4"]
    settings = flags.parse(argv)
    assert settings.config.seed == 3 and settings.config.ppo.num_envs == 4
    assert settings.config.loop.ticks_per_iteration < 10_000 and settings.smoke
    assert settings.workdir.name.startswith("harvest_milk-seed3-")


@pytest.mark.parametrize("name", sorted(flags.config_names()))
def test_a_configuration_is_valid_and_is_about_its_task(name: str) -> None:
    config = flags.load_config(name)
    file = ROOT / f"experiments/configs/{name}.py"
    assert not file.exists() or f"--config={name}" in file.read_text()
    assert name.startswith(str(config.task)) or name == "template"
    # Answers are recorded under the configuration's name: others were asked other things.
    assert config.llm.transcript == f"experiments/transcripts/{name}.jsonl"
    assert base.smoke(config).loop.ticks_per_iteration < config.loop.ticks_per_iteration
    assert config.rl.ppo is config.ppo


@pytest.mark.parametrize("name", worlds.TASKS)
def test_a_task_of_a_simulator_is_a_configuration(name: str) -> None:
    config = flags.load_config(name)
    assert config.task_record is worlds.TASKS[name] and config.rl.spec is config.task_record.spec
    assert base.smoke(config).loop.ticks_per_iteration >= 8 * config.task_record.horizon


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"driver": "device"}, "driver=device: only for Minecraft, and world is control"),
        ({"sight": "pixels"}, "sight=pixels: only for Minecraft"),
        ({"task": "kitchen_oven"}, "no task 'kitchen_oven'. Try: kitchen_"),
        ({"world": "moon"}, "world is 'moon'. Choose from: voxel, minedojo, control, or"),
    ],
)
def test_what_simulators_do_not_have_is_refused(changes: dict, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        base.for_control(**{"task": "kitchen_kettle", **changes})


def saved_run(folder: Path, config: base.Config) -> Path:
    folder.mkdir()
    saved = {"name": "harvest_milk", "config": dataclasses.asdict(config)}
    (folder / "config.json").write_text(json.dumps(saved))
    return folder


def test_resume_takes_the_configuration_of_the_run(tmp_path: Path) -> None:
    config = dataclasses.replace(flags.load_config("harvest_milk"), seed=5)
    folder = saved_run(tmp_path / "run", config)
    settings = flags.parse([f"--workdir={folder}", "--resume"])
    assert settings.config == config and settings.name == "harvest_milk" and settings.resume
    assert flags.parse([f"--workdir={folder}", "--resume", "--seed=5"]) == settings
    for flag, words in (("--seed=6", "seed: 5 -> 6"), ("--smoke", "is no smoke run")):
        with pytest.raises(ConfigError, match=words):
            flags.parse([f"--workdir={folder}", "--resume", flag])


def test_resume_refuses_other_settings_and_a_full_folder_needs_resume(tmp_path: Path) -> None:
    start = ["--config=harvest_milk", PURE]
    config = flags.parse(start).config
    folder = saved_run(tmp_path / "run", config)
    with pytest.raises(ConfigError, match=f"ppo.num_epochs: {config.ppo.num_epochs} -> 99"):
        flags.parse([*start, f"--workdir={folder}", "--resume", "--config.ppo.num_epochs=99"])
    with pytest.raises(ConfigError, match=r"llm\.\*, tracker, films, .* may be changed"):
        flags.parse([f"--workdir={folder}", "--resume", "--seed=99"])
    with pytest.raises(ConfigError, match=r"holds a run already. Add --resume"):
        flags.parse([*start, f"--workdir={folder}"])


def test_a_replay_longer_than_its_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    whole = {**dict.fromkeys(FIELDS), "schema": SCHEMA, "messages": []}
    lines = [json.dumps({**whole, "key": f"iter{i}/slow"}) + "\n" for i in range(2)]
    path.write_text("".join(lines))
    argv = ["--config=harvest_milk", f"--config.llm.transcript={path}"]
    with pytest.raises(ConfigError, match=r"holds 2 iterations .* asks for 3"):
        flags.parse(argv)
    with pytest.raises(ConfigError, match=r"holds 0 iterations .* for 3. Record them with"):
        flags.parse([*argv, "--config.loop.mode=pure_code", "--config.loop.pure_code_plan=own"])
    assert flags.parse([*argv, "--config.loop.num_iterations=2"]).config.loop.num_iterations == 2


def test_a_long_task_runs_with_a_budget_that_fits() -> None:
    argv = ["--config=harvest_milk", "--config.task=craft_stick"]
    file = ["--config.llm.provider=file", "--config.loop.ticks_per_iteration=384000"]
    assert flags.parse([*argv, *file]).config.task == "craft_stick"
    assert flags.parse([*argv, PURE, "--smoke"]).config.task == "craft_stick"
    # MineDojo's name of the same task goes with the recorded answers.
    alias = "--config.task=harvest_milk_with_empty_bucket_and_cow"
    assert flags.parse(["--config=harvest_milk", alias]).config.task in alias
