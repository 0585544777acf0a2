"""Plays a file of actions without a window, and tells what happened."""

import collections
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from experiments.play.actions_file import in_words
from experiments.play.frame import frame
from experiments.play.menu import item_name
from experiments.play.recorder import Recorder
from experiments.play.session import Session, Tick
from rlgpt_jax.envs.base import DAMAGE_KINDS, Observation

END_FRAMES = 30  # the last picture stays for so long


def play(
    session: Session, actions: np.ndarray, console: Console, record: Path | None, out: Path | None
) -> dict[str, Any]:
    """Runs the actions until they or the episode end; tells of ticks that changed something.

    Args:
      session: a fresh one.
      actions: int32[T, 8].
      console: where the words go.
      record: video to write, or None.
      out: JSON file to write, or None.

    Returns:
      What `out` holds.
    """
    recorder = Recorder(record)
    try:
        for action in actions:
            if session.end:
                break
            tick, words = session.step(action), in_words(action)
            told = "; ".join(filter(None, (changes(tick), f"{tick.reward:+g}" * bool(tick.reward))))
            if told:
                console.print(f"tick {session.tick}, {words}: {told}", markup=False)
            if record:
                recorder.add(frame(session, label=words))
        for _ in range(END_FRAMES if record else 0):
            recorder.add(frame(session))
    finally:
        recorder.close()
    result = summary(session, len(actions) - session.tick)
    items = ", ".join(f"{n} {name}" for name, n in result["inventory"].items()) or "nothing"
    colour = "green" if result["success"] else "yellow"
    console.print(
        f"[bold {colour}]{result['end']}[/bold {colour}] after {result['ticks']} ticks, reward "
        f"{result['reward']:g}, carrying {escape(items)}."
    )
    if result["rows_not_played"]:
        console.print(f"{result['rows_not_played']} actions were left: the episode had ended.")
    if record:
        console.print(f"Video: {escape(str(record))}")
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
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
