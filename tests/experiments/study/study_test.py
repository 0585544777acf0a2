"""A study runs what is missing, resumes what was killed, and tells what failed and why."""

import json
from pathlib import Path

import pytest

from experiments import flags
from experiments.study import __main__ as command
from experiments.study import cells, held_out
from experiments.study.cells import Cell
from experiments.study.runs import Run, plan_runs
from experiments.sweep.board import position
from experiments.sweep.estimate import minutes, seconds_of
from experiments.sweep.jobs import Failure, Task, last_words, run_all
from experiments.values import ConfigError
from tests.experiments import run_folder

RL_GPT, PURE_RL = Cell("harvest_milk", "rl_gpt"), Cell("harvest_milk", "pure_rl")


def finished(run: Run, with_held_out: bool = True) -> None:
    run_folder.make(run.folder)
    if with_held_out:
        run_folder.add_held_out(run.folder, (60, 90, 120))


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """Two cells with two seeds; those of rl_gpt are done."""
    planned = plan_runs(tmp_path, [RL_GPT, PURE_RL], [0, 1])
    for run in planned:
        if run.cell == RL_GPT:
            finished(run)
    return planned


def test_done_runs_are_skipped_and_the_others_started(runs: list[Run]) -> None:
    started: list[str] = []
    told: list[tuple[str, str]] = []
    failed = run_all(
        runs, [], lambda task: started.append(task.folder.name) or 1, 2, 1,
        lambda run, words: told.append((run.name, words)),
    )  # fmt: skip
    assert sorted(started) == [f"harvest_milk-pure_rl-seed{seed}" for seed in (0, 1)], told
    assert [f.job.cell for f in failed] == [PURE_RL, PURE_RL]
    assert ("harvest_milk rl_gpt seed 0", "done before") in told


def test_a_finished_run_gets_its_held_out_values_without_being_run_again(tmp_path: Path) -> None:
    (run,) = plan_runs(tmp_path, [RL_GPT], [0])
    finished(run, with_held_out=False)
    asked: list[tuple[str, ...]] = []

    def call(task: Task) -> int:
        asked.append(task.again)
        run_folder.add_held_out(run.folder, (60, 90))
        return 0

    assert run_all([run], [], call, 1, 1, lambda run, words: None) == []
    assert asked == [("-m", "experiments.study", "held_out", str(run.folder))] and run.is_done
    best = json.loads((run.folder / "iterations/2/held_out.json").read_text())
    assert best == json.loads((run.folder / "final_eval.json").read_text())


def test_commands_start_or_resume(tmp_path: Path) -> None:
    fresh = Run(Cell("harvest_log", "cold"), 3, tmp_path / "none")
    command = fresh.command(["--smoke", "--config.ppo.num_envs=8"])
    assert command[-2:] == ["--config.loop.mode=rl_gpt", "--config.loop.warm_start=false"]
    assert {"--config=harvest_log", "--seed=3", "--smoke"} <= set(command)
    task = next(fresh.tasks(command, 1))
    assert task.command == (*command, f"--workdir={fresh.folder}")
    assert task.again[-2:] == (f"--workdir={fresh.folder}", "--resume")


@pytest.mark.parametrize("variant", cells.SET_UPS)
def test_ppo_with_the_agents_set_up_follows_their_run(tmp_path: Path, variant: str) -> None:
    cell = Cell("harvest_milk", variant)
    runs = plan_runs(tmp_path, [cell, RL_GPT], [0, 1])
    first = runs[1].folder
    assert {"--config.loop.mode=pure_rl", f"--config.set_up={first}"} <= set(runs[0].command())
    started: list[str] = []
    run_all(
        runs, [], lambda task: started.append(task.folder.name.split("-")[1]) or 1, 2, 1,
        lambda run, words: None,
    )  # fmt: skip
    assert started == ["rl_gpt"] * 2 + [variant] * 2


def test_controls_are_of_every_task_at_equal_ticks() -> None:
    found = [Cell(task, variant) for task in ("harvest_wool", "craft_wooden_pickaxe")
             for variant in ("rl_gpt", "cold", "pure_rl", "agents_setup", "pure_code")]  # fmt: skip
    good, left = cells.usable(found, False, [])
    assert [(s.cell.config, s.cell.variant) for s in left] == [
        ("craft_wooden_pickaxe", "agents_setup")
    ]
    ticks = {
        (c.loop.num_iterations, c.loop.ticks_per_iteration)
        for c in good.values()
        if c.task == "harvest_wool"
    }
    assert len(ticks) == 1


def test_one_broken_run_does_not_end_the_others(tmp_path: Path) -> None:
    runs = plan_runs(tmp_path, [RL_GPT], [0, 1])
    runs[0].folder.mkdir(parents=True)
    run_folder.write(runs[0].folder / "result.json", {"best_iteration": 0})  # nothing beside it
    finished(runs[1])
    failed = run_all(runs, [], lambda task: 1, 1, 1, lambda run, words: None)
    assert [f.job for f in failed] == [runs[0]]
    assert "final_eval.json" in failed[0].reason


def test_the_reason_of_a_failure_is_in_its_log(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("compiled step\n\nStopped: no answer for iter0/slow.\nGo on with: python\n")
    assert last_words(log) == "Stopped: no answer for iter0/slow."
    log.write_text("Traceback (most recent call last):\n  File x\nKeyError: 'a'\n")
    assert last_words(log) == "KeyError: 'a'"
    assert last_words(tmp_path / "none.log") == "it wrote no log"


def test_held_out_worlds_are_only_for_finished_runs(tmp_path: Path, capsys) -> None:
    run_folder.make(tmp_path / "run", finished=False)
    assert held_out.main([str(tmp_path / "run")]) == 2
    assert "holds no result.json" in capsys.readouterr().err


def test_only_missing_iterations_are_evaluated(tmp_path: Path) -> None:
    folder = run_folder.make(tmp_path / "run")
    assert held_out.missing(folder) == [0, 1, 2]
    held_out.copy_best(folder)
    assert held_out.missing(folder) == [0, 1]
    run_folder.add_held_out(folder, (60,))
    assert held_out.missing(folder) == [1]


def test_the_copy_that_is_walked_through_leaves_the_run_alone(tmp_path: Path) -> None:
    folder = run_folder.make(tmp_path / "run")
    run_folder.write(folder / "checkpoints/0/latest.json", {"update": 3})
    run_folder.write(folder / "videos/a.mp4", "film")
    shadow = held_out._shadow(folder, tmp_path / "shadow")
    assert (shadow / "checkpoints").resolve() == (folder / "checkpoints").resolve()
    assert not (shadow / "videos").exists()
    run_folder.write(shadow / "result.json", {"other": 1})
    assert "best_iteration" in json.loads((folder / "result.json").read_text())


def test_what_was_never_recorded_is_left_out_with_the_command_that_records_it() -> None:
    wanted = [Cell("harvest_milk", v) for v in ("rl_gpt", "pure_rl", "without_sp")]
    others = Cell("harvest_log", "code_alone"), Cell("nowhere", "rl_gpt")
    good, left = cells.usable([*wanted, *others], False, [])
    assert list(good) == [RL_GPT, PURE_RL]
    sp, code, nowhere = left
    assert sp.reason.startswith("not recorded: experiments/transcripts/harvest_milk_without_sp.js")
    told = "python -m experiments.main --config=harvest_milk --config.{} --config.llm.provider=file"
    assert sp.command.startswith(told.format("loop.decompose=false"))
    assert "--config.loop.mode=pure_code --config.loop.pure_code_plan=own" in code.command
    assert nowhere.cell == Cell("nowhere", "rl_gpt") and "no such configuration" in nowhere.reason


@pytest.mark.parametrize(
    ("config", "variant", "sister"),
    [
        ("harvest_log", "one_agent", "harvest_log_one_agent"),
        ("harvest_log", "slow_fast", "harvest_log_slow_fast"),
        ("harvest_milk", "seeing", "harvest_milk_seeing"),
    ],
)
def test_a_variant_with_a_conversation_is_the_configuration_that_it_was_recorded_with(
    config: str, variant: str, sister: str
) -> None:
    assert cells.resolve(Cell(config, variant), False, []) == flags.load_config(sister)


def test_a_file_of_one_s_own_has_other_models_by_its_stem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cells, "FOLDER", tmp_path)
    (tmp_path / "mine_model_a-b.jsonl").touch()
    assert cells.other_models("/a/mine.py") == cells.other_models("mine") == ["model_a-b"]


def test_a_live_model_is_a_variant() -> None:
    cell = Cell("harvest_milk", "compatible:vicuna-13b@http://localhost:8000/v1")
    config = cells.resolve(cell, False, [])
    assert (config.llm.provider, config.llm.model) == ("compatible", "vicuna-13b")
    assert config.llm.base_url == "http://localhost:8000/v1"
    assert cell.file_name == "harvest_milk-compatible_vicuna-13b_http___localhost_8000_v1"
    with pytest.raises(ConfigError, match="needs PROVIDER:MODEL"):
        cells.live("openai:")


def test_a_dry_run_tells_what_is_left_and_writes_nothing(tmp_path: Path, capsys) -> None:
    out = tmp_path / "study"
    argv = ["--configs=harvest_milk", "--variants=pure_rl", "--seeds=0", f"--out={out}"]
    assert command.main([*argv, "--dry-run"]) == 0
    assert "1 runs, 1 of them to do: about" in capsys.readouterr().out
    assert not out.exists()
    finished(plan_runs(out / "runs", [PURE_RL], [0])[0])
    assert command.main([*argv, "--dry-run"]) == 0
    assert "1 runs, 0 of them to do: about 0 minutes" in capsys.readouterr().out


def test_a_stop_from_the_keyboard_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    def stopped(*_) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.sweep.jobs.Job.tasks", stopped)
    argv = ["--configs=harvest_milk", "--variants=pure_rl", "--seeds=0", f"--out={tmp_path}"]
    assert command.main(argv) == 1
    assert "The same command goes on" in capsys.readouterr().out
    assert not (tmp_path / "table.md").exists()


def test_an_estimate_knows_what_is_done_and_what_it_took(runs: list[Run]) -> None:
    configs = {run.cell: cells.resolve(run.cell, False, []) for run in runs}
    each, total = minutes({run: configs[run.cell] for run in runs}, 2)
    assert [each[run] for run in runs if run.cell == RL_GPT] == [0, 0]
    assert total == pytest.approx(sum(each.values()) / 2)
    whole, rest = seconds_of(configs[PURE_RL]), seconds_of(configs[PURE_RL], has_result=True)
    assert 60 * each[next(r for r in runs if r.cell == PURE_RL)] == pytest.approx(whole)
    assert 0 < rest < whole


def test_the_position_of_a_run_is_that_of_the_last_whole_row(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    assert position(path) == (None, 0, "")
    path.write_text("iteration,update,ticks\n")
    assert position(path) == (None, 0, "")
    path.write_text("iteration,update,ticks\n0,1,8192\n1,2,16384\n1,3,2")
    assert position(path) == (1, 16384, "")
    path.write_text("iteration,update,ticks\n" + "0,1,8192\n" * 2000 + "2,9,99\n")
    assert position(path) == (2, 99, "")


def test_a_study_writes_tables_and_figures_and_what_failed(tmp_path: Path, capsys) -> None:
    argv = ["--configs=harvest_milk", "--variants=rl_gpt,pure_rl,cold", "--seeds=0"]
    options = command.parse([*argv, f"--out={tmp_path}"])
    runs = plan_runs(options.running.out / "runs", list(options.configs), options.seeds)
    for run in runs:
        if run.cell != Cell("harvest_milk", "cold"):
            finished(run)
    failed = [Failure(run, "no answer") for run in runs if not run.is_done]
    command.write_out(options, runs, failed, argv)
    for name in ("iterations.png", "curves.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (tmp_path / name).with_suffix(".svg").read_text()
    text = (tmp_path / "table.md").read_text()
    assert "python -m experiments.study --configs=harvest_milk" in text
    assert "harvest_milk cold seed 0: no answer" in text
    study = json.loads((tmp_path / "study.json").read_text())
    assert study["intervals"]["over_seeds"] and study["seeds"] == [0]
    by_folder = {Path(r["folder"]).name: r for r in study["runs"]}
    assert by_folder["harvest_milk-cold-seed0"]["done"] is False
    assert by_folder["harvest_milk-rl_gpt-seed0"]["command"] == (
        "python -m experiments.main --config=harvest_milk --seed=0 --config.loop.mode=rl_gpt"
    )
    assert "harvest_milk cold seed 0 failed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--configs=harvest_mlk"], "Did you mean harvest_milk"),
        (["--variants=pure_lr"], "Did you mean pure_rl"),
        (["--seeds=a"], "--seeds=a: needs different whole numbers"),
        (["--seeds=0,00"], "--seeds=0,00: needs different"),
        (["--seeds=0,²"], "--seeds=0,²: needs different"),
        (["--preset=iterations"], "no such flag"),
        (["--variants=agents_setup"], "takes the set-up of rl_gpt"),
        (["--configs=harvest_milk", "--variants=pure_rl", "--config.ppo.num_env=3"], "num_envs"),
        (["--configs=craft_wooden_shovel"], "leave the models out: --variants=pure_rl"),
    ],
)
def test_mistakes_are_found_before_any_run(argv: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        command.parse(argv)
