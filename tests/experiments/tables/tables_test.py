"""`experiments.tables`: what finished runs say is kept, read first, and drawn from alone."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest

from experiments import set_up
from experiments.config_tree import leaf_values
from experiments.study import cells, finished
from experiments.study.cells import Cell
from experiments.study.measured import gathered, measure
from experiments.study.runs import Run, plan_runs
from experiments.sweep import launchers
from experiments.sweep.jobs import Task, run_all
from experiments.tables import __main__ as command
from experiments.tables import names
from experiments.tables.plan import Plan, look, parse
from experiments.values import ConfigError
from rlgpt_jax.loop.baselines.autocraft import space_of
from rlgpt_jax.rl.interface import DEFAULT
from tests.experiments import run_folder

RL_GPT, PURE_RL = Cell("harvest_milk", "rl_gpt"), Cell("harvest_milk", "pure_rl")
CODE, SET_UP = Cell("harvest_milk_rays", "code_alone"), Cell("harvest_milk", "agents_setup")


def ended(run: Run, is_smoke: bool = False) -> Run:
    """A finished run with the settings of its cell, and the answers that it replays."""
    given = [("seed", str(run.seed)), *run.overrides[-1:] * (run.cell.variant in cells.SET_UPS)]
    config = cells.resolve(run.cell, is_smoke, given)
    folder = run_folder.make(run.folder)
    run_folder.add_held_out(folder, (60, 90, 120))
    command = f"python -m experiments.main --config={run.cell.config} --seed={run.seed}"
    saved = {"name": run.cell.config, "command": command, "config": dataclasses.asdict(config)}
    run_folder.write(folder / "config.json", saved)
    shipped = (finished.files.CHECKOUT / config.llm.transcript).read_text().splitlines()
    is_code = run.cell.variant == CODE.variant
    lines = [line for line in shipped if is_code == ('"key": "pure_code/' in line)]
    (folder / "transcript.jsonl").write_text("\n".join(lines) + "\n")
    return run


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    return [ended(run) for run in plan_runs(tmp_path / "runs", [RL_GPT, PURE_RL, CODE], [0, 1])]


def kept(run: Run, folder: Path) -> Path:
    return finished.write(folder, finished.record_of(run.cell, run.seed, run.folder))


def test_a_kept_cell_says_what_its_run_says(runs: list[Run], tmp_path: Path) -> None:
    paths = [kept(run, tmp_path / "kept") for run in runs]
    assert paths[0] == tmp_path / "kept/voxel/harvest_milk-rl_gpt-seed0.json"
    assert paths[0].stat().st_size < 12_000
    assert gathered(dict(zip(runs, map(finished.read, paths)))) == measure(runs)
    record = finished.read(paths[0])
    assert record["command"].endswith("--config=harvest_milk --seed=0")
    assert record["date"] == "2026-11-01" and record["machine"] == "?, 2 threads"
    for run, path in zip(runs, paths):
        config = cells.resolve(run.cell, False, [])
        assert finished.stale(finished.read(path), config, run.cell.variant) == ""


def test_worlds_of_an_evaluation_are_kept_as_counts(runs: list[Run]) -> None:
    path = runs[0].folder / "final_eval.json"
    worlds = {"7": [4, 4], "3": [1, 4], "9": [4, 4]}
    run_folder.write(path, {**json.loads(path.read_text()), "by_world": worlds})
    record = finished.record_of(RL_GPT, 0, runs[0].folder)
    assert record["final"]["worlds"] == [[1, 4, 1], [4, 4, 2]]
    again = finished.report_of(record["final"])["by_world"]
    assert sorted(again.values()) == [(1, 4), (4, 4), (4, 4)]


def test_other_settings_or_answers_make_a_kept_cell_stale(runs: list[Run], tmp_path: Path) -> None:
    record = finished.read(kept(runs[0], tmp_path))

    def why(*changes: tuple[str, str]) -> str:
        return finished.stale(record, cells.resolve(RL_GPT, False, changes), "rl_gpt")

    assert "ppo.gamma: 0.99 -> 0.98" in why(("ppo.gamma", "0.98"))
    assert why(("driver", "host"), ("senses.renderer", "jax"), ("budget.max_calls", "3")) == ""
    (first,) = plan_runs(tmp_path / "more", [Cell("craft_stick_paper", "rl_gpt")], [0])
    drawn = finished.read(kept(ended(first), tmp_path))
    second = cells.resolve(Cell("craft_stick_paper", "second"), False, [])
    assert "is not that of experiments/transcripts/craft_stick_paper_second" in finished.stale(
        drawn, second, "second"
    )
    for variant in cells.SET_UPS:
        assert finished.stale(drawn, second, variant) == "its settings are others: set_up"
    record["answers"]["iter9/slow"] = hashlib.sha256(b"words").hexdigest()[:8]
    assert why().startswith("its answer to iter9/slow is not that of")
    del record["settings"]["ppo"]["clip"]  # a field that is newer than the cell
    assert "ppo.clip: not known" in why()
    record["settings"]["ppo"]["old"] = 1
    assert "no field 'old'" in why()


def test_kept_cells_are_read_first_and_stale_ones_are_run_again(
    runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "kept"
    for run in runs:
        kept(run, results)
    path = finished.path_of(results, RL_GPT, 1, "voxel")
    path.write_text(path.read_text().replace('"gamma": 0.99', '"gamma": 0.9'))
    argv = ["iterations", "--configs=harvest_milk", "--seeds=0,1", f"--results={results}",
            f"--out={tmp_path / 'out'}"]  # fmt: skip
    plan = look(parse(argv))
    assert {(run.cell.variant, run.seed) for run in plan.kept} == {
        ("rl_gpt", 0), ("pure_rl", 0), ("pure_rl", 1)
    }  # fmt: skip
    assert ("rl_gpt", 1) in {(run.cell.variant, run.seed) for run in plan.runs}
    (stale,) = plan.stale
    assert "harvest_milk rl_gpt seed 1: the kept cell is stale" in stale and "gamma" in stale
    assert command.main([*argv, "--only-kept"]) == 0
    assert stale in capsys.readouterr().out
    path.write_text("{")
    with pytest.raises(ConfigError, match="no kept cell"):
        look(parse(argv))


def test_a_control_with_their_primitives_is_not_taken_for_the_one_with_every_primitive(
    tmp_path: Path,
) -> None:
    for variant in cells.SET_UPS:
        (run,) = plan_runs(tmp_path, [Cell("harvest_milk", variant)], [0])
        assert finished.cell_of(ended(run).folder) == run.cell


def test_ppo_with_the_agents_set_up_takes_it_from_a_kept_cell(
    runs: list[Run], tmp_path: Path
) -> None:
    interface = json.loads(json.dumps(dataclasses.asdict(DEFAULT)))
    run_folder.write(runs[0].folder / "iterations/2/interface.json", interface)
    path = kept(runs[0], tmp_path / "kept")
    asked = parse(["controls", "--configs=harvest_milk", "--seeds=0",
                   f"--results={tmp_path / 'kept'}", f"--out={tmp_path / 'out'}"])  # fmt: skip
    (run,) = [run for run in look(asked).runs if run.cell == SET_UP]
    assert run.follows is None and run.overrides[-1] == ("set_up", str(path))
    assert finished.read(path)["set_up"] == interface
    set_up.check(path, "harvest_milk", "blind_code")
    with pytest.raises(ConfigError, match="task=harvest_milk"):
        set_up.check(path, "harvest_wool", "blind_code")


def test_a_cell_is_kept_when_it_finishes(tmp_path: Path) -> None:
    asked = parse(["vision", "--seeds=0", "--keep", f"--results={tmp_path / 'kept'}",
                   f"--out={tmp_path / 'out'}"])  # fmt: skip
    (run, *_) = look(asked).runs

    def call(task: Task) -> int:
        ended(run)
        return 0

    assert run_all([run], [], call, 1, 1, lambda *_: None) == []
    assert finished.path_of(tmp_path / "kept", RL_GPT, 0, "voxel").is_file()
    assert look(asked).kept.keys() == {run.__class__(RL_GPT, 0, run.folder)}


def test_an_ordinary_run_becomes_the_cell_that_it_is_of(
    runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [str(run.folder) for run in runs]
    assert command.main(["keep", *folders, f"--results={tmp_path / 'kept'}"]) == 0
    made = {path.name for path in (tmp_path / "kept/voxel").iterdir()}
    assert made == {f"{run.cell.file_name}-seed{run.seed}.json" for run in runs}
    (second,) = plan_runs(tmp_path / "more", [Cell("craft_stick_paper", "second")], [0])
    assert finished.cell_of(ended(second).folder) == second.cell  # told by its answers alone
    (pixels,) = plan_runs(tmp_path / "more", [Cell("harvest_milk_pixels", "rl_gpt")], [0])
    variant = Cell("harvest_milk", "pixels")
    assert finished.cell_of(ended(pixels).folder).file_name == variant.file_name  # either way
    assert Cell("harvest_milk_pixels", "pure_rl").file_name == "harvest_milk_pixels-pure_rl"
    assert Cell("assembly_blind", "rl_gpt").file_name == "assembly_blind-rl_gpt"
    path = runs[0].folder / "config.json"
    saved = json.loads(path.read_text())
    saved["config"]["ppo"]["gamma"] = 0.5
    run_folder.write(path, saved)
    assert command.main(["keep", folders[0]]) == 2
    assert "in no variant has these settings (ppo.gamma: 0.5" in capsys.readouterr().err
    assert command.main(["keep", str(tmp_path / "none")]) == 2
    run_folder.write(path, {**saved, "name": "my_task"})
    assert command.main(["keep", folders[0]]) == 2
    assert "my_task is no configuration of the project" in capsys.readouterr().err
    (runs[1].folder / "result.json").unlink()
    assert command.main(["keep", folders[1]]) == 2
    assert "holds no result.json" in capsys.readouterr().err


def test_what_says_nothing_is_not_kept(runs: list[Run], tmp_path: Path) -> None:
    record = finished.record_of(RL_GPT, 0, runs[0].folder)
    with pytest.raises(ConfigError, match="smoke run"):
        finished.write(tmp_path, {**record, "smoke": True})
    with pytest.raises(ConfigError, match="lacks held-out evaluations"):
        finished.write(tmp_path, {**record, "held_out": []})


def test_a_folder_with_another_run_is_refused(tmp_path: Path) -> None:
    asked = parse(["vision", "--seeds=0", f"--out={tmp_path}", f"--results={tmp_path / 'kept'}"])
    run = ended(next(run for run in look(asked).runs if run.cell == RL_GPT))
    assert run in look(asked).runs
    path = run.folder / "config.json"
    path.write_text(path.read_text().replace('"gamma": 0.99', '"gamma": 0.9'))
    with pytest.raises(ConfigError, match="holds another run .*ppo.gamma"):
        look(asked)


def test_what_cannot_succeed_is_known_without_a_run(tmp_path: Path) -> None:
    configs = "--configs=craft_stick_paper,harvest_wool"
    plan = look(parse(["controls", configs, "--seeds=0", f"--results={tmp_path}",
                       f"--out={tmp_path / 'out'}"]))  # fmt: skip
    zero = {known.cell.variant for known in plan.skipped if known.is_zero}
    assert zero == {"pure_rl", "agents_setup", "without_macros"}
    left = [run.cell.variant for run in plan.runs if run.cell.config == "craft_stick_paper"]
    assert left == ["rl_gpt", "cold", "code_alone"]
    assert {run.cell.variant for run in plan.runs if run.cell.config != "craft_stick_paper"} == {
        *names.CONTROLS
    }
    for variant in ("mineagent_autocraft", "plan4mc", "pure_rl_autocraft"):
        cell = Cell("craft_stick_paper", variant)
        assert cells.without_a_chance(cell, cells.resolve(cell, False, [])) is None


def test_where_nothing_is_crafted_autocraft_is_no_run_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beef, sticks = "harvest_beef_with_diamond_sword_paper", "craft_stick_paper"
    cell = Cell(beef, "pure_rl_autocraft")
    assert cells.same_as(cell) == Cell(beef, "pure_rl")
    for other in (cell.config, sticks, "harvest_wool_with_crafting_table_and_iron_ingot_paper"):
        for variant in ("rl_gpt", "pure_rl", *["mineagent_autocraft"] * (other != beef)):
            assert cells.same_as(Cell(other, variant)) == Cell(other, variant)
    # Nothing is left to act: it is the same world.
    assert not any(space_of(cells.loaded(beef).task_record).names)
    argv = ["main", f"--configs={beef}", "--seeds=0", f"--out={tmp_path}"]
    plan = look(parse(argv))
    assert not any("autocraft" in run.cell.variant for run in (*plan.runs, *plan.kept))
    assert command.main([*argv, "--only-kept"]) == 0
    rows = json.loads((tmp_path / "main/study.json").read_text())["tables"]["main"]
    rates = {row["variant"]: row["rate"] for row in rows if row.get("source") is None}
    assert rates["pure_rl_autocraft"] == plan_rate(plan, "pure_rl") > 0
    assert rates["mineagent_autocraft"] == rates["mineagent"] == plan_rate(plan, "mineagent")
    capsys.readouterr()


def plan_rate(plan: Plan, variant: str) -> float:
    (record,) = (record for run, record in plan.kept.items() if run.cell.variant == variant)
    return record["final"]["success_rate"]


def test_every_run_that_was_made_of_what_cannot_succeed_has_failed() -> None:
    """Measured ones that the rule has made needless."""
    found = []
    for path in sorted(Path(finished.KEPT, "voxel").glob("*.json")):
        record = finished.read(path)
        cell = Cell(record["config"], record["variant"])
        if cells.without_a_chance(cell, cells.resolve(cell, False, [])):
            reports = [record["final"], *record["held_out"], *record["validation"]]
            found += [report["successes"] for report in reports]
    assert len(found) > 20 and not any(found)


def test_a_dry_run_says_what_is_kept_what_is_missing_and_how_to_record_it(
    runs: list[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(runs[0], tmp_path / "kept")
    argv = ["interface", "--configs=harvest_milk", "--seeds=0,1", f"--results={tmp_path / 'kept'}",
            f"--runs={tmp_path / 'runs'}", "--keep"]  # fmt: skip
    assert command.main([*argv, f"--out={tmp_path / 'out'}", "--dry-run"]) == 0
    assert len(list((tmp_path / "kept/voxel").iterdir())) == 1
    told = capsys.readouterr().out
    assert "harvest_milk rl_gpt seed 0: kept" in told and "1 runs, 0 of them to do" in told
    assert "left out harvest_milk reward: not recorded" in told
    assert "--config.loop.design=reward --config.llm.provider=file" in told
    assert not (tmp_path / "out").exists()


def test_equal_cells_give_equal_files_kept_or_not(runs: list[Run], tmp_path: Path) -> None:
    for run in runs:
        kept(run, tmp_path / "kept")
    argv = ["controls", "--configs=harvest_milk", "--seeds=0,1", f"--runs={tmp_path / 'runs'}"]
    asked = parse([*argv, f"--out={tmp_path / 'a'}", f"--results={tmp_path / 'none'}"])
    command.draw(asked, look(asked), [])
    only = [*argv, f"--out={tmp_path / 'b'}", f"--results={tmp_path / 'kept'}", "--only-kept"]
    assert command.main(only) == 0
    files = {p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()}
    assert Path("controls/tables/controls.tex") in files and Path("controls/curves.svg") in files
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_one_command_takes_the_path_of_every_table_and_the_next_time_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The runs themselves are made by hand."""
    argv = ["all", "--quick", f"--out={tmp_path}"]
    runs = {run.folder: run for run in look(parse(argv)).runs}
    done: list[Path] = []
    tried: list[Path] = []

    def work(task: Task) -> int:
        if "code_alone" in task.folder.name and task.folder not in tried:
            tried.append(task.folder)
            return 1
        done.append(ended(runs[task.folder], is_smoke=True).folder)
        return 0

    monkeypatch.setattr(launchers, "work", work)
    assert command.main(argv) == 1
    failed = capsys.readouterr().out
    for name in names.NAMED:
        assert (tmp_path / name / "table.md").exists(), name
    assert "harvest_milk_rays code_alone seed 0 failed" in failed
    assert command.main(argv) == 0 and sorted(done) == sorted(runs)
    text = (tmp_path / "frontier/table.md").read_text()
    assert "| harvest_milk_rays | rays | 65.5 (" in text and "| one seed |" in text
    assert (tmp_path / "main/main_points.svg").exists()
    capsys.readouterr()
    assert command.main(argv) == 0 and len(done) == len(runs)
    assert f"{len(runs)} runs, 0 of them to do" in capsys.readouterr().out


def test_films_are_drawn_for_tables_that_show_them_and_if_asked_for() -> None:
    def filmed(*argv: str) -> set[bool]:
        runs = look(parse([*argv, "--out=nowhere"])).runs
        given = {dict(run.overrides).get("films", "true") for run in runs}
        return {text == "true" for text in given}

    assert filmed("main", "--only-kept") == set()
    assert filmed("samples", "--quick") == {False}
    assert filmed("samples", "--quick", "--config.films=true") == {True}
    assert filmed("iterations", "--quick") == {True}


def test_every_table_names_cells_that_there_are_and_a_smoke_run_needs_few() -> None:
    asked = parse(["all", "--quick", "--out=nowhere"])
    wanted = {cell for name in asked.names for cell in asked.cells(name)}
    good, left = cells.usable(list(wanted), True, [])
    assert set(asked.names) == set(names.NAMED)
    assert all(s.command for s in left), [s for s in left if not s.command]
    assert len(good) <= 10
    for name in asked.names:
        assert name == "tokens" or set(asked.cells(name)) & set(good), name


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["mian"], "Did you mean main"),
        (["main", "--quick", "--keep"], "none are kept"),
        (["main", "--keep", "--config.ppo.gamma=0.9"], "leave out --config.ppo.gamma"),
        (["models", "--models=gpt"], "needs PROVIDER:MODEL"),
        (["main", "--world=minedoj"], "minedoj"),
        (
            ["controls", "--configs=harvest_milk,kitchen_kettle"],
            r"several worlds \(control, voxel\)",
        ),
        (["main", "--seeds=a"], "needs different whole numbers"),
        (["main", "--config.ppo.num_env=3"], "num_envs"),
    ],
)
def test_mistakes_are_found_before_any_run(argv: list[str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        look(parse([*argv, "--out=nowhere"]))


def test_settings_of_minecraft_are_refused_where_it_has_them_not() -> None:
    asked = parse(["vision", "--world=minedojo", "--out=nowhere"])
    good, left = cells.usable(asked.cells("vision"), False, asked.assignments)
    assert {leaf_values(config)["world"] for config in good.values()} == {"minedojo"}
    assert [s.cell.variant for s in left] == ["seeing"] and "critic.vision" in left[0].reason
