"""Which episodes of a run are filmed, and who acts in them: code, a macro, or the policy."""

import collections
import functools
from collections.abc import Sequence
from pathlib import Path

from experiments.configs.base import Config
from experiments.films import video
from experiments.progress import Display
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.long_task import LongRun
from rlgpt_jax.loop.record import CODED_PARTS, read_json
from rlgpt_jax.loop.tools import EVAL, VALIDATION, Tools
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.chain.evaluate import evaluate_chain, name_of
from rlgpt_jax.rl.evaluate.evaluate import OnTick, evaluate
from rlgpt_jax.rl.evaluate.report import EpisodeEnd, EvalReport
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import on_host

FASTER = 2  # times: films of iterations are many, and a picture takes 25 ms
SMOKE_FRAMES = 60  # of a film: three seconds


def of_run(
    config: Config, tools: Tools, finished: two_loop.Run, display: Display, is_smoke: bool
) -> list[Path]:
    """What the run ends with, in held-out worlds, and every iteration, in `videos/iteration<i>`.

    In the embedded world and in simulators these are the very episodes that the evaluations began
    with. Minecraft cannot be played twice: there only what the run ends with is played once more.
    A smoke run films its end alone, in a few pictures.
    """
    lanes = config.loop.eval_lanes(tools.rl.ppo.num_envs)
    every = _pace(tools, is_smoke)

    def film(
        split: str, policy: Policy, folder: Path, pace: int, found: Sequence[EpisodeEnd]
    ) -> list[Path]:
        world = on_host.as_host(tools.world(split, lanes))
        play = functools.partial(_play, world, policy, tools.seed_of("evaluate", split))
        return video.write_episodes(
            world, play, folder, pace, who_of(policy.space), found, display.frames, split == EVAL
        )

    folder = tools.folder.path("videos")
    is_code = finished.result.get("ends_with") == CODED_PARTS
    file = "coded_parts_eval.json" if is_code else "final_eval.json"
    last = finished.learning.policy(finished.ends_with[1])
    made = film(EVAL, last, folder, every, _held_out(tools, file, lanes))
    for it in () if is_smoke or config.world == "minedojo" else finished.iterations:
        found = typical(it.report.episodes, lanes)
        policy = finished.learning.policy(it.stage)
        into = folder / f"iteration{it.stage.iteration}"
        film(VALIDATION, policy, into, FASTER * every, found)
    return made


def of_chain(
    config: Config, tools: Tools, finished: LongRun, display: Display, is_smoke: bool
) -> list[Path]:
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
    return video.write_episodes(
        world, play, tools.folder.path("videos"), _pace(tools, is_smoke), who,
        _held_out(tools, "final_eval.json", lanes), display.frames,
    )  # fmt: skip


def _pace(tools: Tools, is_smoke: bool) -> int:
    """Ticks from one picture to the next."""
    limit = video.MAX_SLOW_FRAMES if tools.task.spec else video.MAX_FRAMES
    return -(-tools.task.horizon // (SMOKE_FRAMES if is_smoke else limit))


def _held_out(tools: Tools, file: str, lanes: int) -> list[EpisodeEnd]:
    saved = read_json(tools.folder.path(file))
    saved.pop("sub_tasks", None)  # of a chain
    return typical(EvalReport.from_json(saved).episodes, lanes)


def _play(world: on_host.World, policy: Policy, seed: int, on_tick: OnTick) -> None:
    """One seeded episode in every lane."""
    evaluate(world, policy, seed, num_episodes=world.num_envs, on_tick=on_tick, task="video")


def who_of(space: HybridSpace) -> dict[str, str]:
    """Which labels are code that runs without a choice, and which are macros of the policy."""
    return {
        name: video.CODE if slot in space.script else video.MACRO
        for slot, name in enumerate(space.names, start=1)
        if name
    }


def typical(episodes: Sequence[EpisodeEnd], num_lanes: int) -> list[EpisodeEnd]:
    """The quickest success, and the first failure that ended as most failures of the whole
    evaluation did; of the episodes that it begins with, which are one per lane."""
    failed = collections.Counter((e.end, e.doing) for e in episodes if not e.success)
    drawn = [e for e in episodes if e.number < num_lanes]
    best = min((e for e in drawn if e.success), key=lambda e: e.ticks, default=None)
    worst = max(
        (e for e in drawn if not e.success), key=lambda e: failed[e.end, e.doing], default=None
    )
    return [e for e in (best, worst) if e]
