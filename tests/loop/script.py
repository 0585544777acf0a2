"""A corridor, written answers and small settings for tests of the two loops."""

import functools
import json
from collections.abc import Mapping
from typing import Any

from rlgpt_jax.agents.llm.base import Completion
from rlgpt_jax.envs.tasks.tasks import Task
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
        "json", json.dumps({"sub_actions": [dict(zip(keys, s, strict=True)) for s in sub_actions]})
    )


def verdicts(**changes: str) -> str:
    """An empty change means ok."""
    entries = [
        {"name": n, "verdict": "revise" if c else "ok", "change": c} for n, c in changes.items()
    ]
    return block("json", json.dumps({"macros": entries}))


def critique(**to_fast: str) -> str:
    """By sub-action what to change in the code; an empty text means keep."""
    entries = [
        {"name": n, "verdict": "revise" if c else "keep", "reason": "It works.", "to_fast": c}
        for n, c in to_fast.items()
    ]
    value = {
        "reasoning": "As measured.", "failure": "It is slow.", "sub_actions": entries,
        "advice": "Walk more.", "rl": "Train longer.", "solved": False,
    }  # fmt: skip
    return block("json", json.dumps(value))


def walk(name: str, ticks: int) -> str:
    source = f"def {name}(obs):\n    for _ in range({ticks}):\n        obs = yield forward()"
    return block("python", source)


REFUSED = block("python", "import os\n\ndef stop(obs):\n    yield noop()")

RL_SETUP = block("json", json.dumps({"training": {"ticks": 256}}))
PAUSE = "def pause(obs):\n    yield noop()"

# Iteration 0: `pause` is refused once, `walk` is revised once, `stop` is never accepted.
# Iteration 1: `walk` is kept, `pause` becomes a macro with new code, done after one try.
ANSWERS = {
    "iter0/slow": plan(
        ("pause", "code", "Wait 1 tick."), ("walk", "macro", "Go on."),
        ("stop", "macro", "Stand."), ("find", "learn", "Find the end."),
    ),
    "iter0/fast/pause/try0": "I cannot.",
    "iter0/fast/walk/try0": walk("walk", 2),
    "iter0/fast/stop/try0": REFUSED,
    "iter0/trial_critic/try0": verdicts(walk="Walk 3 ticks."),
    "iter0/fast/pause/try1": block("python", PAUSE),
    "iter0/fast/walk/try1": walk("walk", 3),
    "iter0/fast/stop/try1": REFUSED,
    "iter0/fast/rl": RL_SETUP,
    "iter0/critic": critique(pause="Wait longer.", walk="", stop=""),
    "iter1/slow": plan(("pause", "macro", "Wait 2 ticks."), ("walk", "macro", "keep")),
    "iter1/fast/pause/try0": block("python", PAUSE + "\n    yield noop()"),
    "iter1/trial_critic/try0": verdicts(pause=""),
    "iter1/fast/rl": block("json", "{}"),
    "iter1/critic": critique(pause="", walk=""),
}  # fmt: skip
# Keys of requests that are asked at the same time.
BATCHES = [
    ("iter0/slow",),
    ("iter0/fast/pause/try0", "iter0/fast/walk/try0", "iter0/fast/stop/try0"),
    ("iter0/trial_critic/try0",),
    ("iter0/fast/pause/try1", "iter0/fast/walk/try1", "iter0/fast/stop/try1", "iter0/fast/rl"),
    ("iter0/critic",),
    ("iter1/slow",),
    ("iter1/fast/pause/try0",),
    ("iter1/trial_critic/try0",),
    ("iter1/fast/rl",),
    ("iter1/critic",),
]
# Without a critic: `walk` is kept by its author, `pause` is written anew.
UNJUDGED = {
    "iter0/slow": ANSWERS["iter0/slow"],
    "iter0/fast/pause/try0": block("python", PAUSE),
    "iter0/fast/walk/try0": walk("walk", 2),
    "iter0/fast/stop/try0": REFUSED,
    "iter0/fast/pause/try1": block("python", PAUSE + "\n    yield noop()"),
    "iter0/fast/walk/try1": "It does what it should.\n\n**KEEP**",
    "iter0/fast/stop/try1": REFUSED,
    "iter0/fast/rl": RL_SETUP,
    "iter1/slow": plan(("walk", "macro", "keep"), ("find", "learn", "Find the end.")),
    "iter1/fast/rl": RL_SETUP,
}
UNJUDGED_BATCHES = [
    ("iter0/slow",),
    ("iter0/fast/pause/try0", "iter0/fast/walk/try0", "iter0/fast/stop/try0"),
    ("iter0/fast/pause/try1", "iter0/fast/walk/try1", "iter0/fast/stop/try1", "iter0/fast/rl"),
    ("iter1/slow",),
    ("iter1/fast/rl",),
]


def whole_answer(rl: dict | None, *parts: tuple[str, str, str], code: tuple[str, ...] = ()) -> str:
    """An answer of one agent: JSON if there is any, then python blocks."""
    value: dict = {} if rl is None else {"rl": rl}
    if parts:
        keys = ("name", "kind", "instruction")
        value["sub_actions"] = [dict(zip(keys, part, strict=True)) for part in parts]
    return "\n".join([block("json", json.dumps(value))] * bool(value) + list(code))


# One agent: `stop` has no code at first, `walk` changes in the second try, and the third
# keeps everything; the second iteration keeps `walk` and learns the rest.
ONE = {
    "iter0/one/try0": whole_answer(
        {"training": {"ticks": 256}}, ("pause", "code", "Wait 1 tick."),
        ("walk", "macro", "Go on."), ("stop", "macro", "Stand."),
        code=(block("python", PAUSE), walk("walk", 2)),
    ),
    "iter0/one/try1": whole_answer(
        {"training": {"ticks": 384}}, ("pause", "code", "keep"), ("walk", "macro", "Go on."),
        ("find", "learn", "Find the end."), code=(walk("walk", 3),),
    ),
    "iter0/one/try2": "KEEP",
    "iter1/one/try0": whole_answer(
        {}, ("walk", "macro", "keep"), ("find", "learn", "Find the end.")
    ),
}  # fmt: skip
ONE_BATCHES = [(key,) for key in ONE]


class Script:
    """A model that answers from `answers` and remembers what it was asked."""

    def __init__(self, answers: Mapping[str, str] = ANSWERS, **changes: str):
        self.answers = {**answers, **changes}
        self.batches: list[tuple[str, ...]] = []
        self.prompts: dict[str, str] = {}
        self.schemas: dict[str, Any] = {}

    def complete(self, requests, on_answer=None):
        self.batches.append(tuple(r.key for r in requests))
        self.prompts |= {r.key: r.messages[0].text for r in requests}
        self.schemas |= {r.key: r.schema for r in requests}
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
