"""What a finished run says, as plain data of a few kB: all that tables and figures are made of.

It is read from a run folder, or from a file in which it was kept: `<folder>/<world>/<cell>.json`.
"""

import collections
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments import flags
from experiments.config_tree import differences, from_dict, leaf_values, leaves
from experiments.configs.base import Config
from experiments.study import cells, held_out
from experiments.study.cells import CONVERSATIONS, VARIANTS, Cell, loaded, other_models
from experiments.task_fields import override
from experiments.values import ConfigError
from rlgpt_jax import files
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.loop.record import CODED_PARTS, read_json, read_rows

KEPT = files.CHECKOUT / "experiments" / "results"
NUM_POINTS = 60  # of a curve
REPORT = (  # what is kept of an evaluation
    "task", "split", "num_episodes", "successes", "success_rate", "success_low", "success_high",
    "mean_return", "mean_ticks", "dead_loop_rate", "seed",
)  # fmt: skip
# Fields that do not change what is measured: where and how fast it runs, who is asked again. What
# the agents answered is compared by their answers.
FREE = ("driver", "devices", "senses.", "workers", "macros.save", "llm.", "seed", "set_up")
SET_UP = "RUN_OF_RL_GPT"  # in the place of the path of a run
Record = dict[str, Any]


def record_of(cell: Cell, seed: int, folder: Path) -> Record:
    """The record of a finished run; held-out evaluations of iterations may be missing."""
    result, saved = _json(folder / "result.json"), _json(folder / "config.json")
    about, config = _about(saved, folder), saved["config"]
    played = held_out.files_of(folder)
    held = [_short(path) for path in played if path.exists()]
    validation = [_short(_validation(path)) for path in played]
    policy, final = _short(folder / "final_eval.json"), _short(_final(folder, result))
    alone = folder / "coded_parts_eval.json"
    ticks = [result["ticks"]] if result.get("planner") else ticks_of(folder, len(validation))
    best = folder / "iterations" / str(result.get("best_iteration")) / "interface.json"
    source = Path(config.get("set_up") or folder)  # whose agents it is of
    asked = _json(source) if source.is_file() else _answers(source / "transcript.jsonl")
    if config.get("set_up"):  # where that lies says nothing elsewhere
        config["set_up"] = SET_UP
        about["command"] = about["command"].replace(str(source), SET_UP)
    config["llm"] = {"transcript": config.get("llm", {}).get("transcript") or "none"}
    return {
        "config": cell.config, "variant": cell.variant, "seed": seed,
        "world": config.get("world", "voxel"), **about, "result": result, "final": final,
        "policy": policy if policy != final else None,
        "coded_parts": _short(alone) if alone.exists() else None,
        "held_out": held if len(held) == len(played) else [], "validation": validation,
        "ticks": ticks, "curve": curve_of(folder), "set_up": read_json(best),
        "answers": asked["answers"], "models": asked["models"], "settings": config,
    }  # fmt: skip


def _about(saved: Record, folder: Path) -> Record:
    """Where it comes from."""
    version = read_json(folder / "version.json") or {}
    packages = version.get("packages", {})
    return {
        "command": saved.get("command", ""), "smoke": saved.get("smoke", False),
        "commit": version.get("commit") or "?", "changed_files": version.get("changed_files", 0),
        "date": str(version.get("started", ""))[:10],
        "machine": f"{version.get('processor', '?')}, {version.get('nproc', '?')} threads",
        "versions": {"Python": version.get("python", "?")}
        | {name: packages[name] for name in ("jax", "flax", "numba") if name in packages},
    }  # fmt: skip


def _short(path: Path) -> dict[str, Any]:
    """An evaluation, with how many worlds had so many successes of so many episodes."""
    report = _json(path)
    worlds = collections.Counter(tuple(pair) for pair in (report.get("by_world") or {}).values())
    found = {name: report[name] for name in REPORT if name in report}
    return {**found, "worlds": [[*pair, count] for pair, count in sorted(worlds.items())]}


def report_of(short: Mapping[str, Any]) -> dict[str, Any]:
    """An evaluation again in the form that counts are made of."""
    pairs = [(k, n) for k, n, count in short["worlds"] for _ in range(count)]
    return {**short, "by_world": {str(i): pair for i, pair in enumerate(pairs)}}


def _final(folder: Path, result: Mapping[str, Any]) -> Path:
    """The held-out evaluation of what a run ended with."""
    ends_with_code = result.get("ends_with") == CODED_PARTS
    return folder / ("coded_parts_eval.json" if ends_with_code else "final_eval.json")


def _validation(path: Path) -> Path:
    """The validation that belongs to a held-out evaluation."""
    chain = path.name == "final_eval.json"
    return path.with_name("validation_eval.json" if chain else "eval.json")


def ticks_of(folder: Path, num_iterations: int) -> list[int]:
    """Ticks that the run had trained when each iteration ended."""
    ends = [0] * num_iterations
    for row in read_rows(folder / "metrics.csv"):
        number = int(float(row["iteration"]))
        if number < num_iterations:
            ends[number] = int(float(row["ticks"]))
    for i in range(1, num_iterations):
        ends[i] = max(ends[i], ends[i - 1])
    return ends


def curve_of(folder: Path) -> list[list[float]]:
    """[environment steps, training success smoothed over about 1/30 of the run], of some points;
    two empty lists where no training episode has ended."""
    rows = read_rows(folder / "metrics.csv")
    rows = [row for row in rows if math.isfinite(float(row["success_rate"] or "nan"))]
    if not rows:
        return [[], []]
    x = np.array([float(row["ticks"]) for row in rows])
    y = np.array([float(row["success_rate"]) for row in rows])
    window = np.ones(max(1, len(y) // 30))
    y = np.convolve(y, window, "same") / np.convolve(np.ones(len(y)), window, "same")
    at = np.linspace(x[0], x[-1], min(NUM_POINTS, len(x)))
    return [at.round().tolist(), np.interp(at, x, y).round(4).tolist()]


def _answers(transcript: Path) -> Record:
    """What was answered, by key and a checksum, and by which models."""
    lines = read_lines(transcript) if transcript.exists() else []
    sums = {line["key"]: _checksum(line["answer"]) for line in lines}
    return {"answers": sums, "models": sorted({line.get("model", "") for line in lines})}


def _checksum(answer: str) -> str:
    return hashlib.sha256(answer.encode()).hexdigest()[:8]


def path_of(folder: Path, cell: Cell, seed: int, world: str) -> Path:
    """Where the record of a run is kept."""
    return folder / world / f"{cell.file_name}-seed{seed}.json"


def write(folder: Path, record: Record) -> Path:
    """Keeps a record: one line for every field, so that changes can be read.

    Raises:
      ConfigError: the numbers mean nothing, or those of iterations are missing.
    """
    cell = Cell(record["config"], record["variant"])
    if record["smoke"]:
        raise ConfigError(f"{cell.name} seed {record['seed']} is a smoke run, which says nothing.")
    if not record["held_out"]:
        raise ConfigError(f"{cell.name} seed {record['seed']} lacks held-out evaluations: "
                          "python -m experiments.study held_out RUN")  # fmt: skip
    path = path_of(folder, cell, record["seed"], record["world"])
    lines = [f"{json.dumps(name)}: {_text(value)}" for name, value in record.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return path


def read(path: Path) -> Record:
    """A kept record.

    Raises:
      ConfigError: it is damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is no kept cell: {error}. Restore it, or remove it.") from error


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def stale(record: Record, config: Config, variant: str) -> str:
    """Why a record is not what a run with these settings would say; "" if it is."""
    if found := changes(record, config, variant):
        return f"its settings are others: {'; '.join(found[:3])}"
    if not config.loop.asks and variant not in cells.SET_UPS:
        return ""
    if config.llm.provider != "replay":
        return "" if config.llm.model in record["models"] else "another model has answered"
    shipped = _answers(files.CHECKOUT / config.llm.transcript)["answers"]
    other = [key for key, sum_ in record["answers"].items() if shipped.get(key) != sum_]
    return f"its answer to {other[0]} is not that of {config.llm.transcript}" if other else ""


def changes(record: Record, config: Config, variant: str) -> list[str]:
    """Fields that matter and differ from those that a run would have. One that the record does not
    know is of a younger version, whose default need not be what was done before."""
    try:
        kept = from_dict(Config, record["settings"])
    except (ConfigError, TypeError, ValueError) as error:
        return [str(error)]
    told = leaves(record["settings"])
    found = [f"{path}: not known" for path in leaf_values(config) if path not in told]
    found += differences(kept, config)
    found = [change for change in found if not is_free(change.split(":")[0])]
    taken = variant in cells.SET_UPS, variant == cells.WITHOUT_MACROS
    return found + ["set_up"] * ((bool(kept.set_up), kept.set_up_primitives) != taken)


def is_free(path: str) -> bool:
    """Whether a field says only where and how fast a run is made."""
    return path.startswith(FREE) or flags.may_change(path)


def cell_of(folder: Path) -> Cell:
    """The cell that an ordinary run is of, by its settings, and of several by its answers.

    Raises:
      ConfigError: none.
    """
    saved = flags.started_with(folder)
    name = saved["name"]
    closest: list[list[str]] = []
    fitting: list[Cell] = []
    for cell, config in _candidates(name, saved["config"].get("world", "voxel")):
        record = {"settings": {**saved["config"]}, **_answers(folder / "transcript.jsonl")}
        found = changes(record, config, cell.variant)
        closest.append(found)
        if not found:
            fitting.append(cell)
            if not stale(record, config, cell.variant):
                return cell
    if not closest:
        raise ConfigError(f"{folder}: {name} is no configuration of the project: no cell is of it.")
    if not fitting:
        told = "; ".join(min(closest, key=len)[:3])
        raise ConfigError(f"{folder}: {name} in no variant has these settings ({told}).")
    return fitting[0]


def _candidates(name: str, world: str) -> Iterator[tuple[Cell, Config]]:
    for variant in (*VARIANTS, *CONVERSATIONS, *other_models(name)):
        cell = Cell(name, variant)
        try:
            yield cell, override(loaded(cell.config), [("world", world), *cell.overrides])
        except ConfigError:  # a variant that this world has not
            continue


def _json(path: Path) -> Any:
    return json.loads(path.read_text())
