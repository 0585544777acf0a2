"""A small run folder in the layout of `rlgpt_jax/loop/record.py`, for tests of reports."""

import json
import math
from pathlib import Path
from typing import Any

FIND_COW = '''def find_cow(obs):
    """Walk and look round until something stops us."""
    stuck = 0
    for step in range(40):
        x, z = obs.x, obs.z
        obs = yield forward(jump=stuck > 2)
        if abs(obs.x - x) + abs(obs.z - z) < 0.02:
            stuck += 1
        else:
            stuck = 0
        if step % 10 == 9 or stuck > 6:
            obs = yield turn(yaw=60)  # look somewhere else
'''
REFUSED = FIND_COW.replace("abs(obs.x - x)", "math.dist(obs.x, x) <b>&")
REFUSAL = {
    "line": 7,
    "column": 11,
    "source_line": "        if math.dist(obs.x, x) ...",
    "reason": "math.dist is not available.",
    "instead": "hypot(dx, dz)",
}
USE = """def milk_cow(obs):
    for _ in range(10):
        obs = yield use()
        if obs.held == "milk_bucket":
            return
"""


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def evaluation(index: int, episodes: int = 200) -> dict[str, Any]:
    successes = (62, 96, 131)[index]
    rate = successes / episodes
    half = 1.96 * math.sqrt(rate * (1 - rate) / episodes)
    macros = {
        "find_cow": {
            "returned": 210 + 30 * index,
            "trapped": 0,
            "tick_limit": 12,
            "interrupted": 31,
        },
        "milk_cow": {"returned": 420, "trapped": 3, "tick_limit": 0, "interrupted": 90},
    }
    ticks = {
        "find_cow": 9800,
        "milk_cow": 4100,
        "forward": 7200,
        "forward + turn right": 3100,
        "use": 2500,
        "turn left": 1400,
        "attack": 300,
        "jump": 220,
    }
    counts = {name: max(1, value // 12) for name, value in ticks.items()}
    return {
        "task": "harvest_milk",
        "split": "validation",
        "num_episodes": episodes,
        "successes": successes,
        "success_rate": rate,
        "success_low": rate - half,
        "success_high": rate + half,
        "mean_return": 10 * rate - 1.3,
        "mean_ticks": 142.0,
        "action_counts": counts,
        "action_ticks": ticks,
        "macro_ends": macros,
        "trap_messages": {"milk_cow, line 3: index 4 is outside of a tuple of 4": 3},
        "dead_loop_rate": 0.21 - 0.05 * index,
        "seed": 7,
    }


def plan(index: int) -> dict[str, Any]:
    return {
        "sub_actions": [
            {
                "name": "find_cow",
                "kind": "macro",
                "instruction": "Walk in a widening path and turn, until blocked or 40 steps.",
            },
            {
                "name": "approach_cow",
                "kind": "learn",
                "instruction": "Steer so that the cow comes near and stays in the middle.",
            },
            {
                "name": "milk_cow",
                "kind": "macro",
                "instruction": "Use the bucket up to ten times; stop once it holds milk.",
            },
        ],
        "reasoning": "Nothing in the observation names a cow.\n\nSo searching can be coded, "
        "but steering has to be learned from what the policy sees.",
        "note": "" if index else "The first answer could not be read; this is the second.",
    }


def add_iteration(folder: Path, index: int) -> None:
    root = folder / "iterations" / str(index)
    write(root / "plan.json", plan(index))
    first = REFUSED if index == 0 else FIND_COW
    write(root / "macros/find_cow/try0.py", first)
    if index == 0:
        write(root / "macros/find_cow/try0.refusal.json", REFUSAL)
        write(root / "macros/find_cow/try1.py", FIND_COW)
        write(root / "macros/find_cow/try1.trial.json", {"words": "It walked 8.1 blocks."})
    if index == 2:
        write(root / "macros/milk_cow/kept.py", USE)
        fates = [
            {
                "name": "find_cow",
                "planned": "macro",
                "kind": "macro",
                "used": "try0",
                "words": "find_cow (macro): code accepted, 1 version(s).",
            }
        ]
        write(root / "fates.json", fates)
    else:
        write(root / "macros/milk_cow/try0.py", USE)
        write(
            root / "macros/milk_cow/try0.trial.json",
            {"words": "Ran 10 ticks in each of 20 episodes and made 10 times use. 1 success."},
        )
    verdicts = [
        {"milk_cow": {"verdict": "ok", "change": ""}},
        {"find_cow": {"verdict": "revise", "change": "It never looks back; turn further."}},
    ]
    write(root / "trial_critiques.json", verdicts)
    write(root / "eval.json", evaluation(index))
    write(
        root / "critique.json",
        {
            "failure": "Half of the failed episodes never came within 3 blocks of the cow.",
            "sub_actions": [
                {"name": "find_cow", "verdict": "revise", "reason": "Too long for one call."},
                {"name": "milk_cow", "verdict": "keep", "reason": "Ends as soon as it has milk."},
            ],
            "advice": "Make find_cow shorter, so that PPO can look in between.",
        },
    )


def exchange(key: str, agent: str) -> dict[str, Any]:
    return {
        "schema": 2,
        "key": key,
        "agent": agent,
        "messages": [{"role": "user", "text": "You plan for an agent in a world of blocks."}],
        "prompt_sha256": "0" * 64,
        "request_schema": None,
        "answer": "```json\n{}\n```",
        "provider": "replay",
        "model": "a-model",
        "usage": None,
        "price": 0.0,
        "stop": "end",
        "request_id": "",
        "retries": 0,
        "seconds": 0.0,
        "date": "2026-11-01T00:00:00+00:00",
    }


def metrics_csv() -> str:
    names = ("iteration", "update", "ticks", "success_rate", "episode_return", "entropy")
    lines = [",".join(names)]
    for i in range(90):
        rate = 0.7 * (1 - math.exp(-i / 30)) + 0.04 * math.sin(1.7 * i)
        row = (i // 30, i, 6667 * (i + 1), max(0.0, rate), 10 * rate - 3, 3.4 - 0.02 * i)
        lines.append(",".join(f"{value:.5g}" for value in row))
    return "\n".join(lines) + "\n"


def make(folder: Path, num_iterations: int = 3, finished: bool = True) -> Path:
    """Writes a whole run folder, or one that was killed before its end."""
    config = {
        "task": "harvest_milk",
        "seed": 0,
        "loop": {"mode": "rl_gpt"},
        "ppo": {"num_envs": 128, "learning_rate": 3e-4, "target_kl": None},
    }
    write(folder / "config.json", {"name": "harvest_milk", "config": config})
    write(folder / "version.json", {"jax": "0.10.2", "nproc": "2", "started": "2026-11-01"})
    write(folder / "metrics.csv", metrics_csv())
    rows = [f"{i},{8000 + 40 * (i % 7)}" for i in range(90)]
    write(folder / "timing.csv", "\n".join(["update,steps_per_second", *rows]) + "\n")
    lines = [json.dumps(exchange(f"iter{i}/slow", "slow")) for i in range(num_iterations)]
    write(folder / "transcript.jsonl", "".join(line + "\n" for line in lines))
    for index in range(num_iterations):
        add_iteration(folder, index)
    if finished:
        write(folder / "final_eval.json", {**evaluation(num_iterations - 1), "split": "eval"})
        alone = {
            **evaluation(0),
            "split": "eval",
            "successes": 9,
            "success_rate": 0.045,
            "success_low": 0.024,
            "success_high": 0.083,
        }
        write(folder / "coded_parts_eval.json", alone)
        parts = {
            "parts": ["find_cow", "milk_cow"],
            **{
                name: alone[name]
                for name in (
                    "success_rate",
                    "success_low",
                    "success_high",
                    "num_episodes",
                    "successes",
                )
            },
        }
        write(
            folder / "result.json",
            {
                "coded_parts": parts,
                "best_iteration": num_iterations - 1,
                "mode": "rl_gpt",
                "seed": 0,
                "wall_seconds": {"compile": 51.0, "train": 301.5, "evaluate": 40.2},
            },
        )
    return folder


def add_held_out(folder: Path, successes: tuple[int, ...], dead_loop_rate: float = 0.1) -> None:
    """Writes what `experiments.study held_out` adds, with these successes of 200."""
    for index, count in enumerate(successes):
        report = {
            **evaluation(index),
            "split": "eval",
            "successes": count,
            "success_rate": count / 200,
            "dead_loop_rate": dead_loop_rate,
        }
        write(folder / "iterations" / str(index) / "held_out.json", report)
