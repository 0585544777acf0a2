"""Runs one configuration with many values of any of its fields, then compares what came out.

    python -m experiments.sweep --config=harvest_milk --sweep=seed=0..4 \\
        --sweep=loop.mode=rl_gpt,pure_rl --jobs=2

Every combination is a run of experiments.main in a folder of its own. What is done is skipped,
what was killed is resumed, what failed is tried again by the same command.
"""

import shlex
import sys
from pathlib import Path

from experiments import flags
from experiments.checks import check_library, check_start
from experiments.config_files import whole_name
from experiments.configs.base import Config
from experiments.sweep import fields, jobs, running
from experiments.sweep.jobs import Job, PlainJob
from experiments.values import ConfigError
from rlgpt_jax.loop.record import write_json

HELP = {
    "config": flags.HELP["config"],
    "sweep": "FIELD=VALUES, as often as wanted: seed=0..4, loop.mode=rl_gpt,pure_rl.",
    "zip": "The first values of all fields together, then the second; else all combinations.",
}


def parse(argv: list[str]) -> tuple[running.Running, dict[Job, Config]]:
    """Reads the command line: how to run, and the jobs with their settings.

    Raises:
      ConfigError: anything that cannot be used, in any of the runs.
    """
    assignments, rest = flags.split_overrides(argv)
    values = running.read(rest, HELP, ("zip",), ("sweep",))
    if not values.config:
        raise ConfigError(
            "--config=NAME is needed; python -m experiments.main --config=help lists them."
        )
    points = fields.points(values.sweep, values.zip)
    both = {field for field, _ in assignments} & {field for field, _ in points[0]}
    if both:
        raise ConfigError(f"--config.{both.pop()} is set and swept. Leave out one of the two.")
    name = flags.stem_of(values.config)
    how = running.settings(values, Path("sweeps") / name, tuple(assignments))
    found: dict[Job, Config] = {}
    for point in points:
        folder = how.out / "runs" / fields.folder_name(point)
        config = flags.resolve(values.config, None, values.smoke, [*assignments, *point])
        if (folder / "config.json").exists():
            flags.resumed(values.config, config, folder)  # refuses one with other settings
        found[PlainJob(whole_name(values.config), folder, point)] = config
    for config in found.values():
        check_library(config)
        check_start(config)
    return how, found


def main(argv: list[str]) -> int:
    return running.command(argv, __doc__, HELP, run)


def run(argv: list[str]) -> int:
    how, configs = parse(argv)
    failed = running.go(how, configs)
    if failed is None:
        return 0
    command = shlex.join(["python", "-m", "experiments.sweep", *argv])
    how.out.mkdir(parents=True, exist_ok=True)
    told = jobs.to_json(list(configs), failed, how.extra)
    write_json(how.out / "sweep.json", {"command": command, **told})
    running.tell_failures(failed)
    done = [job.folder for job in configs if job.is_done]
    if done:
        from experiments.compare.page import compare  # imports matplotlib

        print(compare(done, how.out, command))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
