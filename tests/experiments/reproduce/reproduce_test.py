"""Runs are equal or differ at a named place; the command makes them, kills one and compares."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import orbax.checkpoint as ocp
import pytest

from experiments.reproduce import __main__ as command
from experiments.reproduce import contents, runs
from tests.experiments import run_folder
from tests.faults import small_run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    folder = run_folder.make(tmp_path_factory.mktemp("made") / "run")
    result = json.loads((folder / "result.json").read_text())
    run_folder.write(folder / "result.json", result | {"params_sha256": "ab" * 32})
    save(folder, np.arange(6, dtype=np.float32))
    return folder


@pytest.fixture
def once(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "once")


@pytest.fixture
def again(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "again")


def save(folder: Path, array: np.ndarray) -> None:
    """The only checkpoint of the first iteration."""
    path = folder / "checkpoints/0/update_000029"
    ocp.PyTreeCheckpointer().save(path / "arrays", {"learner0000": array}, force=True)
    run_folder.write(path.parent / "latest.json", {"folder": path.name})


def found(once: Path, again: Path) -> dict[str, contents.Difference]:
    all_kinds = contents.differences(contents.of_run(once), contents.of_run(again))
    assert tuple(all_kinds) == contents.KINDS
    return {kind: difference for kind, difference in all_kinds.items() if difference}


def test_equal_runs_may_differ_in_their_times_alone(once: Path, again: Path) -> None:
    rows = (once / "metrics.csv").read_text().splitlines()
    for folder, seconds in ((once, 1), (again, 2)):
        lines = [f"{row},{'time_update' if i == 0 else seconds}" for i, row in enumerate(rows)]
        run_folder.write(folder / "metrics.csv", "\n".join(lines) + "\n")
    result = json.loads((again / "result.json").read_text())
    run_folder.write(again / "result.json", result | {"wall_seconds": {"train": 1.0}})
    assert not found(once, again)
    run = contents.of_run(once)
    assert all(run.values())  # every kind has something that could differ
    assert contents.digests(run) == contents.digests(contents.of_run(again))


CHANGES = [
    ("parameters", "result.json", '"abab', '"cdab', "result.json params_sha256: 'abab"),
    ("metrics", "metrics.csv", "2,89,6.0003e+05,", "2,89,6.0004e+05,",
     "metrics.csv update 89, ticks: "),
    ("macros", "iterations/0/macros/find_cow/try1.py", "yaw=60", "yaw=61",
     "iterations/0/macros/find_cow/try1.py line 12: "),
    ("transcript", "transcript.jsonl", "iter1/slow", "iter1/fast",
     "transcript.jsonl line 2, key: 'iter1/slow', then 'iter1/fast'"),
    ("transcript", "transcript.jsonl", "000", "001",
     "transcript.jsonl line 1 (iter0/slow), prompt_sha256: "),
    ("transcript", "transcript.jsonl", "{}", "[]",
     "transcript.jsonl line 1 (iter0/slow), answer: '```json\\n{}"),
    ("evaluations", "iterations/1/eval.json", '"returned": 240', '"returned": 241',
     "iterations/1/eval.json macro_ends.find_cow.returned: '240', then '241'"),
    ("evaluations", "final_eval.json", '"seed": 7', '"seed": 8', "final_eval.json seed: "),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "file", "old", "new", "words"), CHANGES)
def test_a_difference_is_found_and_named(
    kind: str, file: str, old: str, new: str, words: str, once: Path, again: Path
) -> None:
    text = (again / file).read_text()
    assert old in text
    run_folder.write(again / file, text.replace(old, new, 1))
    differences = found(once, again)
    assert list(differences) == [kind] and differences[kind].words.startswith(words)


def test_what_is_missing_and_other_arrays_are_differences(once: Path, again: Path) -> None:
    save(again, np.arange(1, 7, dtype=np.float32))
    (again / "iterations/2/macros/milk_cow/kept.py").unlink()
    differences = found(once, again)
    assert differences["parameters"].place == "checkpoints/0/update_000029 learner0000"
    assert differences["macros"].again == contents.NOTHING
    assert differences["macros"].places == len(run_folder.USE.splitlines())


def test_long_values_are_shown_where_they_differ() -> None:
    words = contents.Difference("there", 99 * "a" + "b", 99 * "a" + "c", 3).words
    assert words.endswith("aab', then '" + 30 * "a" + "c', and 2 more places")


def test_rounding_is_allowed_in_numbers_and_not_in_counts(once: Path, again: Path) -> None:
    paths = [folder / "metrics.csv" for folder in (once, again)]
    text = paths[0].read_text()
    assert contents.by_rounding(*paths, 2) == (0.0, None)
    for new, names in (("3.38004", None), ("3.39", "entropy"), ("", "entropy")):
        paths[1].write_text(text.replace("3.38\n", f"{new}\n"))
        largest, difference = contents.by_rounding(*paths, 2)
        assert largest > 0 and (difference and difference.place.split()[-1]) == names
        assert contents.by_rounding(*paths, 1) == (0.0, None)  # the second row is not read
    paths[1].write_text(text.replace(",13334,", ",13335,"))
    difference = contents.by_rounding(*paths, 2)[1]
    assert difference and difference.place == "metrics.csv update 1, ticks"


def test_a_run_is_killed_in_the_middle_of_its_longest_iteration(once: Path) -> None:
    text = run_folder.metrics_csv()
    assert runs.middle(once) == runs.Moment("metrics.csv", 15)
    rows = text.splitlines(keepends=True)
    run_folder.write(once / "metrics.csv", "".join(rows[:5] + rows[31:50]))
    assert runs.middle(once) == runs.Moment("metrics.csv", 14)
    (once / "metrics.csv").unlink()
    assert runs.middle(once) is None


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "--config=NAME is needed"),
        (["--config=harvest_mlk"], "Did you mean harvest_milk"),
        (["--config=harvest_milk", "--sed=1"], "no such flag. Did you mean --seed"),
        (["--config=harvest_milk", "--seed=x"], "--seed"),
        (["--config=harvest_milk", "--seed=1", "--config.seed=1"], "more than once"),
        (["--config=harvest_milk", "--config.ppo.num_env=3"], "ppo.num_envs"),
        (["--config=harvest_milk", "--config.llm.provider=file"], "answers otherwise"),
        (["--config=harvest_milk", "--out=."], "is there already"),
    ],
)
def test_mistakes_are_one_line_before_any_run(
    argv: list[str], words: str, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "make", lambda *asked: pytest.fail("it runs"))
    assert command.main(argv) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and words in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ([], "--config.driver=device"),
        (["--config.driver=host"], "the host driver is in use"),
        (["--config.driver=device"], "--config.ppo.groups=2"),
        (["--config.driver=device", "--config.ppo.groups=1"], "no other number than 1 of 1"),
        (["--config.driver=device", "--config.ppo.groups=6"], 2),
        (["--config.driver=device", "--config.ppo.groups=6", "--config.devices=2"], 1),
    ],
)
def test_another_number_of_devices_shares_the_groups(
    fields: list[str], told: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "ASK", "print('cpu', 1)")
    config = command.parse(["--config=harvest_milk", *fields]).config
    if isinstance(told, int):
        assert runs.other_devices(config) == told
    else:
        with pytest.raises(ValueError, match=told):
            runs.other_devices(config)


@pytest.mark.slow
def test_runs_in_a_corridor_are_equal_and_two_devices_differ_by_rounding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """As users run it, but for the world."""
    tasks = runs.PlainJob.tasks

    def small(job, words, threads):
        for task in tasks(job, words, threads):
            start = ("-m", "tests.faults.small_run")
            yield dataclasses.replace(
                task, command=start + task.command[2:], again=start + task.again[2:]
            )

    monkeypatch.setattr(runs.PlainJob, "tasks", small)
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.setenv("NPROC", "2")
    flags = (*small_run.start_flags(tmp_path), "--config.driver=device", "--config.ppo.groups=2")
    assert command.main([*flags, "--seed=1", f"--out={tmp_path}/out"]) == 0
    words = capsys.readouterr().out
    for row in ("twice", "killed"):
        assert f"\n{row:<12}{'equal        ' * 5}\n" in words
    assert "\nkilled: killed after update 2\n" in words
    assert "\ndevices=2: metrics of the first 2 updates differ by at most " in words
    saved = json.loads((tmp_path / "out/reproduce.json").read_text())
    assert saved["equal"] and set(saved["compared"]) == {"twice", "killed", "devices=2"}
    version = json.loads((tmp_path / "out/devices=2/version.json").read_text())
    assert runs.FORCED in version["xla_flags"]
