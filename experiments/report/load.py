"""Reads a run folder into one record. What is not there yet is left out, not invented.

The layout is the one that `rlgpt_jax/loop/record.py` writes; a run that is still going,
or was killed, gives a report of what it has so far.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

from experiments.report.films.media import Media, some_inside
from rlgpt_jax import files
from rlgpt_jax.agents.llm.disk import Damaged
from rlgpt_jax.loop.record import CODED_PARTS, read_json, read_rows


@dataclasses.dataclass(frozen=True)
class Try:
    """One version of a macro's code and what came of it."""

    number: int
    source: str
    refusal: dict[str, Any] | None  # line, column, source_line, reason, instead
    trial: dict[str, Any] | None  # facts of the trial episodes
    verdict: str = ""  # the trial critic: ok or revise
    change: str = ""  # its words


@dataclasses.dataclass(frozen=True)
class Iteration:
    """One turn of the outer loop."""

    index: int
    plan: dict[str, Any]
    macros: dict[str, tuple[Try, ...]]
    kept: dict[str, str]  # name -> code of an earlier iteration that stays in use
    fates: dict[str, dict[str, Any]]  # name -> kind in use, which try, words
    evaluation: dict[str, Any] | None  # in validation worlds
    coded_parts: dict[str, Any] | None  # the same, its code alone
    critique: dict[str, Any] | None
    interface: dict[str, Any] | None = None  # how the fast agent set up the training
    held_out: dict[str, Any] | None = None  # evaluated after the run, see experiments.study
    folder: Path = Path()
    frames: dict[str, Any] | None = None  # pictures of the evaluation, see loop/pictures/frames.py
    videos: tuple[Path, ...] = ()

    def used(self, name: str) -> Try | None:
        """The version of a macro that is in use; None if none of this iteration was accepted."""
        accepted = [t for t in self.macros.get(name, ()) if t.refusal is None]
        used = self.fates.get(name, {}).get("used")
        named = [t for t in accepted if f"try{t.number}" == used]
        return ([None, *accepted, *named])[-1]

    @property
    def code(self) -> dict[str, str]:
        """The code in use of every macro."""
        found = ((name, self.used(name)) for name in self.macros)
        return self.kept | {name: version.source for name, version in found if version}


@dataclasses.dataclass(frozen=True)
class Run:
    """All that a report is made from."""

    folder: Path
    name: str
    config: dict[str, Any]
    version: dict[str, Any]
    result: dict[str, Any] | None
    final: dict[str, Any] | None  # the held-out evaluation of the best iteration's policy
    coded_parts: dict[str, Any] | None  # the same worlds, the best coded parts alone
    iterations: tuple[Iteration, ...]
    metrics: tuple[dict[str, float], ...]
    transcript: tuple[dict[str, Any], ...]
    videos: tuple[Path, ...]
    phases: dict[str, float] | None = None
    task_plan: dict[str, Any] | None = None  # of a planner: the sub-tasks of a long task
    validation: dict[str, Any] | None = None  # of a long task, with all its skills
    smoke: bool = False  # a tiny budget: its numbers mean nothing
    command: str = ""  # that starts the same run; "" if that was not written down
    wall_seconds: float | None = None  # of the process, over all starts
    compiles: tuple[dict[str, Any], ...] = ()  # of each start, see `experiments/compiles.py`
    recorded: dict[str, str] = dataclasses.field(default_factory=dict)  # replayed questions by key
    is_sub_task: bool = False
    media: Media = Media(Path())
    text_limit: int = 60_000  # characters of a text that the page shows

    @property
    def seconds(self) -> dict[str, float]:
        """Wall time of the phases of a run."""
        return self.phases or (self.result or {}).get("wall_seconds") or {}

    @property
    def ends_with_code(self) -> bool:
        """Whether code alone was better in validation than any policy."""
        return (self.result or {}).get("ends_with") == CODED_PARTS

    @property
    def quoted(self) -> dict[str, Any] | None:
        """The held-out evaluation that the run is quoted by."""
        return self.coded_parts if self.ends_with_code else self.final


def load_run(folder: Path) -> Run:
    """Reads a run folder.

    Raises:
      FileNotFoundError: if the folder holds no run.
    """
    if not (folder / "config.json").exists():
        raise FileNotFoundError(
            f"{folder} holds no config.json, so no run. Give the folder that "
            "`python -m experiments.main` named, for example runs/harvest_milk-seed0-..."
        )
    saved = read_json(folder / "config.json")
    config = saved.get("config", saved)
    measured = _measured(folder)
    videos = tuple(sorted((folder / "videos").glob("*.mp4"), reverse=True))  # the success first
    its: tuple[Iteration, ...] = measured["iterations"]
    shown = [*videos, *(p for it in its for p in (*sorted(it.folder.glob("frames/*.png")),
                                                  *it.videos))]  # fmt: skip
    return Run(
        **measured,
        name=saved.get("name", folder.name),
        config=config,
        smoke=bool(saved.get("smoke")),
        command=saved.get("command", ""),
        wall_seconds=(read_json(folder / "clock.json") or {}).get("seconds"),
        compiles=tuple(read_json(folder / "compile.json") or ()),
        recorded=_recorded(config),
        media=some_inside(folder, shown),
        version=read_json(folder / "version.json") or {},
        transcript=tuple(_lines(folder / "transcript.jsonl")),
        videos=videos,
        task_plan=read_json(folder / "task_plan.json"),
        validation=read_json(folder / "validation_eval.json"),
    )


def load_sub_tasks(run: Run) -> list[Run]:
    """The sub-tasks of a long task that were begun, each as a run of its own."""
    found = []
    for sub_task in (run.task_plan or {}).get("sub_tasks", ()):
        folder = run.folder / "tasks" / sub_task["name"]
        task = read_json(folder / "task.json")
        if task is None:
            continue
        loop = {**run.config.get("loop", {}), "planner": False}
        if sub_task["solve"] == "code":
            loop["mode"] = "pure_code"
        prefix = f"task/{sub_task['name']}/"
        found.append(Run(
            **_measured(folder),
            name=f"{run.name} / {sub_task['name']}",
            config={**run.config, "task": task, "loop": loop},
            version=run.version,
            transcript=tuple(x for x in run.transcript if x["key"].startswith(prefix)),
            videos=(),
            recorded=run.recorded,
            is_sub_task=True,
            media=some_inside(folder, sorted(folder.glob("iterations/*/frames/*.png"))),
        ))  # fmt: skip
    return found


def _measured(folder: Path) -> dict[str, Any]:
    """Fields of a `Run` that a sub-task has too."""
    return {
        "folder": folder,
        "result": read_json(folder / "result.json"),
        "final": read_json(folder / "final_eval.json"),
        "coded_parts": read_json(folder / "coded_parts_eval.json"),
        "iterations": tuple(_iteration(path) for path in numbered(folder / "iterations")),
        "phases": read_json(folder / "timing.json"),
        "metrics": tuple(_metrics(folder)),
    }


def _iteration(folder: Path) -> Iteration:
    critiques = read_json(folder / "trial_critiques.json") or []
    tries = ((path.name, _tries(path, critiques)) for path in sorted(folder.glob("macros/*")))
    return Iteration(
        index=int(folder.name),
        plan=read_json(folder / "plan.json") or {},
        macros={name: versions for name, versions in tries if versions},
        kept={p.parent.name: p.read_text() for p in sorted(folder.glob("macros/*/kept.py"))},
        fates={fate["name"]: fate for fate in read_json(folder / "fates.json") or []},
        evaluation=read_json(folder / "eval.json"),
        coded_parts=read_json(folder / "coded_parts_eval.json"),
        critique=read_json(folder / "critique.json"),
        interface=read_json(folder / "interface.json"),
        held_out=read_json(folder / "held_out.json"),
        folder=folder,
        frames=read_json(folder / "frames" / "frames.json"),
        videos=tuple(sorted((folder.parents[1] / f"videos/iteration{folder.name}").glob("*.mp4"),
                            reverse=True)),  # the success first
    )  # fmt: skip


def _recorded(config: dict[str, Any]) -> dict[str, str]:
    """The questions of the recording that a run replays, if it is there."""
    llm = config.get("llm") or {}
    if llm.get("provider") != "replay":
        return {}
    path = files.CHECKOUT / llm.get("transcript", "")
    lines = _lines(path) if path.is_file() else []
    return {line["key"]: question(line) for line in lines}


def question(line: dict[str, Any]) -> str:
    """The text of what a line of a transcript asks."""
    return "\n\n".join(message["text"] for message in line["messages"])


def _tries(folder: Path, critiques: list[Any]) -> tuple[Try, ...]:
    sources = sorted(folder.glob("try*.py"), key=lambda path: int(path.stem[3:]))
    return tuple(_try(path, critiques) for path in sources)


def _try(source: Path, critiques: list[Any]) -> Try:
    """A version, with the trial critic's judgement of its macro in that try."""
    number = int(source.stem[3:])
    judged = critiques[number] if number < len(critiques) else None
    words = (judged or {}).get(source.parent.name) or {}
    return Try(
        number=number,
        source=source.read_text(),
        refusal=read_json(source.with_suffix(".refusal.json")),
        trial=read_json(source.with_suffix(".trial.json")),
        verdict=str(words.get("verdict", "")),
        change=str(words.get("change", "")),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    """Whole lines of a transcript; a line torn by a crash is left out."""
    if not path.exists():
        return []
    whole = path.read_bytes().splitlines(keepends=True)
    try:
        return [json.loads(line) for line in whole if line.endswith(b"\n")]
    except ValueError as error:
        raise Damaged(f"{path} has a line that is not JSON: {error}. Restore the file.") from error


def numbered(folder: Path) -> list[Path]:
    """The folders that are called by numbers, in their order."""
    found = [path for path in folder.glob("*") if path.is_dir() and path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name))


def _metrics(folder: Path) -> list[dict[str, float]]:
    """Every update, with its wall-clock numbers, which lie in a file of their own."""
    rows, timed = (map(_numbers, read_rows(folder / f"{n}.csv")) for n in ("metrics", "timing"))
    timing = {row.get("update"): row for row in timed}
    return [{**timing.get(row.get("update"), {}), **row} for row in rows]


def _numbers(row: dict[str, str]) -> dict[str, float]:
    """The cells that hold numbers."""
    numbers = {}
    for name, value in row.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            continue  # a word, or a cell that this row does not have
    return numbers
