"""A sweep runs what is missing, here or elsewhere, keeps what failed and tries it again."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from experiments import flags
from experiments.reproduce import __main__ as reproduce
from experiments.sweep import __main__ as command
from experiments.sweep import fields, launchers, running
from experiments.sweep.board import Board
from experiments.sweep.jobs import Job, Task, run_all, work
from experiments.values import ConfigError
from tests.experiments import run_folder

# Stands for experiments.main: writes its result, unless a file says that it shall fail.
PROGRAM = """
import pathlib, sys
here = pathlib.Path(sys.argv[1])
here.mkdir(parents=True, exist_ok=True)
(here / "config.json").write_text("{}")
print("begun with", sys.argv[2:])
if (here.parent / "fails").exists():
    sys.exit("Stopped: nothing left")
(here / "result.json").write_text("{}")
"""


@dataclasses.dataclass(frozen=True)
class Small(Job):
    """A job of a moment."""

    folder: Path
    config: str = "none"
    overrides: fields.Assignments = ()
    program: str = PROGRAM

    def tasks(self, words, threads):
        for task in super().tasks((), threads):
            start = ("-c", self.program, str(self.folder))
            yield dataclasses.replace(task, command=(*start, "new"), again=(*start, "again"))

    def command(self, extra=()):
        return []


def run(jobs: list[Small], launcher=launchers.local) -> list[str]:
    """What was told, sorted."""
    told: list[str] = []
    with launcher() as call:
        run_all(jobs, [], call, 2, 1, lambda job, words: told.append(f"{job.name} {words}"))
    return sorted(told)


def test_what_failed_is_kept_told_and_tried_again(tmp_path: Path) -> None:
    jobs = [Small(tmp_path / "runs" / name) for name in ("a", "b.c")]
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/fails").touch()
    told = run(jobs)
    assert "a failed: Stopped: nothing left" in told and "b.c started" in told
    (tmp_path / "runs/fails").unlink()
    assert run(jobs) == ["a done", "a started", "b.c done", "b.c started"]
    assert run(jobs) == ["a done before", "b.c done before"]
    log = (tmp_path / "runs/b.c.log").read_text()
    assert log.index("['new']") < log.index("nothing left") < log.index("['again']")


def test_a_run_ends_with_the_process_that_waits_for_it(tmp_path: Path) -> None:
    """Else the folder of a lost worker would stay held."""
    import os
    import signal
    import subprocess
    import time

    sleeper = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()));"
    task = Task(("-c", sleeper + "time.sleep(60)"), (), tmp_path / "run", tmp_path / "log", 1)
    source = f"from pathlib import *; from experiments.sweep.jobs import *; work({task!r})"
    worker = subprocess.Popen([sys.executable, "-c", source])
    until = time.monotonic() + 60
    while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
        assert time.monotonic() < until
        time.sleep(0.05)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    pid = int((tmp_path / "pid").read_text())
    while Path(f"/proc/{pid}/stat").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < until
        time.sleep(0.05)
    assert work(dataclasses.replace(task, command=("-c", "raise SystemExit(3)"))) == 3
    assert os.path.exists(tmp_path / "log")


def test_a_run_reads_paths_as_the_command_that_began_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # --config.macros.library=macros
    task = Task(("-c", "open('here', 'w')"), (), tmp_path / "runs/a", tmp_path / "runs/log", 1)
    monkeypatch.chdir("/")
    assert work(task) == 0 and (tmp_path / "here").exists()


@pytest.mark.parametrize("cluster", ["debug", pytest.param("local", marks=pytest.mark.slow)])
def test_slurm_s_library_runs_jobs(tmp_path: Path, cluster: str, monkeypatch) -> None:
    pytest.importorskip("submitit")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    start = launchers.choose("slurm", tmp_path / "slurm", 1, 0, {"cluster": cluster})
    assert run([Small(tmp_path / "a"), Small(tmp_path / "b")], start) == [
        "a done", "a started", "b done", "b started"
    ]  # fmt: skip


def test_values_are_ranges_lists_and_tuples() -> None:
    assert fields.axis("seed=0..3,7") == ("seed", ("0", "1", "2", "3", "7"))
    assert fields.axis("config.ppo.learning_rate=3e-4,1e-3")[0] == "ppo.learning_rate"
    assert fields.axis("a=(64,64),[1,2]") == ("a", ("(64,64)", "[1,2]"))


def test_points_are_all_combinations_or_pairs() -> None:
    both = ["seed=0,1", "loop.mode=rl_gpt,pure_rl"]
    assert len(fields.points(both, False)) == 4
    assert fields.points(both, True)[1] == (("seed", "1"), ("loop.mode", "pure_rl"))


def test_folders_have_different_names() -> None:
    name = fields.folder_name
    assert name((("seed", "0"), ("loop.mode", "pure_rl"))) == "seed=0-loop.mode=pure_rl"
    assert name((("set_up", "a/b"),)) != name((("set_up", "a_b"),))
    assert "/" not in name((("set_up", "../a"),)) and len(name((("a", "b" * 999),))) < 140


ARGV = ["--config=harvest_milk", "--sweep=seed=0..1", "--sweep=loop.mode=rl_gpt,pure_rl"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--config=harvest_mlk", "--sweep=seed=0,1"], "Did you mean harvest_milk"),
        (["--config=harvest_milk"], "--sweep=FIELD=VALUES is needed"),
        (["--sweep=seed=0,1"], "--config=NAME is needed"),
        ([*ARGV, "--sweep=ppo.num_env=3"], "ppo.num_envs"),
        ([*ARGV, "--sweep=ppo.gamma=0.9,x"], "needs a number"),
        ([*ARGV, "--sweep=seed=3"], "given twice"),
        ([*ARGV, "--sweep=a="], "needs a field and different values"),
        ([*ARGV, "--sweep=a=1,1"], "needs a field and different values"),
        ([*ARGV, "--sweep=budget.max_calls=0..99999999"], "more than 10,000"),
        ([*ARGV, "--sweep=budget.max_calls=1..3", "--zip"], "as many values of every field"),
        ([*ARGV, "--config.seed=3"], "is set and swept"),
        ([*ARGV, "--launcher=rai"], "Did you mean ray"),
        ([*ARGV, "--jobs=0"], "from 1 on"),
        ([*ARGV, "--gpus=-1"], "from 0 on"),
        ([*ARGV, "--slurm=timeout"], "NAME=VALUE"),
        ([*ARGV, "--job=2"], "no such flag. Did you mean --jobs"),
    ],
)
def test_mistakes_are_one_line_before_any_run(
    argv: list[str], words: str, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.main(argv) == 2
    said = capsys.readouterr()
    assert words in said.err and said.err.count("\n") == 1 and not said.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("slurm", "submitit")])
def test_a_launcher_that_is_not_there_is_one_line(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launchers.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=f"{package} is not installed"):
        command.parse([*ARGV, f"--launcher={name}"])


def test_slurm_without_its_commands_is_one_line(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(launchers.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="no sbatch"):
        command.parse([*ARGV, "--launcher=slurm"])


def test_a_dry_run_tells_every_run_and_writes_nothing(tmp_path: Path, capsys) -> None:
    assert command.main([*ARGV, f"--out={tmp_path / 'o'}", "--jobs=2", "--dry_run"]) == 0
    out = capsys.readouterr().out
    assert "seed=1-loop.mode=pure_rl: about" in out and "4 runs, 4 of them to do" in out
    assert not (tmp_path / "o").exists()


def test_a_folder_with_other_settings_is_refused(tmp_path: Path) -> None:
    how, configs = command.parse([*ARGV, f"--out={tmp_path}"])
    job, config = next(iter(configs.items()))
    job.folder.mkdir(parents=True)
    saved = {"name": "harvest_milk", "config": dataclasses.asdict(config)}
    (job.folder / "config.json").write_text(json.dumps(saved))
    assert command.parse([*ARGV, f"--out={tmp_path}"])[1] == configs
    with pytest.raises(ConfigError, match=r"started with other settings \(ppo.gamma"):
        command.parse([*ARGV, f"--out={tmp_path}", "--config.ppo.gamma=0.5"])
    assert job.command(how.extra)[-2:] == ["--seed=0", "--config.loop.mode=rl_gpt"]


def test_a_file_is_named_by_its_whole_path_runs_start_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from experiments.configs import base\nget_config = lambda: base.for_task('harvest_milk')\n"
    )
    (job,) = command.parse(["--config=mine.py", "--sweep=seed=0"])[1]
    assert f"--config={tmp_path / 'mine.py'}" in job.command()
    assert reproduce.parse(["--config=mine.py"]).name == str(tmp_path / "mine.py")


def test_nothing_to_do_takes_no_minutes_on_a_cluster_either(tmp_path: Path, capsys) -> None:
    """There is one run at a time for each that there is, and here there is none."""
    assert running.go(running.Running(0, 1, launchers.local, tmp_path, (), False), {}) == []
    assert "0 runs, 0 of them to do: about 0 minutes" in capsys.readouterr().out


def test_the_board_tells_where_runs_stand(tmp_path: Path) -> None:
    config = flags.resolve("harvest_milk", None, True, [])
    going, bad, late = (Small(tmp_path / name) for name in ("going", "bad", "late"))
    console = Console(width=120, record=True)
    board = Board(console, dict.fromkeys((going, bad, late), config), 12.0)
    board.say(going, "started")
    board.say(bad, "failed: no answer")
    board.say(late, "started")
    going.folder.mkdir()
    (going.folder / "metrics.csv").write_text("iteration,ticks,success_rate\n1,512,0.25\n")
    with console.capture() as shown:
        console.print(board.table())
    text = shown.get()
    assert "512 of" in text and "25%" in text and "queued" in text
    assert "0 of 3 done, 2 at work, 1 failed; 0 of about 12 minutes" in text


def test_a_sweep_ends_with_what_failed_and_a_comparison_of_what_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    argv = ["--config=harvest_milk", "--sweep=seed=0..2", f"--out={tmp_path}"]
    *done, last = command.parse(argv)[1].items()
    for job, config in done:
        run_folder.make(job.folder)
        saved = {"name": "harvest_milk", "config": dataclasses.asdict(config)}
        run_folder.write(job.folder / "config.json", saved)

    def fails(task: Task) -> int:
        task.log.write_text("error: no worlds\n")
        return 2

    monkeypatch.setattr(launchers, "work", fails)
    assert command.main(argv) == 1
    said = capsys.readouterr().out
    assert "seed=2: failed: error: no worlds" in said and "tries again what failed" in said
    kept = json.loads((tmp_path / "sweep.json").read_text())
    assert [run["done"] for run in kept["runs"]] == [True, True, False]
    assert (
        kept["failed"][0]["reason"] == "error: no worlds"
        and "--seed=2" in (kept["runs"][2]["command"])
    )
    assert "| harvest_milk | harvest_milk | 0, 1 |" in (tmp_path / "compare.md").read_text()
    run_folder.make(last[0].folder)
    run_folder.write(
        last[0].folder / "config.json", saved | {"config": dataclasses.asdict(last[1])}
    )
    assert command.main(argv) == 0
    assert json.loads((tmp_path / "sweep.json").read_text())["failed"] == []
