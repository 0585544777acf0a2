"""A small recorded conversation of two iterations, with one refusal and kept code."""

import json
from pathlib import Path

from rlgpt_jax.agents.llm.base import Completion, Message, Request
from rlgpt_jax.agents.llm.transcript import Transcript

PLAN = {
    "sub_actions": [
        {"name": "wander", "kind": "macro", "instruction": "Walk 10 ticks, then turn."},
        {"name": "milk_cow", "kind": "macro", "instruction": "Use the bucket a few times."},
        {"name": "approach", "kind": "learn", "instruction": "Come near the cow."},
    ]
}
KEPT = {
    "sub_actions": [{**s, "instruction": "keep"} for s in PLAN["sub_actions"][:2]]
    + PLAN["sub_actions"][2:]
}
REFUSED = "import os\n\ndef wander(obs):\n    os.system('true')\n    yield forward()\n"
WANDER = """def wander(obs):
    for _ in range(10):
        obs = yield forward(jump=not obs.on_ground)
    yield turn(yaw=60)
"""
MILK = """def milk_cow(obs):
    for _ in range(3):
        obs = yield use()
        if obs.held == "milk_bucket":
            return
"""
CRITIQUE = {
    "failure": "Too little training.",
    "sub_actions": [
        {"name": "wander", "verdict": "keep", "reason": "It walks."},
        {"name": "milk_cow", "verdict": "keep", "reason": "It milks."},
    ],
    "advice": "Train on.",
}


def judgement(*names: str) -> dict:
    return {"macros": [{"name": name, "verdict": "ok", "change": ""} for name in names]}


def block(language: str, body: str) -> str:
    return f"Here it is.\n```{language}\n{body}\n```\n"


ANSWERS = {
    "iter0/slow": block("json", json.dumps(PLAN)),
    "iter0/fast/wander/try0": block("python", REFUSED),
    "iter0/fast/milk_cow/try0": block("python", MILK),
    "iter0/trial_critic/try0": block("json", json.dumps(judgement("milk_cow"))),
    "iter0/fast/wander/try1": block("python", WANDER),
    "iter0/fast/rl": block("json", "{}"),
    "iter0/critic": block("json", json.dumps(CRITIQUE)),
    "iter1/slow": block("json", json.dumps(KEPT)),
    "iter1/fast/rl": block("json", "{}"),
    "iter1/critic": block("json", json.dumps(CRITIQUE)),
}


def write(path: Path) -> Path:
    """Writes the conversation as a transcript. Its prompts differ from every run's."""
    transcript = Transcript(path)
    for key, answer in ANSWERS.items():
        agent = key.split("/")[1]
        request = Request(key, agent, (Message("user", "recorded for a test"),))
        transcript.append(request, Completion(answer, "a test", "file", 1.0))
    return path
