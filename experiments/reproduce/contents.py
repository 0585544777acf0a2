"""What a run made, as texts at named places, and where two runs first differ."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.loop.metrics import INDEX, is_timing
from rlgpt_jax.loop.record import read_json, read_rows, read_text

Places = dict[str, str]  # file and row, line or key -> what stands there
KINDS = ("parameters", "metrics", "macros", "transcript", "evaluations")
NOTHING = "nothing"
# Of the metrics of the first updates on another number of devices, against 1 + the larger one.
TOLERANCE = 1e-4
SHOWN = 60  # characters of a value


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first place at which a run is not the same."""

    place: str
    once: str  # what stands there in the first run
    again: str
    places: int = 1  # how many differ

    @property
    def words(self) -> str:
        more = f", and {self.places - 1} more places" * (self.places > 1)
        same = 0
        while self.once[same : same + 1] == self.again[same : same + 1]:
            same += 1
        begin = max(0, same - SHOWN // 2)
        once, again = (repr(text[begin : begin + SHOWN]) for text in (self.once, self.again))
        return f"{self.place}: {once}, then {again}{more}"


def of_run(folder: Path) -> dict[str, Places]:
    """All that equal runs have equal, by kind. Of a long task that of its sub-tasks too."""
    makers = (_parameters, _metrics, _macros, _transcript, _evaluations)
    return {kind: dict(make(folder)) for kind, make in zip(KINDS, makers, strict=True)}


def digests(run: Mapping[str, Places]) -> dict[str, str]:
    """Hashes of what `of_run` returned."""
    return {kind: _hash(json.dumps(places).encode()) for kind, places in run.items()}


def differences(
    once: Mapping[str, Places], again: Mapping[str, Places]
) -> dict[str, Difference | None]:
    """Of every kind the first difference in the order of the first run; None if all is equal."""
    return {kind: _first(places, again[kind]) for kind, places in once.items()}


def _first(once: Places, again: Places) -> Difference | None:
    places = [place for place in once | again if once.get(place) != again.get(place)]
    if not places:
        return None
    first = places[0]
    return Difference(first, once.get(first, NOTHING), again.get(first, NOTHING), len(places))


def by_rounding(once: Path, again: Path, updates: int) -> tuple[float, Difference | None]:
    """Sets the first updates of two files of metrics beside each other.

    Returns:
      The largest difference, divided by 1 + the larger number, and the first one that is more
      than rounding.
    """
    largest, found = 0.0, None
    for one, two in zip(*(read_rows(path)[:updates] for path in (once, again)), strict=True):
        for column in one | two:
            texts = one.get(column, NOTHING), two.get(column, NOTHING)
            error = _error(*texts)
            largest = max(largest, error)
            if error > (0 if column in INDEX else TOLERANCE) and found is None:
                found = Difference(_row(one, column, once.name), *texts)
    return largest, found


def _error(one: str, two: str) -> float:
    if one == two:
        return 0.0
    try:
        x, y = float(one), float(two)
    except ValueError:  # a number and none
        return np.inf
    return abs(x - y) / (1 + max(abs(x), abs(y)))


def _found(folder: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob(pattern)):
        yield str(path.relative_to(folder)), path


def _parameters(folder: Path) -> Iterator[tuple[str, str]]:
    """Of the last networks, and all arrays of the last checkpoint of every iteration."""
    for name, path in _found(folder, "result.json"):
        yield f"{name} params_sha256", str(read_json(path).get("params_sha256"))
    for name, path in _found(folder, "checkpoints/*/latest.json"):
        saved = path.parent / read_json(path)["folder"]
        for array, value in _arrays(saved).items():
            yield f"{Path(name).parent}/{saved.name} {array}", _hash(value.tobytes())


def _arrays(checkpoint: Path) -> dict[str, np.ndarray]:
    import orbax.checkpoint as ocp  # imports jax

    found = ocp.PyTreeCheckpointer().restore(checkpoint / "arrays")
    return {name: np.asarray(found[name]) for name in sorted(found)}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def metrics_files(folder: Path) -> list[str]:
    """`metrics.csv`, or those of the sub-tasks of a long task; with rows, relative to the run."""
    files = [name for name, _ in _found(folder, "metrics.csv") if "checkpoints" not in name]
    return [name for name in files if read_rows(folder / name)]


def _metrics(folder: Path) -> Iterator[tuple[str, str]]:
    for name in metrics_files(folder):
        for row in read_rows(folder / name):
            for column in row:
                if not is_timing(column):
                    yield _row(row, column, name), row[column]


def _row(row: Mapping[str, str], column: str, name: str) -> str:
    return f"{name} update {row['update']}, {column}"


def _macros(folder: Path) -> Iterator[tuple[str, str]]:
    for name, path in _found(folder, "iterations/*/**/*.py"):
        for number, line in enumerate(read_text(path).splitlines(), 1):
            yield f"{name} line {number}", line


def _transcript(folder: Path) -> Iterator[tuple[str, str]]:
    for name, path in _found(folder, "transcript.jsonl"):
        for number, line in enumerate(read_lines(path), 1):
            yield f"{name} line {number}, key", line["key"]
            for field in ("prompt_sha256", "answer"):
                yield f"{name} line {number} ({line['key']}), {field}", line[field]


def _evaluations(folder: Path) -> Iterator[tuple[str, str]]:
    """Of policies and code, what else iterations hold (plans, fates, trials, critiques), and what
    the run came to, without times."""
    files = dict(_found(folder, "*eval.json")) | dict(_found(folder, "iterations/*/**/*.json"))
    for name, path in [*files.items(), *_found(folder, "result.json")]:
        value = read_json(path)
        for key, text in _flat(value):
            if key.partition(".")[0] not in ("wall_seconds", "params_sha256"):
                yield f"{name} {key}", text


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list) and value:
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            yield from _flat(part, f"{key}.{name}" if key else str(name))
    else:
        yield key, json.dumps(value)
