"""Plays a file of actions without a window, and tells what happened."""

import collections
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.play.actions_file import Row, in_words
from experiments.play.frame import frame
from experiments.play.menu import item_name
from experiments.play.recorder import Recorder
from experiments.play.session import Session, Tick
from rlgpt_jax.envs.base import DAMAGE_KINDS, Observation

END_FRAMES = 30  # the last picture stays for so long


@dataclasses.dataclass
class Stretch:
    """Ticks that did the same, as one line of the table."""

    words: str
    first: int
    last: int
    ticks: list[Tick]


def play(
    session: Session, rows: list[Row], console: Console, record: Path | None, out: Path | None
) -> dict[str, Any]:
    """Runs the actions until they or the episode end.

    Args:
      session: a fresh one.
      rows: the actions.
      console: where the table goes.
      record: video to write, or None.
      out: JSON file to write, or None.

    Returns:
      What `out` holds.
    """
    recorder = Recorder(record)
    stretches: list[Stretch] = []
    try:
        for row in rows:
            if session.end:
                break
            tick = session.step(row.action)
            words = in_words(row.action)
            _note(stretches, words, session.tick, tick)
            if record:
                recorder.add(frame(session, label=words))
        for _ in range(END_FRAMES if record else 0):
            recorder.add(frame(session))
    finally:
        recorder.close()
    result = summary(session, len(rows) - session.tick)
    tell(console, session, stretches, result)
    for path in (record, out):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
    if record:
        console.print(f"Video: {escape(str(record))}")
    if out:
        out.write_text(json.dumps(result, indent=2) + "\n")
        console.print(f"Result: {escape(str(out))}")
    return result


def summary(session: Session, rows_left: int) -> dict[str, Any]:
    """The end of the session as plain data."""
    obs = session.obs
    return {
        "task": session.task.name,
        "seed": session.seed,
        "ticks": session.tick,
        "rows_not_played": rows_left,
        "reward": session.total,
        "success": session.is_success,
        "end": session.end or "actions used up",
        "life": float(obs.life[0]),
        "position": [round(float(x), 3) for x in obs.position[0]],
        "yaw": float(obs.yaw[0]),
        "pitch": float(obs.pitch[0]),
        "inventory": inventory(obs),
    }


def inventory(obs: Observation) -> dict[str, int]:
    """Pieces of each item, by name."""
    counts: collections.Counter[str] = collections.Counter()
    for slot in np.flatnonzero(obs.slot_quantity[0] > 0).tolist():
        counts[item_name(obs, slot)] += int(obs.slot_quantity[0, slot])
    return dict(sorted(counts.items()))


def tell(
    console: Console, session: Session, stretches: list[Stretch], result: dict[str, Any]
) -> None:
    """Prints the table and the last lines."""
    table = Table(title=f"{session.task.name}, seed {session.seed}")
    for name in ("ticks", "action", "position", "life", "reward", "what changed"):
        is_text = name in ("action", "what changed")
        table.add_column(name, justify="left" if is_text else "right")
    for stretch in stretches:
        table.add_row(*(escape(cell) for cell in _cells(stretch)))
    console.print(table)
    items = ", ".join(f"{n} {name}" for name, n in result["inventory"].items()) or "nothing"
    colour = "green" if result["success"] else "yellow"
    console.print(
        f"[bold {colour}]{result['end']}[/bold {colour}] after {result['ticks']} ticks, reward "
        f"{result['reward']:g}, carrying {escape(items)}."
    )
    if result["rows_not_played"]:
        console.print(f"{result['rows_not_played']} actions were left: the episode had ended.")


def _note(stretches: list[Stretch], words: str, number: int, tick: Tick) -> None:
    """Lengthens the last stretch, or begins one: a change or a busy tick is told apart."""
    words = f"({words}: busy)" if tick.was_busy and words != "noop" else words
    last = stretches[-1] if stretches else None
    same = last and last.words == words and not (_matters(tick) or _matters(last.ticks[-1]))
    if last and same:
        last.last = number
        last.ticks = [last.ticks[0], tick]
    else:
        stretches.append(Stretch(words, number, number, [tick]))


def _matters(tick: Tick) -> bool:
    return bool(tick.reward or changes(tick))


def changes(tick: Tick) -> str:
    """What a tick changed besides places, in words; empty if nothing."""
    before, after = inventory(tick.before), inventory(tick.after)
    words = [
        f"{after.get(name, 0) - before.get(name, 0):+d} {name}"
        for name in sorted({*before, *after})
        if after.get(name, 0) != before.get(name, 0)
    ]
    hand = (tick.before.equipment[0] != tick.after.equipment[0]).any()
    if hand and not words:
        words.append("equipped")
    if tick.after.damage[0] > 0:
        words.append(
            f"-{tick.after.damage[0]:g} life ({DAMAGE_KINDS[int(tick.after.damage_kind[0])]})"
        )
    words += [f"{name} in reach" for name in ("table", "furnace")
              if getattr(tick.after, f"near_{name}")[0] > getattr(tick.before, f"near_{name}")[0]
              ]  # fmt: skip
    return ", ".join(words)


def _cells(stretch: Stretch) -> tuple[str, ...]:
    last = stretch.ticks[-1]
    is_one = stretch.first == stretch.last
    ticks = str(stretch.first) if is_one else f"{stretch.first}-{stretch.last}"
    place = " ".join(f"{x:.1f}" for x in last.after.position[0])
    told = "; ".join(filter(None, (changes(tick) for tick in stretch.ticks)))
    reward = f"{last.reward:+g}" if last.reward else ""
    return ticks, stretch.words, place, f"{last.after.life[0]:g}", reward, told
