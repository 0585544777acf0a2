"""Runs a macro alone in the embedded world, again and again until the episode ends.

    python -m experiments.macro run go_to_log.py --task=harvest_log --video=log.mp4

Prints success with its 95 % Wilson interval, ticks, how activations ended and what was
gained. Nothing learns: this is pure code.
"""

import argparse
import collections
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.config_files import of_minecraft
from experiments.macro import source
from experiments.values import ConfigError

if TYPE_CHECKING:
    from experiments.macro.episodes import Activation, Episode
    from rlgpt_jax.macros.vm.bytecode import Program

WORLDS = ("train", "validation", "eval")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)
    parser.add_argument("--task", required=True, help="name of a task, or path of a file of yours")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tick-limit", type=int, default=200, help="of one activation")
    parser.add_argument("--worlds", choices=WORLDS, default="validation", help="which split")
    parser.add_argument("--video", type=Path, help="best and worst episode as an .mp4 file")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")


def check(options: argparse.Namespace) -> None:
    """Raises `ConfigError` for arguments that cannot be used."""
    of_minecraft(options.task, "--task")
    for name in ("episodes", "tick_limit"):
        if (value := getattr(options, name)) < 1:
            raise ConfigError(f"--{name.replace('_', '-')}={value}: must be at least 1")
    if not 0 <= options.seed < 2**31:
        raise ConfigError(f"--seed={options.seed}: must be in 0..{2**31 - 1}")
    if options.video and options.video.suffix != ".mp4":
        raise ConfigError(f"--video={options.video}: needs a name that ends with .mp4")


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 0 done, 1 the macro is refused."""
    check(options)
    from experiments.macro import episodes, film  # imports jax
    from rlgpt_jax.loop.record import write_json
    from rlgpt_jax.macros.language import parse_macro
    from rlgpt_jax.macros.refusal import Refusal

    text, library = source.read(options.file), source.functions(options)
    program = parse_macro(text, options.name, options.sensors, library)
    if isinstance(program, Refusal):
        print(f"refused: {program.describe()}", file=sys.stderr)
        return 1
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120)
    world = make_world(options.task, options.worlds, min(options.episodes, episodes.MAX_LANES))
    with console.status("compiling the world and playing"):
        done, started = episodes.play(
            world, program, options.tick_limit, options.seed, options.episodes
        )
    found = numbers(program, options, done, started)
    show(console, found)
    if options.video:
        with console.status("drawing"):
            shown = film.write(
                options.video, world, program, options.tick_limit, options.seed, done
            )
        words = " and ".join(f"{e.number} ({outcome(e)})" for e in shown)
        console.print(f"Video: {escape(str(options.video))}, episodes {words}", highlight=False)
    if options.json:
        write_json(options.json, found)
        console.print(f"Written: {escape(str(options.json))}", highlight=False)
    return 0


def make_world(task: str, split: str, lanes: int) -> Any:
    """The world of the task, as its runs have it."""
    from experiments.wiring import env_maker
    from rlgpt_jax.rl.rollout import on_host

    return on_host.as_host(env_maker(of_minecraft(task, "--task"))(split, lanes, 0))


def outcome(episode: "Episode") -> str:
    return f"{'success' if episode.success else 'no success'} after {episode.ticks} ticks"


def numbers(
    program: "Program",
    options: argparse.Namespace,
    done: list["Episode"],
    started: list["Activation"],
) -> dict[str, Any]:
    """Everything that was measured, as plain data."""
    from rlgpt_jax.rl.evaluate.report import MACRO_ENDS, wilson

    successes = [e.ticks for e in done if e.success]
    low, high = wilson(len(successes), len(done))
    gained: collections.Counter[str] = collections.Counter()
    for e in done:
        gained.update(e.gained)
    return {
        "macro": program.name,
        "task": of_minecraft(options.task, "--task").minecraft_task.name,
        "worlds": options.worlds,
        "sensors": program.sensors,
        "seed": options.seed,
        "tick_limit": options.tick_limit,
        "episodes": len(done),
        "successes": len(successes),
        "success_rate": len(successes) / len(done),
        "success_low": low,
        "success_high": high,
        "ticks_to_success": spread(successes),
        "ticks_of_episodes": spread([e.ticks for e in done]),
        "activations": len(started),
        "ends": {
            end: {
                "count": sum(a.end == end for a in started),
                "ticks": spread([a.ticks for a in started if a.end == end]),
            }
            for end in MACRO_ENDS
        },
        "mistakes": dict(
            collections.Counter(a.mistake for a in started if a.mistake).most_common()
        ),
        "items_per_episode": {name: n / len(done) for name, n in sorted(gained.items()) if n},
        "notices": list(program.notices),
    }


def spread(values: list[int]) -> dict[str, float] | None:
    """Least, middle and greatest value; None of nothing."""
    if not values:
        return None
    order = sorted(values)
    middle = (order[(len(order) - 1) // 2] + order[len(order) // 2]) / 2
    return {"least": order[0], "median": middle, "greatest": order[-1]}


def show(console: Console, found: dict[str, Any]) -> None:
    for notice in found["notices"]:
        console.print(f"notice: {escape(notice)}", style="yellow", highlight=False)
    table = Table(
        title=f"{found['macro']} as pure code: {found['task']}, {found['episodes']} "
        f"{found['worlds']} episodes, sensors {found['sensors']}, seed {found['seed']}",
        title_justify="left", show_header=False,
    )  # fmt: skip
    table.add_row(
        "success", f"{found['success_rate']:.1%} (95 %: {found['success_low']:.1%} to "
        f"{found['success_high']:.1%}), {found['successes']} of {found['episodes']}",
    )  # fmt: skip
    table.add_row("ticks to success", words_of(found["ticks_to_success"]))
    table.add_row("ticks of an episode", words_of(found["ticks_of_episodes"]))
    table.add_row("activations", str(found["activations"]))
    names = {
        "trapped": "ended by a mistake",
        "tick_limit": "cut at the tick limit",
        "interrupted": "cut by the end of the episode",
    }
    for end, what in found["ends"].items():
        if what["count"]:
            ticks = words_of(what["ticks"])
            table.add_row(f"  {names.get(end, end)}", f"{what['count']}; {ticks} ticks")
    for words, count in found["mistakes"].items():
        table.add_row("  mistake", f"{escape(words)} ({count} times)")
    gained = ", ".join(f"{name} {n:+.2f}" for name, n in found["items_per_episode"].items())
    table.add_row("items per episode", gained or "no change")
    console.print(table)


def words_of(values: dict[str, float] | None) -> str:
    if values is None:
        return "none"
    return f"median {values['median']:g} ({values['least']:g} to {values['greatest']:g})"
