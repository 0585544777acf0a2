"""A corridor, written answers and small settings for tests of the two loops."""

import functools
import json

from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.envs.tasks import Task
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.record import RunFolder
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.rl.config import NetworkConfig, PPOConfig, RLConfig
from tests.corridor import Corridor

TASK = Task("corridor", "reach the end of the corridor", "milk_bucket", horizon=40)
RL = RLConfig(
    ppo=PPOConfig(num_envs=8, unroll_length=16, num_epochs=1, num_minibatches=2),
    network=NetworkConfig(
        feature_width=8, feature_depth=1, fusion_width=16, head_width=16, head_depth=1
    ),
)
CONFIG = LoopConfig(
    num_iterations=2, num_tries=2, ticks_per_iteration=3 * 8 * 16, eval_episodes=8,
    trial_episodes=8, checkpoint_every=2,
)  # fmt: skip


def block(language: str, text: str) -> str:
    return f"So be it.\n```{language}\n{text}\n```\n"


def plan(*sub_actions: tuple[str, str, str]) -> str:
    keys = ("name", "kind", "instruction")
    return block(
        "json",
        json.dumps({"sub_actions": [dict(zip(keys, s, strict=True)) for s in sub_actions]}),
    )


def verdicts(**changes: str) -> str:
    """An empty change means ok."""
    entries = [
        {"name": n, "verdict": "revise" if c else "ok", "change": c} for n, c in changes.items()
    ]
    return block("json", json.dumps({"macros": entries}))


def critique(*names: str) -> str:
    entries = [{"name": n, "verdict": "keep", "reason": "It works."} for n in names]
    value = {"failure": "It is slow.", "sub_actions": entries, "advice": "Walk more."}
    return block("json", json.dumps(value))


def walk(name: str, ticks: int) -> str:
    source = f"def {name}(obs):\n    for _ in range({ticks}):\n        obs = yield forward()"
    return block("python", source)


REFUSED = block("python", "import os\n\ndef stop(obs):\n    yield noop()")

# Iteration 0: `pause` is refused once, `walk` is revised once, `stop` is never accepted.
# Iteration 1: `walk` is kept, `pause` becomes a macro with new code.
ANSWERS = {
    "iter0/slow": plan(
        ("pause", "code", "Wait 1 tick."), ("walk", "macro", "Go on."),
        ("stop", "macro", "Stand."), ("find", "learn", "Find the end."),
    ),
    "iter0/fast/pause/try0": "I cannot.",
    "iter0/fast/walk/try0": walk("walk", 2),
    "iter0/fast/stop/try0": REFUSED,
    "iter0/trial_critic/try0": verdicts(walk="Walk 3 ticks."),
    "iter0/fast/pause/try1": block("python", "def pause(obs):\n    yield noop()"),
    "iter0/fast/walk/try1": walk("walk", 3),
    "iter0/fast/stop/try1": REFUSED,
    "iter0/trial_critic/try1": verdicts(pause="", walk="Walk 4 ticks."),
    "iter0/critic": critique("pause", "walk", "stop"),
    "iter1/slow": plan(("pause", "macro", "Wait 2 ticks."), ("walk", "macro", "keep")),
    "iter1/fast/pause/try0": block("python", "def pause(obs):\n    yield noop()\n    yield noop()"),
    "iter1/trial_critic/try0": verdicts(pause=""),
    "iter1/critic": critique("pause", "walk"),
}  # fmt: skip
# Keys of requests that are asked at the same time.
BATCHES = [
    ("iter0/slow",),
    ("iter0/fast/pause/try0", "iter0/fast/walk/try0", "iter0/fast/stop/try0"),
    ("iter0/trial_critic/try0",),
    ("iter0/fast/pause/try1", "iter0/fast/walk/try1", "iter0/fast/stop/try1"),
    ("iter0/trial_critic/try1",),
    ("iter0/critic",),
    ("iter1/slow",),
    ("iter1/fast/pause/try0",),
    ("iter1/trial_critic/try0",),
    ("iter1/critic",),
]


class Script:
    """A model that answers from `ANSWERS` and remembers what it was asked."""

    def __init__(self, **changes: str):
        self.answers = ANSWERS | changes
        self.batches: list[tuple[str, ...]] = []
        self.prompts: dict[str, str] = {}

    def complete(self, requests, on_answer=None):
        self.batches.append(tuple(r.key for r in requests))
        self.prompts |= {r.key: r.messages[0].text for r in requests}
        return [Completion(self.answers[r.key], "script", "test", 0.0) for r in requests]


@functools.cache
def corridor(num_envs: int) -> Corridor:
    """One object per size, so that every test shares its compiled programs. It is pure."""
    return Corridor(num_envs=num_envs, length=10, horizon=40)


def tools(path, provider, **changes) -> Tools:
    given = dict(
        task=TASK, make_env=lambda split, num_envs, seed: corridor(num_envs),
        provider=provider, folder=RunFolder(path), rl=RL,
    )  # fmt: skip
    return Tools(**given | changes)
