"""How fast the interpreter of macros is, and what macros cost in training.

    python -m tests.macros.bench --lanes=64,256,1024,4096

Macros: the last code of every recorded answer, and four that look at every ray. They act
once in the world of `--config` with all sensors; what they saw is played again.
Parts: speed (instructions and their time), replace (a new set of macros), start (in a new
process), training (share of the time of PPO's updates).
"""

import argparse
import datetime
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments import machine

if TYPE_CHECKING:
    from experiments.bench.table import Row

PARTS = ("speed", "replace", "start", "training")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lanes", default="64,256,1024,4096", help="swept numbers of lanes")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure, in order")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--training-lanes", type=int, default=256)
    parser.add_argument("--config", default="harvest_milk", help="task, world and PPO settings")
    parser.add_argument("--out", type=Path, default=Path("bench"), help="folder of the results")


def lists_of(options: argparse.Namespace) -> tuple[list[int], list[str]]:
    """Returns lanes and parts. Raises ValueError with words for the user."""
    try:
        lanes = [int(text) for text in options.lanes.split(",")]
    except ValueError:
        lanes = [0]
    if min(lanes) < 1:
        raise ValueError(f"--lanes={options.lanes}: needs whole numbers with commas, like 64,256")
    parts = [name.strip() for name in options.parts.split(",")]
    wrong = [name for name in parts if name not in PARTS]
    if wrong:
        raise ValueError(f"--parts: there is no {wrong[0]!r}; choose from {', '.join(PARTS)}")
    return lanes, parts


def run(options: argparse.Namespace) -> int:
    """Returns the exit code."""
    from rich.console import Console

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 140)
    from experiments import flags
    from experiments.bench.table import markdown
    from experiments.values import ConfigError
    from rlgpt_jax.loop.record import write_json

    try:
        lanes, parts = lists_of(options)
        config = flags.load_config(options.config)
    except (ConfigError, ValueError) as error:
        console.print(f"error: {error}", style="red")
        return 2
    about = machine.describe()
    threads = numba_threads()
    console.print(
        f"{about['device']}; {about['processor']}, {about['cpus']} CPUs, {threads} threads of "
        "the interpreter", highlight=False,
    )  # fmt: skip
    rows: list[Row] = []
    for row in measure(config, lanes, parts, options):
        rows.append(row)
        words = ", ".join(f"{name} {value:,.4g}" for name, value in row.numbers.items())
        console.print(f"{row.part}, {row.name}: {words}", highlight=False, soft_wrap=True)
    console.print(markdown(rows), highlight=False, markup=False, soft_wrap=True)
    options.out.mkdir(parents=True, exist_ok=True)
    written = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": about,
        "threads": threads,
        "rows": [{"part": r.part, "name": r.name, **r.numbers} for r in rows],
    }
    write_json(options.out / "macros.json", written)
    plot(options.out / "macros.png", rows)
    console.print(f"Written: {options.out / 'macros.json'}", highlight=False)
    return 0


def numba_threads() -> int:
    from rlgpt_jax.macros.vm.host import kernels

    return kernels.num_threads()


def world_maker(config: Any) -> Any:
    """Returns what makes a host world with so many lanes; its pool is loaded once."""
    from rlgpt_jax.envs.tasks.tasks import get_task
    from rlgpt_jax.envs.voxel.env import VoxelEnv
    from rlgpt_jax.envs.voxel.host import HostVoxel
    from rlgpt_jax.envs.voxel.terrain.pool import load_pool

    task = get_task(config.task)
    pool = load_pool(task.biome, "train", config.voxel, machine.CACHE / "worlds")
    return lambda lanes: HostVoxel(VoxelEnv(task, config.voxel, lanes, pool))


def measure(
    config: Any, lanes: Sequence[int], parts: Sequence[str], options: argparse.Namespace
) -> Iterator["Row"]:
    """Yields the rows as they are ready."""
    from tests.macros.bench import speed, workload

    make_world = world_maker(config)
    world = make_world(workload.LANES)
    works = [
        workload.record(name, programs, world) for name, programs in workload.program_sets().items()
    ]
    del world
    for part in parts:
        if part == "start":
            yield from speed.starting()
        if part == "training":
            chosen = [work for work in works if work.name in ("answers harvest_milk", "rays")]
            yield from speed.training(
                make_world, config.rl, options.training_lanes, chosen, options.seconds
            )
        if part == "replace":
            yield speed.replacing(works, lanes[0])
        if part == "speed":
            for work in works:
                for number in lanes:
                    yield speed.speed(work, number, options.seconds)


def plot(path: Path, rows: Sequence["Row"]) -> None:
    """Nanoseconds per instruction and lane against lanes, a line per set."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    swept = [row for row in rows if row.part == "speed"]
    if not swept:
        return
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for name in dict.fromkeys(row.name for row in swept):
        line = [row.numbers for row in swept if row.name == name]
        axes.plot([n["lanes"] for n in line], [n["nanoseconds_per_instruction"] for n in line],
                  marker="o", label=name)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="lanes",
             ylabel="nanoseconds per instruction and lane")  # fmt: skip
    lanes = sorted({int(row.numbers["lanes"]) for row in swept})
    axes.set_xticks(lanes, [str(n) for n in lanes])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def main(argv: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        "python -m tests.macros.bench", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_arguments(parser)
    options = parser.parse_args(argv)
    machine.prepare()
    return run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
