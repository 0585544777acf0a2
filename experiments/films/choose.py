"""Which episodes of a run are filmed, and who acts in them: code, a macro, or the policy."""

import collections
import functools
from collections.abc import Sequence
from pathlib import Path

from experiments.configs.base import Config
from experiments.films import video
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.long_task import LongRun
from rlgpt_jax.loop.tools import EVAL, VALIDATION, Tools
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.chain.evaluate import evaluate_chain, name_of
from rlgpt_jax.rl.evaluate.evaluate import OnTick, evaluate
from rlgpt_jax.rl.evaluate.report import EpisodeEnd
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import on_host

FASTER = 2  # times: films of iterations are many, and a picture takes 25 ms


def of_run(config: Config, tools: Tools, finished: two_loop.Run) -> list[Path]:
    """What the run ends with, in held-out worlds, and every iteration, in `videos/iteration<i>`.

    In the embedded world and in simulators these are the very episodes that the evaluations began
    with. Minecraft cannot be played twice: there only what the run ends with is played once more.
    """
    lanes = config.loop.eval_lanes(tools.rl.ppo.num_envs)
    every = video.ticks_per_frame(tools.task.horizon, tools.task.spec is not None)

    def film(split: str, policy: Policy, folder: Path, found: video.Found | None) -> list[Path]:
        world = on_host.as_host(tools.world(split, lanes))
        play = functools.partial(_play, world, policy, tools.seed_of("evaluate", split))
        pace = every if found is None else FASTER * every
        return video.write_episodes(world, play, folder, pace, who_of(policy.space), found)

    folder = tools.folder.path("videos")
    made = film(EVAL, finished.learning.policy(finished.ends_with[1]), folder, None)
    for it in finished.iterations if config.world != "minedojo" else ():
        found = typical(it.report.episodes, lanes)
        policy = finished.learning.policy(it.stage)
        film(VALIDATION, policy, folder / f"iteration{it.stage.iteration}", found)
    return made


def of_chain(config: Config, tools: Tools, finished: LongRun) -> list[Path]:
    """A long task, by all its skills."""
    chain, lanes = finished.chain, config.loop.eval_lanes(tools.rl.ppo.num_envs)
    world = on_host.as_host(tools.world(EVAL, lanes))

    def play(on_tick: OnTick) -> None:
        evaluate_chain(
            world, chain, tools.rl, tools.seed_of("evaluate", EVAL), num_episodes=lanes,
            task="video", split=EVAL, on_tick=on_tick,
        )  # fmt: skip

    who = {
        name_of(chain, number, label): by
        for number, skill in enumerate(chain.skills)
        for label, by in who_of(skill.space).items()
    }
    every = video.ticks_per_frame(tools.task.horizon)
    return video.write_episodes(world, play, tools.folder.path("videos"), every, who)


def _play(world: on_host.World, policy: Policy, seed: int, on_tick: OnTick) -> None:
    """One seeded episode in every lane."""
    evaluate(world, policy, seed, num_episodes=world.num_envs, on_tick=on_tick, task="video")


def who_of(space: HybridSpace) -> dict[str, str]:
    """Which labels are code that runs without a choice, and which are macros of the policy."""
    return {
        name: video.CODE if slot in space.script else video.MACRO
        for slot, name in enumerate(space.names, start=1) if name
    }  # fmt: skip


def typical(episodes: Sequence[EpisodeEnd], num_lanes: int) -> list[tuple[str, int]]:
    """Name and lane of the quickest success, and of the first failure that ended as most failures
    of the whole evaluation did; of the episodes that it begins with, which are one per lane."""
    failed = collections.Counter((e.end, e.doing) for e in episodes if not e.success)
    drawn = [e for e in episodes if e.number < num_lanes]
    best = min((e for e in drawn if e.success), key=lambda e: e.ticks, default=None)
    worst = max(
        (e for e in drawn if not e.success), key=lambda e: failed[e.end, e.doing], default=None
    )
    return [(name, e.number) for name, e in (("success", best), ("failure", worst)) if e]
