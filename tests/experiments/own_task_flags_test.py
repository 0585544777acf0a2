"""A task of one's own on the command line: files, overrides, replays, resume."""

import dataclasses
import json
from pathlib import Path

import pytest

from experiments import flags
from experiments.config_tree import differences, from_dict
from experiments.configs import base
from experiments.recordings import task_of
from experiments.report.page import write_report
from experiments.values import ConfigError
from rlgpt_jax.agents.llm.exchange import FIELDS, SCHEMA

PURE = "--config.loop.mode=pure_rl"
FILE = '''"""Mine gravel."""

from experiments.configs import base


def get_config() -> base.Config:
    return base.for_task(
        base.Task("mine_gravel", "mine one gravel", "gravel", horizon=600, {more}), seed=7
    )
'''


def record(config: base.Config) -> base.Task:
    assert isinstance(config.task, base.Task)
    return config.task


def own_file(folder: Path, more: str = "") -> Path:
    path = folder / "my_gravel.py"
    path.write_text(FILE.replace("{more}", more))
    return path


def test_a_file_anywhere_is_a_configuration(tmp_path: Path) -> None:
    settings = flags.parse([f"--config={own_file(tmp_path)}", PURE])
    assert settings.name == "my_gravel" and settings.config.seed == 7
    assert settings.workdir.name.startswith("my_gravel-seed7-")
    record = settings.config.task_record
    assert record.sources == ("gravel",) and record.words.startswith("mine one gravel. The start")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def get_config(:", "SyntaxError"),
        ("x = 1", "has neither a function get_config() nor a record TASK"),
        ("def get_config():\n    return 3", "get_config() returned int; needs base.Config"),
        ("def get_config():\n    return missing", "name 'missing' is not defined (bad.py line 2)"),
        ("import nosuchmodule", "No module named 'nosuchmodule'"),
        (FILE.replace("{more}", 'biome="dessert"'), "Did you mean desert?"),
        (FILE.replace('"gravel",', '"gravle",').replace("{more}", ""), "Did you mean gravel"),
        (FILE.replace("{more}", "mobs=('cow',) * 30"), "30 mobs (own, wild and hostile)"),
    ],
)
def test_a_bad_file_is_one_error(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        flags.parse([f"--config={path}", PURE])
    assert words in str(caught.value) and str(path) in str(caught.value)


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(ConfigError, match=r"no/where\.py: there is no such file"):
        flags.parse(["--config=no/where.py"])


def test_the_template_says_who_could_answer_and_then_runs() -> None:
    with pytest.raises(ConfigError) as caught:
        flags.parse(["--config=template"])
    text = str(caught.value)
    assert "no recorded answers" in text and "--config.llm.provider=file" in text
    assert "\n" not in text
    assert flags.parse(["--config=template", "--config.llm.provider=file"]).config
    assert flags.parse(["--config=template", PURE]).config.task_record.sources == ("sand",)


@pytest.mark.parametrize(
    ("pairs", "field", "value"),
    [
        (["--config.task.horizon=1200"], "horizon", 1200),
        (["--config.task.mobs=cow,sheep"], "mobs", ("cow", "sheep")),
        (["--config.task.start_items=bucket:1,dirt:64"], "start_items",
         (("bucket", 1), ("dirt", 64))),
        (["--config.task.start_items=(('dirt', 2),)"], "start_items", (("dirt", 2),)),
        (["--config.task.words=fetch sand"], "words", "fetch sand"),
    ],
)  # fmt: skip
def test_fields_of_a_record_are_overridden(pairs, field, value) -> None:
    task = record(flags.parse(["--config=template", PURE, *pairs]).config)
    assert getattr(task, field) == value and task.name == "collect_sand"


def test_a_row_becomes_a_record_whose_words_follow_its_fields() -> None:
    fields = ["--config.task.horizon=300", "--config.task.goal_quantity=2"]
    task = record(flags.parse(["--config=harvest_wool", PURE, *fields]).config)
    assert task.name == "harvest_wool_changed" and task.words == "obtain 2 wool"
    land = flags.parse(["--config=harvest_wool", PURE, "--config.task.goal_item=mutton"]).config
    assert land.task_record.sources == ("sheep",) and "obtain 1 mutton" in land.task_record.words
    other = ["--config.task=harvest_log", "--config.task.biome=taiga"]
    task = flags.parse(["--config=harvest_milk", PURE, *other]).config.task_record
    assert task.name == "harvest_log_changed" and "in taiga" in task.words
    name = flags.parse(["--config=template", PURE, "--config.task=harvest_log"]).config.task
    assert name == "harvest_log"


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["--config.task.goal_item=clay_ball"], 'Give --config.task.words="..." too'),
        (["--config.task.horizn=3"], "--config.task.horizon"),
        (["--config.task.biome=desrt"], "Did you mean desert?"),
        (["--config.task.horizon=x"], "needs a whole number"),
        (["--config.task=no_task"], "no task 'no_task'"),
        (["--config.task.biome=forest_hills"], "cannot be obtained"),
        (["--config.task.horizon=5000"], "--config.loop.ticks_per_iteration=320000 or more"),
    ],
)
def test_a_bad_field_is_one_error(pairs, words) -> None:
    with pytest.raises(ConfigError) as caught:
        flags.parse(["--config=template", PURE, *pairs])
    assert words in str(caught.value)


def test_a_row_with_a_bad_field_is_an_error_too() -> None:
    with pytest.raises(ConfigError, match=r"task.biome=desert: log cannot be obtained"):
        flags.parse(["--config=harvest_log", PURE, "--config.task.biome=desert"])


def test_a_record_survives_config_json_and_resume(tmp_path: Path) -> None:
    config = flags.parse([f"--config={own_file(tmp_path)}", PURE]).config
    data = json.loads(json.dumps(dataclasses.asdict(config)))
    assert from_dict(base.Config, data) == config
    (tmp_path / "run").mkdir()
    saved = {"name": "my_gravel", "config": data}
    (tmp_path / "run" / "config.json").write_text(json.dumps(saved))
    settings = flags.parse([f"--workdir={tmp_path / 'run'}", "--resume"])
    assert settings.config == config and settings.name == "my_gravel"
    longer = dataclasses.replace(config, task=dataclasses.replace(record(config), horizon=700))
    assert differences(config, longer) == ["task.horizon: 600 -> 700"]


def write(path: Path, prompt: str, iterations: int = 3, agent: str = "slow") -> str:
    whole = {**dict.fromkeys(FIELDS), "schema": SCHEMA}
    lines = [
        {**whole, "key": f"iter{i}/{agent}", "messages": [{"role": "user", "text": prompt}]}
        for i in range(iterations)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"--config.llm.transcript={path}"


def test_a_replay_of_another_goal_is_refused_of_another_limit_not(tmp_path: Path) -> None:
    sand = "## The task\nFetch.\nSuccess: the inventory holds 3 more sand than at the start; the"
    flag = write(tmp_path / "sand.jsonl", sand)
    assert flags.parse(["--config=template", flag]).config
    assert flags.parse(["--config=template", flag, "--config.task.horizon=900"]).config
    gravel = [f"--config={own_file(tmp_path)}", flag]
    with pytest.raises(ConfigError, match=r"recorded for the task \(3 sand\).*mine_gravel"):
        flags.parse(gravel)
    assert flags.parse(["--config=harvest_milk", "--config.task.horizon=150"]).config


def test_the_task_of_a_recorded_prompt_is_found() -> None:
    placed = {"messages": [{"text": "Success: a furnace that you have placed is within 5"}]}
    found = task_of(placed)
    assert found is not None and found.goal_item == "furnace" and found.nearby
    assert task_of({"messages": [{"text": "hello"}]}) is None and task_of(None) is None


def test_iterations_of_every_structure_are_counted(tmp_path: Path) -> None:
    prompt = "Success: the inventory holds 3 more sand than at the start;"
    flag = write(tmp_path / "one.jsonl", prompt, 2, "one/try0")
    argv = ["--config=template", flag, "--config.loop.agents=one"]
    assert flags.parse([*argv, "--config.loop.num_iterations=2"]).config
    with pytest.raises(ConfigError, match="holds 2 iterations .* asks for 3"):
        flags.parse(argv)


def test_for_task_changes_groups_and_names_the_transcript() -> None:
    config = base.for_task("harvest_log", "other", loop={"agents": "one"}, seed=4)
    assert config.loop.agents == "one" and config.seed == 4
    assert config.llm.transcript == "experiments/transcripts/other.jsonl"


def test_the_report_tells_a_task_of_ones_own_as_the_agents_were_told(tmp_path: Path) -> None:
    config = flags.parse([f"--config={own_file(tmp_path)}", PURE]).config
    (tmp_path / "run").mkdir()
    saved = {"name": "my_gravel", "config": dataclasses.asdict(config)}
    (tmp_path / "run" / "config.json").write_text(json.dumps(saved))
    html = write_report(tmp_path / "run").read_text()
    assert f"{config.task_record.words.replace('mine', 'Mine', 1)}." in html
    assert "task.goal_item" in html  # in the table of settings
