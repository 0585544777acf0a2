"""Our voxel world as the Minecraft that the client of MineDojo 0.1 talks to.

    python -m tests.doubles.minecraft serve --task=harvest_milk --instances=2 --port=9100
    python -m tests.doubles.minecraft serve --port=9100 --fault=kill --at=40
    python -m tests.doubles.minecraft xvfb-run FOLDER --task=harvest_milk
    python -m tests.doubles.minecraft compare --task=harvest_milk --actions=60 [--python=PYTHON]
    python -m tests.doubles.minecraft bench [--python=PYTHON] [--workers 1 2 4] [--seconds=6]

`serve` is for clients that connect to an existing instance: instance k listens on port + k.
`xvfb-run` writes an executable of that name; with FOLDER first on PATH and
MINEDOJO_HEADLESS=1 MineDojo's own launcher starts it in the place of the game, by `game`.
`compare` runs the same actions in a world directly and through MineDojo, by the interpreter that
`python -m experiments.minedojo setup` makes, and lists every difference, key by key.
`bench` tells what the bridge costs by itself, with a constant game, and how fast the client of
`--python` is behind it. See docs/standin.md.
"""

import argparse
import sys
from pathlib import Path

from experiments import machine
from tests.doubles.minecraft.comparison.client import ClientError


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    world = argparse.ArgumentParser(add_help=False)
    world.add_argument("--task", default="harvest_milk", help="whose land and animals there are")
    world.add_argument("--split", default="train", choices=("train", "validation", "eval"))
    world.add_argument("--worlds", type=int, default=8, help="how many there are to start in")
    world.add_argument("--small", action="store_true", help="two worlds of 32 x 32 blocks")
    world.add_argument("--seed", type=int, default=0, help="of missions that name no world")
    world.add_argument(
        "--lidar", default="view", choices=("view", "land"),
        help="rays count from the view, as the client says, or as the mod turns them",
    )  # fmt: skip
    fault = argparse.ArgumentParser(add_help=False)
    fault.add_argument("--fault", choices=("kill", "stall", "truncate"), help="what goes wrong")
    fault.add_argument("--at", type=int, default=10, help="the step in which it does, from 1")
    fault.add_argument("--away", type=float, default=0.0, help="seconds away after a kill")

    parser = argparse.ArgumentParser(
        "python -m tests.doubles.minecraft", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", parents=[world, fault])
    serve.add_argument("--instances", type=int, default=1)
    serve.add_argument("--port", type=int, default=9100, help="of the first one")
    serve.add_argument("--lane", type=int, default=0, help="the instance with the fault")
    shim = commands.add_parser("xvfb-run", parents=[world, fault])
    shim.add_argument("folder", type=Path)
    game = commands.add_parser("game", parents=[world, fault])
    game.add_argument("--run-dir", type=Path, required=True, help="of MineDojo's launcher")
    compare = commands.add_parser("compare", parents=[world])
    compare.add_argument("--actions", type=int, default=60)
    compare.add_argument(
        "--python",
        default="",
        help="MineDojo's interpreter; by default that of "
        "RLGPT_MINEDOJO_PYTHON, else the one that setup makes",
    )
    bench = commands.add_parser("bench")
    bench.add_argument(
        "--python",
        type=Path,
        help="MineDojo's interpreter; without one only the bridge by itself is measured",
    )
    bench.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="swept numbers")
    bench.add_argument("--seconds", type=float, default=6.0, help="of each measurement")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 1 differences without a reason, 2 what cannot be used."""
    options = parser().parse_args(argv)
    machine.prepare()
    try:
        if options.command == "xvfb-run":
            from tests.doubles.minecraft import shim

            return shim.write(options)
        if options.command == "compare":
            from tests.doubles.minecraft.comparison import compare

            return compare.run(options)
        if options.command == "bench":
            from tests.doubles.minecraft import bridge

            return bridge.run(options)
        from tests.doubles.minecraft import serve

        return serve.game(options) if options.command == "game" else serve.serve(options)
    except (ValueError, ClientError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
