"""What charts of a run are made from: TensorBoard in its folder, and a service of one's choice.

Both hear the events of the run. TensorBoard's files are made anew from `metrics.csv`,
`timing.csv` and the evaluations whenever a start of the run begins to write, so that a run which
was killed and one that was not show the same; a service is told what is new in this start.
"""

import math
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from PIL import Image
from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event
from tensorboardX.proto.summary_pb2 import Summary
from tensorboardX.summary import scalar, text

from experiments.config_tree import leaf_values
from experiments.configs.base import Config
from rlgpt_jax.loop import events
from rlgpt_jax.loop.long_task import ChainEvaluated, SubTaskStarted
from rlgpt_jax.loop.metrics import INDEX, is_timing
from rlgpt_jax.loop.record import read_json, read_rows

PROJECT = "rlgpt_jax"
EVALUATIONS = {"eval.json": "validation", "coded_parts_eval.json": "code_alone"}
Say = Callable[[str], None]


class Board(Protocol):
    """Where numbers and videos are shown."""

    def scalars(self, values: Mapping[str, float], ticks: int) -> None: ...

    def video(self, name: str, path: Path, ticks: int) -> None: ...

    def close(self) -> None: ...


class TensorBoard:
    """Files in `tensorboard/`, which are made anew.

    They are written at once: the thread of a `SummaryWriter` ends on a full disk, and then who adds
    to it waits for ever.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]):
        shutil.rmtree(folder / "tensorboard", ignore_errors=True)
        (folder / "tensorboard").mkdir(parents=True)
        self._writer = EventsWriter(str(folder / "tensorboard" / "events"))
        rows = "\n".join(f"| {name} | {value} |" for name, value in settings.items())
        self._add(text("configuration", f"| field | value |\n|---|---|\n{rows}"), 0)

    def scalars(self, values: Mapping[str, float], ticks: int) -> None:
        for name, value in values.items():
            self._add(scalar(name, value), ticks)
        self._writer.flush()

    def video(self, name: str, path: Path, ticks: int) -> None:
        """The GIF beside it: TensorBoard plays no other videos."""
        gif = path.with_suffix(".gif")
        if not gif.exists():
            return
        with Image.open(gif) as image:
            width, height = image.size
        picture = Summary.Image(
            width=width, height=height, colorspace=3, encoded_image_string=gif.read_bytes()
        )
        value = Summary.Value(tag=name, image=picture)
        self._add(Summary(value=[value]), ticks)

    def _add(self, summary: Summary, ticks: int) -> None:
        self._writer.write_event(Event(wall_time=time.time(), step=ticks, summary=summary))

    def close(self) -> None:
        self._writer.close()


class Wandb:
    """Weights & Biases: without a network unless `WANDB_MODE=online` is set."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]):
        import wandb

        self._wandb = wandb
        self._run = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT), name=folder.name, dir=str(folder),
            id=name_of(folder), resume="allow", config=dict(settings),
            mode=os.environ.get("WANDB_MODE", "offline"),  # type: ignore[arg-type]
            settings=wandb.Settings(silent=True, console="off"),
        )  # fmt: skip
        self._run.define_metric("*", step_metric="ticks")

    def scalars(self, values: Mapping[str, float], ticks: int) -> None:
        self._run.log({**values, "ticks": ticks})

    def video(self, name: str, path: Path, ticks: int) -> None:
        self._run.log({name: self._wandb.Video(str(path), format="mp4"), "ticks": ticks})

    def close(self) -> None:
        self._run.finish()


class Trackio:
    """trackio, which keeps runs on this machine (`TRACKIO_DIR`); `trackio show` shows them."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]):
        import trackio

        self._trackio = trackio
        trackio.init(
            project=PROJECT, name=name_of(folder), config=dict(settings), resume="allow",
            embed=False, auto_log_gpu=False, auto_log_cpu=False,
        )  # fmt: skip

    def scalars(self, values: Mapping[str, float], ticks: int) -> None:
        self._trackio.log(dict(values), step=ticks)

    def video(self, name: str, path: Path, ticks: int) -> None:
        self._trackio.log({name: self._trackio.Video(path, format="mp4")}, step=ticks)

    def close(self) -> None:
        self._trackio.finish()


SERVICES: dict[str, Callable[[Path, Mapping[str, Any]], Board]] = {
    "wandb": Wandb,
    "trackio": Trackio,
}


def name_of(folder: Path) -> str:
    """The same in every start of a run, and another one for each folder."""
    started = (read_json(folder / "version.json") or {}).get("started", "")
    return f"{folder.name}-{started}".replace(":", "").replace("+0000", "").rstrip("-")


class Tracker:
    """A listener for the events of a run. No fault of a board ends it: the board is left out."""

    def __init__(self, folder: Path, config: Config, say: Say):
        self._folder = self._root = folder
        self._settings = {name: str(value) for name, value in leaf_values(config).items()}
        self._say = say
        self._boards: dict[str, Board] = {}
        self._broken: set[str] = set()
        self._prefix = ""  # of a sub-task
        self._update = self._ticks = 0
        self._known = _evaluated(folder)  # before this start, or told
        if config.tracker != "none":
            make = SERVICES[config.tracker]
            self._open(config.tracker, lambda: make(folder, self._settings))

    def __call__(self, event: events.Event) -> None:
        match event:
            case SubTaskStarted():
                self._move(event.sub_task.name)
            case events.Updated():
                self._on_update(event)
            case events.Evaluated():
                self._on_evaluation("eval.json", event.iteration, event.report)
            case events.EvaluatedCode():
                self._on_evaluation("coded_parts_eval.json", event.iteration, event.report)
            case ChainEvaluated():
                self._tell(_rates(f"whole_{event.report.whole.split}", vars(event.report.whole)))
            case events.Finished():
                self._tell(_rates("held_out", event.result))
                self._tell(_rates("held_out_code_alone", event.result.get("coded_parts") or {}))
            case events.Drawn():
                for path in event.videos:
                    self._each("video", f"videos/{path.stem}", path, self._ticks)

    def close(self) -> None:
        self._each("close")

    def _move(self, sub_task: str) -> None:
        """Sub-tasks of a long task have folders, and updates, of their own."""
        self._close_tensorboard()
        self._folder, self._prefix = self._root / "tasks" / sub_task, f"{sub_task}/"
        self._known = _evaluated(self._folder)
        self._update = self._ticks = 0

    def _on_update(self, event: events.Updated) -> None:
        if event.update <= self._update:  # done again after a kill
            self._close_tensorboard()
        self._update, self._ticks = event.update, event.ticks
        self._tell(_named(event.metrics), is_in_files=True)

    def _on_evaluation(self, file: str, iteration: int, report: Any) -> None:
        if (file, iteration) not in self._known:
            self._known.add((file, iteration))
            self._tell(_rates(EVALUATIONS[file], vars(report)), is_in_files=True)

    def _tell(self, values: Mapping[str, float], is_in_files: bool = False) -> None:
        """Numbers to all boards; TensorBoard, if it is made now, has those of files already."""
        is_new = "tensorboard" not in self._boards
        if is_new:
            self._open("tensorboard", self._make_tensorboard)
        shown = self._shown(values)
        for name in list(self._boards):
            if shown and not (name == "tensorboard" and is_new and is_in_files):
                self._do(name, "scalars", shown, self._ticks)

    def _shown(self, values: Mapping[str, float]) -> dict[str, float]:
        return {f"{self._prefix}{name}": x for name, x in values.items() if math.isfinite(x)}

    def _make_tensorboard(self) -> Board:
        board = TensorBoard(self._folder, self._settings)
        ends: dict[int, int] = {}  # iteration -> ticks
        for file in ("metrics.csv", "timing.csv"):
            for row in read_rows(self._folder / file):
                values = {name: float(x) for name, x in row.items() if name not in INDEX and x}
                board.scalars(self._shown(_named(values)), int(row["ticks"]))
                ends[int(row["iteration"])] = int(row["ticks"])
        for file, iteration in sorted(_evaluated(self._folder)):
            report = read_json(self._folder / "iterations" / str(iteration) / file)
            ticks = max((t for i, t in ends.items() if i <= iteration), default=0)
            board.scalars(self._shown(_rates(EVALUATIONS[file], report)), ticks)
        self._ticks = max(self._ticks, *ends.values(), 0)
        return board

    def _close_tensorboard(self) -> None:
        if "tensorboard" in self._boards:
            self._do("tensorboard", "close")
            self._boards.pop("tensorboard", None)

    def _open(self, name: str, make: Callable[[], Board]) -> None:
        if name not in self._broken:
            try:
                self._boards[name] = make()
            except Exception as error:
                self._leave_out(name, error)

    def _each(self, method: str, *given: Any) -> None:
        for name in list(self._boards):
            self._do(name, method, *given)

    def _do(self, name: str, method: str, *given: Any) -> None:
        try:
            getattr(self._boards[name], method)(*given)
        except Exception as error:  # a full disk, a service that is gone: the run goes on
            self._leave_out(name, error)

    def _leave_out(self, name: str, error: Exception) -> None:
        self._broken.add(name)
        self._boards.pop(name, None)
        first = str(error).partition("\n")[0][:200]
        self._say(f"{name} is left out from here on: {type(error).__name__}: {first}")


def _named(metrics: Mapping[str, float]) -> dict[str, float]:
    return {f"{'timing' if is_timing(n) else 'train'}/{n}": x for n, x in metrics.items()}


def _rates(name: str, report: Mapping[str, Any]) -> dict[str, float]:
    """Success with its interval; {} where nothing was measured."""
    if "success_rate" not in report:
        return {}
    parts = {"success": "success_rate", "low": "success_low", "high": "success_high"}
    return {f"eval/{name}_{part}": float(report[field]) for part, field in parts.items()}


def _evaluated(folder: Path) -> set[tuple[str, int]]:
    """File and iteration of all evaluations that a folder holds."""
    found = {(file, path) for file in EVALUATIONS for path in folder.glob(f"iterations/*/{file}")}
    return {(file, int(path.parent.name)) for file, path in found}
