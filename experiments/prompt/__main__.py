"""Prints a prompt as a run of a configuration would ask it, put together without a run.

    python -m experiments.prompt show slow --config=harvest_milk
    python -m experiments.prompt show critic --config=harvest_milk --iteration=1

AGENT is planner, slow, fast, rl_setup (the fast agent where it sets up the training), trial_critic,
critic or one. The texts are those of prompts/ as they are now. Plans, code, set-ups and critiques
that a prompt tells of are those of the configuration's transcript; the code counts as accepted.
What a run measures stands as "(measured in a run)"; pictures are left out. The fast agent is asked
for the first part that is written anew, once; the trial critic about last versions; a program that
iterations mend is the latest. Of a long task's sub-tasks the first one is shown.

As asked in the recorded run, with its facts and the texts of then:
python -m experiments.transcript show experiments/transcripts/NAME.jsonl --full --key='iter1/*'
"""

import argparse
import sys

from experiments import checks, config_files, flags, machine, task_fields
from experiments.commands import exit_code, parser_of
from experiments.configs import base
from experiments.values import ConfigError, suggest
from rlgpt_jax.loop.config import LoopConfig

AGENTS = ("planner", "slow", "fast", "rl_setup", "trial_critic", "critic", "one")


def parse(argv: list[str]) -> tuple[argparse.Namespace, base.Config]:
    """Options and the configuration with its overrides.

    Raises:
      ConfigError: an agent, configuration or iteration that there is not, or a slip in prompts/.
    """
    assignments, rest = flags.split_overrides(argv)
    parser = parser_of("prompt", __doc__)
    parser.add_argument("command", choices=["show"])
    parser.add_argument("agent", metavar="AGENT", help="who is asked")
    words = "name or path of a configuration; --config.<field>=VALUE changes a field"
    parser.add_argument("--config", required=True, metavar="NAME", help=words)
    parser.add_argument("--iteration", type=int, default=0, help="of the outer loop, from 0")
    options = parser.parse_args(rest)
    config = task_fields.override(config_files.load_config(options.config), assignments)
    loop, asked = config.loop, agents_of(config.loop)
    if options.agent not in AGENTS:
        raise ConfigError(f"{options.agent}: no such agent. {suggest(options.agent, AGENTS)}")
    if options.agent not in asked:
        raise ConfigError(
            f"{options.agent}: this run asks {', '.join(asked) or 'no agent'}. "
            "Others are asked with other loop.agents, mode, design or planner."
        )
    last = 0 if options.agent == "planner" else loop.num_iterations - 1
    if not 0 <= options.iteration <= last:
        raise ConfigError(
            f"--iteration={options.iteration}: the run asks {options.agent} in "
            f"iterations 0 to {last} (loop.num_iterations)."
        )
    checks.check_tools(config)
    return options, config


def agents_of(loop: LoopConfig) -> list[str]:
    """Who is asked something in a run, or in the sub-tasks of a long one."""
    two, coded = loop.agents != "one", loop.design != "reward"
    asked = (
        loop.planner, two, two and coded, two and loop.sets_up_rl,
        loop.has_critic and coded and loop.num_tries > 1, loop.has_critic, not two,
    )  # fmt: skip
    return [agent for agent, is_asked in zip(AGENTS, asked, strict=True) if is_asked and loop.asks]


def main(argv: list[str]) -> int:
    """Returns the exit code: 0 done, 2 for what cannot be shown."""
    return exit_code(lambda: show(argv))


def show(argv: list[str]) -> int:
    options, config = parse(argv)
    if "jax" not in sys.modules:
        machine.prepare()
    from experiments.prompt import assemble  # imports jax

    print(assemble.text(config, options.agent, options.iteration), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
