"""Tables about the agents themselves, from recorded conversations: nothing is run.

    python -m experiments.study agents experiments/transcripts --out=DIR

PATHS are transcripts, folders of transcripts, or run folders.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import flags
from experiments.configs import worlds
from experiments.study.conversation import ENDS, Iteration, read
from experiments.study.table import NONE, Table, percent, to
from experiments.values import ConfigError
from rlgpt_jax import files
from rlgpt_jax.agents.llm import tokens
from rlgpt_jax.agents.llm.exchange import read_lines
from rlgpt_jax.agents.prompt_state import KINDS
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.loop.config import SENSORS
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.rl.evaluate.report import wilson

CODE_WORDS = (
    "Answers with code, compiled as today's macro language takes them. First: the first answer "
    "for a macro, percent accepted with Wilson's 95 %. After one refusal: the next answer, where "
    "the first was refused. Versions until the trial succeeded: the trial critic's ok, the "
    "coder's own KEEP, or accepted in the last try, after which nobody is asked; `never` had no "
    "accepted code at the end."
)
PLAN_WORDS = (
    "Sub-actions of the plan by kind, how many coded ones keep earlier code, questions that had "
    "to be asked again because the answer could not be used, and the critic's verdicts on coded "
    "sub-actions after training."
)
SPENT_WORDS = (
    "Calls, tokens and US dollars at list prices. Tokens are the provider's count; ~ marks "
    f"estimates from characters ({tokens.CHARACTERS_PER_TOKEN} a token), {NONE} an unknown price."
)
CODE = "pure_code/"  # begins the keys of `LoopConfig.key_prefix`
SHIPPED = files.CHECKOUT / "experiments" / "transcripts"
FAILURE_WORDS = "What the critic named as the reason of failures, in its words."
Group = tuple[str, str, Sequence[Iteration]]  # what a row is of: configuration, label, iterations


@dataclasses.dataclass(frozen=True)
class Conversation:
    """One transcript."""

    name: str  # of the configuration, or of the run
    path: Path
    iterations: tuple[Iteration, ...]


def conversations(paths: Sequence[Path]) -> list[Conversation]:
    """Reads every transcript under the paths; code alone has conversations of its own in them.

    Raises:
      ConfigError: a path holds none, or one cannot be read.
    """
    found = [pair for path in paths for pair in _transcripts(path)]
    made = []
    for name, path, sensors, spec in found:
        try:
            lines = read_lines(path)
            code = [line for line in lines if line["key"].startswith(CODE)]
            rest = [line for line in lines if not line["key"].startswith(CODE)]
            for title, own in ((name, rest), (f"{name}, code alone", code)):
                if own:
                    made.append(Conversation(title, path, tuple(read(own, sensors, spec))))
        except (OSError, ValueError) as error:
            raise ConfigError(f"{path}: {error}") from error
    return made


def _transcripts(path: Path) -> list[tuple[str, Path, str, WorldSpec | None]]:
    """(name, file, sensors of its macros, spec of its world) of the transcripts at a path."""
    if path.is_file():
        return [(path.stem, path, *written_in(path.stem))]
    if (path / "config.json").exists():
        if not (path / "transcript.jsonl").exists():
            raise ConfigError(f"{path} is a run without a transcript: nobody was asked in it.")
        config = json.loads((path / "config.json").read_text())["config"]
        if "sight" not in config:
            raise ConfigError(f"{path} was made by another version: its config.json has no sight.")
        task = worlds.of_run(config)
        spec = task.spec if task else None
        return [(path.name, path / "transcript.jsonl", SENSORS[config["sight"]], spec)]
    files = sorted(path.glob("*.jsonl"))
    if not files:
        raise ConfigError(
            f"{path} holds no transcript. Give a .jsonl file, a folder of them or a run folder."
        )
    return [(file.stem, file, *written_in(file.stem)) for file in files]


def written_in(name: str) -> tuple[str, WorldSpec | None]:
    """What the macros of a configuration may sense, and the spec of its world."""
    if name not in flags.config_names() and name not in worlds.TASKS:
        return "paper", None
    config = flags.load_config(name)
    return config.sensors, config.task_record.spec


def tables(found: Sequence[Conversation]) -> list[Table]:
    """Rows per iteration, with a sum per conversation and one of all."""
    groups: list[Group] = []
    for c in found:
        groups += [(c.name, _label(it), [it]) for it in c.iterations]
        groups += [(c.name, "all", c.iterations)] * (len(c.iterations) > 1)
    groups += [("all", "all", [it for c in found for it in c.iterations])] * (len(found) > 1)
    made = [
        _table("code", "Macros", CODE_WORDS, _code, groups),
        _table("plans", "Plans and verdicts", PLAN_WORDS, _plans, groups),
        _table("spent", "Tokens and prices", SPENT_WORDS, _spent, groups),
        _failures(found),
    ]
    return [table for table in made if table.rows]


def _table(name: str, title: str, words: str, cells, groups: Sequence[Group]) -> Table:
    """`cells(iterations)` gives (columns to texts, plain numbers) for any number of them."""
    rows, records, columns = [], [], ()
    for config, label, chosen in groups:
        texts, record = cells(chosen)
        columns = texts.keys()
        rows.append((config, label, *texts.values()))
        records.append({"config": config, "iteration": label, **record})
    head = ("configuration", "iteration", *columns)
    return Table(f"agents_{name}", title, words, head, rows, records)


def _label(it: Iteration) -> str:
    return f"{it.task} {it.number}".strip()


def _code(chosen: Sequence[Iteration]) -> tuple[dict[str, str], dict[str, Any]]:
    macros = [macro for it in chosen for macro in it.macros]
    first = sum(m.first_accepted for m in macros)
    seconds = [m.second for m in macros if m.second is not None]
    mended = sum(t.outcome == "accepted" for t in seconds)
    versions = [m.versions for m in macros if m.versions is not None]
    ends = {end: sum(m.end == end for m in macros) for end in ENDS}
    mean = sum(versions) / len(versions) if versions else None
    spread = versions.count(1), versions.count(2), sum(v > 2 for v in versions)
    texts = {
        "macros": str(len(macros)),
        "first accepted": _share(first, len(macros)),
        "after one refusal": f"{mended} of {len(seconds)}" if seconds else NONE,
        "versions until success": NONE if mean is None else f"{mean:.2f}",
        "in 1 / 2 / more": " / ".join(map(str, spread)),
        "critic's ok": str(ends["ok"]),
        "coder's KEEP": str(ends["content"]),
        "in the last try": str(ends["last try"]),
        "never": str(ends["never"]),
    }
    low, high = wilson(first, len(macros))
    record = {
        "macros": len(macros), "first_accepted": first, "first_low": low, "first_high": high,
        "refused_and_asked_again": len(seconds), "accepted_then": mended,
        "mean_versions": mean, "versions": versions,
        **{f"end_{end.replace(' ', '_')}": count for end, count in ends.items()},
    }  # fmt: skip
    return texts, record


def _plans(chosen: Sequence[Iteration]) -> tuple[dict[str, str], dict[str, Any]]:
    record: dict[str, Any] = {
        **{kind: sum(it.kinds.get(kind, 0) for it in chosen) for kind in KINDS},
        "kept": sum(it.kept for it in chosen),
        "without_plan": sum(not it.has_plan for it in chosen),
        "asked_again": sum(it.asked_again for it in chosen),
        **{f"verdict_{v}": sum(it.verdicts.get(v, 0) for it in chosen)
           for v in ("keep", "revise", "drop")},
    }  # fmt: skip
    return {name.replace("_", " "): str(value) for name, value in record.items()}, record


def _spent(chosen: Sequence[Iteration]) -> tuple[dict[str, str], dict[str, Any]]:
    total = tokens.total([it.spent for it in chosen])
    mark = "~" if total.estimated else ""
    texts = {
        "calls": str(total.calls),
        "input tokens": f"{mark}{total.input_tokens:,}",
        "output tokens": f"{mark}{total.output_tokens:,}",
        "US dollars": NONE if total.price is None else f"{total.price:.4f}",
    }
    names = ("calls", "input_tokens", "output_tokens", "price", "estimated")
    return texts, {name: getattr(total, name) for name in names}


def _failures(found: Sequence[Conversation]) -> Table:
    records = [
        {"config": c.name, "iteration": _label(it), "failure": it.failure, "advice": it.advice}
        for c in found for it in c.iterations if it.failure
    ]  # fmt: skip
    rows = [tuple(record.values()) for record in records]
    columns = ("configuration", "iteration", "failure", "advice")
    title = "What the critic named"
    return Table("agents_failures", title, FAILURE_WORDS, columns, rows, records)


def _share(count: int, total: int) -> str:
    """`93.3 (70.2 to 98.8), 14 of 15`."""
    if not total:
        return NONE
    return f"{percent(count / total)} ({to(wilson(count, total))}), {count} of {total}"


def main(argv: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser("python -m experiments.study agents", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--out", type=Path, help="where tables are written; default: only shown")
    options = parser.parse_args(argv)
    console = Console(file=sys.stdout)
    found = conversations(options.paths or [SHIPPED])
    made = tables(found)
    for table in made:
        console.print(table.markdown(), highlight=False, soft_wrap=True, markup=False)
    if options.out:
        for table in made:
            table.write(options.out)
        records = {table.name: list(table.records) for table in made}
        sources = {c.name: str(c.path) for c in found}
        write_json(options.out / "agents.json", {"transcripts": sources, "tables": records})
        text = "\n".join(
            ["# The agents, from their conversations\n", *(t.markdown() for t in made)]
        )
        (options.out / "agents.md").write_text(text, encoding="utf-8")
        console.print(f"Written: {options.out}/agents.md, agents.json and a CSV per table.")
    return 0
