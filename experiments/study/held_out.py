"""Evaluates every iteration of a finished run in the held-out worlds, after the run.

    python -m experiments.study held_out RUN [RUN ...]

A run judges its iterations in validation worlds and evaluates the best one alone in
held-out worlds. This adds `iterations/<i>/held_out.json` for each: the same episodes for
every iteration, seen by no agent and chosen by nobody. The best iteration's is the run's own
`final_eval.json`. What is there is not done again.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments import flags, machine
from experiments.main import recorded_threads
from experiments.values import ConfigError
from rlgpt_jax.loop.record import write_json

FILE = "held_out.json"
LARGE = ("checkpoints", "videos", "tensorboard", "requests", "report.html")  # not copied
Say = Callable[[str], None]


class NotFinished(RuntimeError):
    """A run that cannot be evaluated; the message says why and what to do."""


class Nobody:
    """Stands for the models: a finished run has all their answers."""

    def complete(self, requests, on_answer=None):
        raise NotFinished(
            f"the run asks for {requests[0].key}, which its transcript does not answer: it was "
            "made by another version of the loop. Evaluate it with the version in its "
            "version.json."
        )


def files_of(run: Path) -> list[Path]:
    """Where the held-out evaluation of each iteration is, or will be, in order.

    Of a long task that a planner has split there is one: that of the whole chain of skills.

    Raises:
      NotFinished: no run, or one that is still going.
    """
    if not (run / "result.json").exists():
        raise NotFinished(
            f"{run} holds no result.json, so no finished run. Held-out worlds are for after the "
            f"run: python -m experiments.main --workdir={run} --resume"
        )
    if is_chain(run):
        return [run / "final_eval.json"]
    folders = [p.parent for p in run.glob("iterations/*/eval.json")]
    return [folder / FILE for folder in sorted(folders, key=lambda f: int(f.name))]


def is_chain(run: Path) -> bool:
    """Whether a finished run is a long task that a planner has split."""
    return bool(json.loads((run / "result.json").read_text()).get("planner"))


def missing(run: Path) -> list[int]:
    """Iterations that were not evaluated in held-out worlds."""
    return [int(path.parent.name) for path in files_of(run) if not path.exists()]


def evaluate_run(run: Path, say: Say = lambda words: None) -> list[Path]:
    """Adds what is missing. Returns the files of all iterations."""
    copy_best(run)
    todo = missing(run)
    if todo:
        with tempfile.TemporaryDirectory(prefix="held_out_") as folder:
            _evaluate(run, _shadow(run, Path(folder) / run.name), todo, say)
    return files_of(run)


def copy_best(run: Path) -> None:
    """The best iteration was evaluated at the end of the run, with the same episodes."""
    files_of(run)
    if is_chain(run):
        return
    best = json.loads((run / "result.json").read_text())["best_iteration"]
    path = run / "iterations" / str(best) / FILE
    if not path.exists():
        write_json(path, json.loads((run / "final_eval.json").read_text()))


def _shadow(run: Path, shadow: Path) -> Path:
    """A copy of all that is small, so that nothing of the run itself is written again."""
    shutil.copytree(run, shadow, ignore=shutil.ignore_patterns(*LARGE))
    if (run / "checkpoints").exists():
        (shadow / "checkpoints").symlink_to((run / "checkpoints").resolve())
    return shadow


def _evaluate(run: Path, shadow: Path, todo: Sequence[int], say: Say) -> None:
    """Walks through the finished run, which does no work, and evaluates iterations of it."""
    from experiments.run import make_tools, offer_of  # imports jax
    from rlgpt_jax.loop import two_loop
    from rlgpt_jax.loop.library import saving, store
    from rlgpt_jax.loop.record import RunFolder

    config = flags.resumed(None, None, run).config
    library = shadow / saving.COPY
    offer = offer_of(config, store.load(library) if library.is_dir() else ())
    tools = make_tools(config, RunFolder(shadow), Nobody(), offer)
    finished = two_loop.run(config.loop, tools)
    for number in todo:
        report = finished.learning.held_out(finished.iterations[number].stage)
        write_json(run / "iterations" / str(number) / FILE, report.to_json())
        say(
            f"iteration {number}: {report.success_rate:.1%} ({report.success_low:.1%} to "
            f"{report.success_high:.1%}) of {report.num_episodes} held-out episodes"
        )


def main(argv: list[str]) -> int:
    """Returns the exit code: 2 for a folder that cannot be used."""
    parser = argparse.ArgumentParser(
        "python -m experiments.study held_out",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    runs = parser.parse_args(argv).runs
    try:
        for run in runs:
            files_of(run)  # complains before anything is compiled
        threads = {recorded_threads(run) for run in runs}
        if len(threads) > 1:
            raise NotFinished("these runs had different numbers of threads. Give each by itself.")
        machine.prepare(*threads)
        for run in runs:
            print(f"{run}:", flush=True)
            evaluate_run(run, lambda words: print(f"  {words}", flush=True))
            print(f"  {len(files_of(run))} evaluations are there", flush=True)
    except (NotFinished, ConfigError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
