"""Runs a macro alone in the embedded world, again and again until the episode ends.

    python -m experiments.macro run go_to_log.py --task=harvest_log --video=log.mp4

Prints success with its 95 % Wilson interval, ticks and how activations ended, as the evaluation of
a run's coded parts tells them. Nothing learns: this is pure code.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.config_files import of_minecraft
from experiments.configs import base
from experiments.macro import source
from experiments.values import ConfigError
from rlgpt_jax.envs.tasks.own_task import LONGEST

if TYPE_CHECKING:
    from rlgpt_jax.macros.vm.bytecode import Program
    from rlgpt_jax.rl.evaluate.report import EvalReport
    from rlgpt_jax.rl.policy import Policy

WORLDS = ("train", "validation", "eval")
MAX_LANES = 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source.add_arguments(parser)
    parser.add_argument("--task", required=True, help="name of a task, or path of a file of yours")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tick-limit", type=int, default=200, help="of one activation")
    parser.add_argument("--worlds", choices=WORLDS, default="validation", help="which split")
    parser.add_argument("--video", type=Path, help="a success and a failure as an .mp4 file")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")


def check(options: argparse.Namespace) -> base.Config:
    """The settings of the task. Raises `ConfigError` for arguments that cannot be used."""
    config = of_minecraft(options.task, "--task")
    if options.episodes < 1:
        raise ConfigError(f"--episodes={options.episodes}: must be at least 1")
    if not 1 <= options.tick_limit <= LONGEST:
        raise ConfigError(f"--tick-limit={options.tick_limit}: must be in 1..{LONGEST}")
    if not 0 <= options.seed < 2**31:
        raise ConfigError(f"--seed={options.seed}: must be in 0..{2**31 - 1}")
    if options.video and options.video.suffix != ".mp4":
        raise ConfigError(f"--video={options.video}: needs a name that ends with .mp4")
    return config


def run(options: argparse.Namespace) -> int:
    """Returns the exit code: 0 done, 1 the macro is refused."""
    config = check(options)
    from experiments.macro import film  # imports jax
    from rlgpt_jax.loop.record import write_json
    from rlgpt_jax.macros.refusal import Refusal
    from rlgpt_jax.rl.evaluate.evaluate import evaluate

    program = source.program(options)
    if isinstance(program, Refusal):
        print(f"refused: {program.describe()}", file=sys.stderr)
        return 1
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 120)
    world = make_world(config, options.worlds, min(options.episodes, MAX_LANES))
    policy = make_policy(config, program, options.tick_limit)
    with console.status("compiling the world and playing"):
        report = evaluate(
            world, policy, options.seed, num_episodes=options.episodes, split=options.worlds,
            task=config.minecraft_task.name,
        )  # fmt: skip
    found = numbers(program, options, report)
    show(console, found)
    if options.video:
        with console.status("drawing"):
            shown = film.write(options.video, world, policy, report)
        words = " and ".join(f"{e.number} ({e.end} after {e.ticks} ticks)" for e in shown)
        console.print(f"Video: {escape(str(options.video))}, episodes {words}", highlight=False)
    if options.json:
        write_json(options.json, found)
        console.print(f"Written: {escape(str(options.json))}", highlight=False)
    return 0


def make_world(config: base.Config, split: str, lanes: int) -> Any:
    """The world of the task, as its runs have it."""
    from experiments.wiring import env_maker
    from rlgpt_jax.rl.rollout import on_host

    return on_host.as_host(env_maker(config)(split, lanes, 0))


def make_policy(config: base.Config, program: "Program", tick_limit: int) -> "Policy":
    """The macro alone, started again whenever it ends; its network is never heard."""
    import jax

    from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
    from rlgpt_jax.rl.actions import HybridSpace
    from rlgpt_jax.rl.networks.actor_critic import init_params
    from rlgpt_jax.rl.policy import Policy

    space = HybridSpace(
        macros=link([program]), names=(program.name, *[""] * (MAX_MACROS - 1)), script=(1,),
        repeat_script=True, tick_limit=tick_limit,
    )  # fmt: skip
    return Policy(init_params(config.rl.network, jax.random.key(0)), space, config.rl)


def numbers(
    program: "Program", options: argparse.Namespace, report: "EvalReport"
) -> dict[str, Any]:
    """Everything that was measured, as plain data."""
    ends = report.macro_ends[program.name]
    return {
        "macro": program.name,
        "task": report.task,
        "worlds": options.worlds,
        "sensors": program.sensors,
        "seed": options.seed,
        "tick_limit": options.tick_limit,
        "episodes": report.num_episodes,
        "successes": report.successes,
        "success_rate": report.success_rate,
        "success_low": report.success_low,
        "success_high": report.success_high,
        "ticks_to_success": spread([e.ticks for e in report.episodes if e.success]),
        "ticks_of_episodes": spread([e.ticks for e in report.episodes]),
        "activations": sum(ends.values()),
        "ends": ends,
        "mistakes": report.trap_messages,
        "notices": list(program.notices),
    }


def spread(values: Sequence[int]) -> dict[str, float] | None:
    """Least, middle and greatest value; None of nothing."""
    if not values:
        return None
    middle = statistics.median(values)
    return {"least": min(values), "median": middle, "greatest": max(values)}


def show(console: Console, found: dict[str, Any]) -> None:
    for notice in found["notices"]:
        console.print(f"notice: {escape(notice)}", style="yellow", highlight=False)
    table = Table(
        title=f"{found['macro']} as pure code: {found['task']}, {found['episodes']} "
        f"{found['worlds']} episodes, sensors {found['sensors']}, seed {found['seed']}",
        title_justify="left",
        show_header=False,
    )
    table.add_row(
        "success",
        f"{found['success_rate']:.1%} (95 %: {found['success_low']:.1%} to "
        f"{found['success_high']:.1%}), {found['successes']} of {found['episodes']}",
    )
    table.add_row("ticks to success", words_of(found["ticks_to_success"]))
    table.add_row("ticks of an episode", words_of(found["ticks_of_episodes"]))
    table.add_row("activations", str(found["activations"]))
    names = {
        "trapped": "ended by a mistake",
        "tick_limit": "cut at the tick limit",
        "interrupted": "cut by the end of the episode",
    }
    for end, count in found["ends"].items():
        if count:
            table.add_row(f"  {names.get(end, end)}", str(count))
    for words, count in found["mistakes"].items():
        table.add_row("  mistake", f"{escape(words)} ({count} times)")
    console.print(table)


def words_of(values: dict[str, float] | None) -> str:
    if values is None:
        return "none"
    return f"median {values['median']:g} ({values['least']:g} to {values['greatest']:g})"
