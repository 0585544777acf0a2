"""What a run ends with: the better of its best policy and its best code, and result.json."""

import dataclasses
from typing import Any

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.learning import Learning, Stage
from rlgpt_jax.loop.record import CODED_PARTS, write_json
from rlgpt_jax.loop.spaces import Slots, make_space
from rlgpt_jax.loop.tools import Tools
from rlgpt_jax.rl.evaluate.report import EvalReport


@dataclasses.dataclass(frozen=True)
class Iteration:
    """One finished turn of the outer loop."""

    fates: tuple[Fate, ...]
    slots: Slots
    stage: Stage
    report: EvalReport  # in the validation worlds
    alone: "Alone | None" = None  # None without learning or without accepted code


Iterations = tuple[Iteration, ...]  # that are done, in their order


@dataclasses.dataclass(frozen=True)
class Alone:
    """The coded parts of an iteration without a policy, as `loop.mode=pure_code` plays them."""

    stage: Stage
    report: EvalReport  # of the same episodes


def coded_parts_alone(
    config: LoopConfig, tools: Tools, now: Iteration, done: Iterations, learning: Learning
) -> Alone | None:
    """The control of an iteration with agents and learning: what its code does by itself."""
    code = _code_of(now.fates)
    if not (config.asks and config.learns and code):
        return None
    space = make_space(now.slots, now.fates, True, tools.language)
    own = dataclasses.replace(now.stage, space=space)
    same = next((i.alone for i in done if _code_of(i.fates) == code), None)
    return Alone(own, learning.evaluate_code(own, same.report if same else None))


def _code_of(fates: tuple[Fate, ...]) -> list[tuple[str, str]]:
    """(name, source) of what was accepted, in the plan's order."""
    return [(fate.name, fate.source) for fate in fates if fate.source]


def best_of(reports: list[EvalReport]) -> int:
    """Index of the highest success rate; of equal ones the quickest, then the first."""
    return max(range(len(reports)), key=lambda i: (reports[i].success_rate, -reports[i].mean_ticks))


def finish(
    config: LoopConfig, tools: Tools, done: Iterations, learning: Learning
) -> dict[str, Any]:
    """Evaluates the best policy and the best code in held-out worlds and writes result.json."""
    reports = [iteration.report for iteration in done]
    best = best_of(reports)
    with_policy = rate_of(learning.evaluate_held_out(done[best].stage))
    result = {
        "task": tools.task.name,
        "mode": config.mode,
        "seed": tools.seed,
        "best_iteration": best,
        **with_policy,
    }
    if config.asks and config.learns:
        result |= _beside_code(done, reports[best], with_policy, learning)
    result |= {
        "validation_by_iteration": [r.success_rate for r in reports],
        "ticks": learning.ticks,
        "trial_ticks": learning.trial_ticks,
        **replayed(tools),
        "wall_seconds": tools.folder.seconds(),
    }
    write_json(tools.folder.path("result.json"), result)
    tools.on_event(events.Finished(result))
    return result


def _beside_code(
    done: Iterations, best: EvalReport, with_policy: dict[str, Any], learning: Learning
) -> dict[str, Any]:
    """The two halves of a run that has both, each at its best in validation, and the numbers of the
    half that it ends with."""
    alones = [(number, it.alone) for number, it in enumerate(done) if it.alone]
    if not alones:
        return {"ends_with": "policy", CODED_PARTS: {"parts": []}}
    number, alone = alones[best_of([alone.report for _, alone in alones])]
    rates = rate_of(learning.evaluate_held_out(alone.stage, "coded_parts_eval.json"))
    is_better = best_of([best, alone.report]) == 1
    return {
        **(rates if is_better else with_policy),
        "ends_with": CODED_PARTS if is_better else "policy",
        "policy": with_policy,
        CODED_PARTS: {
            "iteration": number,
            "parts": [name for name, _ in _code_of(done[number].fates)],
            "validation_by_iteration": [i.alone and i.alone.report.success_rate for i in done],
            **rates,
        },
    }


def rate_of(report: EvalReport) -> dict[str, Any]:
    """The success of an evaluation, as result.json tells it."""
    return {
        "success_rate": report.success_rate,
        "success_low": report.success_low,
        "success_high": report.success_high,
        "num_episodes": report.num_episodes,
        "successes": report.successes,
    }


def replayed(tools: Tools) -> dict[str, Any]:
    """How far the questions of a replayed run are from the recorded ones."""
    if not isinstance(tools.provider, Replay) or not tools.folder.transcript.exists():
        return {}
    exchanges = transcript.read(tools.folder.transcript)
    compared = tools.provider.compare(
        [e.request for e in exchanges if e.answer.provider == "replay"]
    )
    return {
        "prompts_replayed": compared.num_requests,
        "prompts_differ": compared.num_mismatches,
        "first_difference": compared.first_mismatch,
        "prompts_unanswered": compared.num_unanswered,
    }
