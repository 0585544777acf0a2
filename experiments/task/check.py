"""Tells all that is known of a task before it is run."""

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import checks, config_files, flags, task_fields
from experiments.configs import base
from experiments.recordings import lacks_answers
from experiments.values import ConfigError
from rlgpt_jax.envs.plan import obtain
from rlgpt_jax.envs.plan.sources import Way
from rlgpt_jax.envs.tasks import own_task

PICTURE = (320, 512)  # pixels, height and width
PLACES = {"crafting_table": "at a crafting table", "furnace": "in a furnace, with fuel"}


def resolve(name: str, assignments: list[tuple[str, str]]) -> tuple[str, base.Config]:
    """The command that starts a run of that name with changes, and its configuration.

    No transcript is needed here.

    Raises:
      ConfigError: there is none, or the task cannot be used.
    """
    config = task_fields.override(config_files.of_minecraft(name, "NAME"), assignments)
    return flags.command_of(name, assignments), config


def run(command: str, config: base.Config, options: argparse.Namespace) -> int:
    """Prints everything. Returns the exit code."""
    task, plain = config.minecraft_task, embedded(config)
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100)

    def say(text: str = "", style: str | None = None) -> None:
        console.print(text, style=style, highlight=False, markup=False)

    say(f"Task {task.name}", "bold")
    say("\nWhat every agent is told of it:", "bold")
    say(told(plain))
    say("\nWhere the goal comes from:", "bold")
    for line in origin(task):
        say(line)
    say(f"PPO is paid for coming nearer to: {', '.join(task.sources) or 'nothing'}.")
    raw = config.task if not isinstance(config.task, str) else None
    for doubt in own_task.doubts(raw) if raw is not None else ():
        say(f"Meant so? {doubt}.", "yellow")
    say("\nHow it starts:", "bold")
    draw_and_play(plain, options, say)
    say("\nStart the run:", "bold")
    for line in commands(command, config):
        console.print(line, highlight=False, markup=False, soft_wrap=True)  # to be copied
    return 0


def embedded(config: base.Config) -> base.Config:
    """The task in the embedded world alone, without a game, a model of pictures or other help."""
    reward = dataclasses.replace(config.reward, clip=0.0)
    return dataclasses.replace(config, driver="host", world="voxel", autocraft=False, reward=reward)


def told(config: base.Config) -> str:
    """The part of every prompt that is about the task, as the agents read it."""
    from rlgpt_jax.agents import prompts, render
    from rlgpt_jax.loop.two_loop import make_setting

    setting = make_setting(config.loop, _tools(config))
    text = render.world(setting, prompts.load())
    heading, _, rest = text.partition("\n")  # what follows the first section is of the world
    return (rest if heading.startswith("#") else text).partition("\n## ")[0].strip()


def _tools(config: base.Config) -> Any:
    """What the loops are given, without a model and without a folder."""
    from experiments.run import make_tools
    from rlgpt_jax.loop.library.offer import NOTHING
    from rlgpt_jax.loop.record import RunFolder

    # Nothing is written: any folder that exists will do.
    return make_tools(config, RunFolder(Path()), None, NOTHING)


def origin(task: base.Task) -> list[str]:
    """One line for each step from the start items to the goal."""
    lines = [f"  {i}. {step(way)}" for i, way in enumerate(obtain.chain(task), start=1)]
    if task.nearby:
        lines.append(f"  {len(lines) + 1}. place the {task.goal_item}")
    return lines or ["  It is in the inventory at the start."]


def step(way: Way) -> str:
    """A way in words."""
    item = way.item.partition(":")[0]
    if way.how in ("craft", "smelt"):
        needs = " + ".join(f"{n} {entry.partition(':')[0]}" for entry, n in way.needs)
        place = next((PLACES[g[0]] for g in way.keeps if g[0] in PLACES), "in hand")
        return f"{item}: {way.how} {way.most} from {needs}, {place}"
    tools = [" or ".join(group) for group in way.keeps] + [entry for entry, _ in way.needs]
    with_ = f" with {' and '.join(tools)}" if tools else ""
    return f"{item}: {way.how} {way.source_name}{with_}"


def draw_and_play(config: base.Config, options: argparse.Namespace, say: Any) -> None:
    """The picture of a start, distances, and how far an untrained policy comes."""
    import imageio.v2 as imageio
    import jax

    from experiments.task import starts
    from experiments.wiring import env_maker
    from rlgpt_jax.envs.voxel.host import HostVoxel
    from rlgpt_jax.envs.voxel.render import for_people as render
    from rlgpt_jax.loop.tools import TRAIN
    from rlgpt_jax.rl.actions import empty_space
    from rlgpt_jax.rl.evaluate.evaluate import evaluate
    from rlgpt_jax.rl.networks.actor_critic import init_params
    from rlgpt_jax.rl.policy import Policy

    task = config.minecraft_task
    world = env_maker(config)(TRAIN, min(options.episodes, config.ppo.num_envs), 0)
    assert isinstance(world, HostVoxel)
    say(starts.measure(world, task.sources, options.seed).describe())
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{task.name}_start.png"
    imageio.imwrite(path, render.first_person(world.state, 0, *PICTURE, samples=2))
    say(f"Picture of the first of them: {path}")
    params = init_params(config.rl.network, jax.random.key(options.seed))
    untrained = Policy(params, empty_space(), config.rl)
    report = evaluate(
        world, untrained, options.seed, num_episodes=options.episodes, task=task.name, split=TRAIN
    )
    say(
        f"An untrained policy over the primitive actions succeeds in {report.successes} of "
        f"{report.num_episodes} episodes (95 % interval {report.success_low:.0%} to "
        f"{report.success_high:.0%}), {report.mean_ticks:.0f} ticks an episode."
    )


def commands(command: str, config: base.Config) -> list[str]:
    """The command that starts the run, and what it still needs."""
    lines = [f"  {command}"]
    if lacks_answers(config):
        lines = [
            f"  {command} --config.llm.provider=file",
            "Nothing is recorded for it, so somebody must answer: file is you or a program; "
            "anthropic, openai and compatible are models (docs/providers.md). Without any:",
            f"  {command} --config.loop.mode=pure_rl",
        ]
    try:
        checks.check_budget(config)
    except ConfigError as error:
        lines.append(f"Before that: {error}")
    return lines
