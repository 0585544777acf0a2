"""What a run ends with: the better of its best policy and its best code, and result.json."""

import dataclasses
from typing import Any

from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.replay import Replay
from rlgpt_jax.agents.prompt_state import Fate, Plan, PromptState
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

    plan: Plan
    fates: tuple[Fate, ...]
    slots: Slots
    stage: Stage
    report: EvalReport  # in the validation worlds
    alone: "Alone | None" = None  # None without learning or without accepted code


@dataclasses.dataclass(frozen=True)
class Alone:
    """The coded parts of an iteration without a policy, as `loop.mode=pure_code` plays them."""

    parts: tuple[str, ...]
    stage: Stage
    report: EvalReport  # of the same episodes


def coded_parts_alone(
    config: LoopConfig,
    tools: Tools,
    state: PromptState,
    slots: Slots,
    stage: Stage,
    done: tuple[Iteration, ...],
    learning: Learning,
) -> Alone | None:
    """The control of an iteration with agents and learning: what its code does by itself."""
    parts = tuple(fate.name for fate in state.fates if fate.source)
    if not (config.asks and config.learns and parts):
        return None
    space = make_space(slots, state.fates, True, tools.language)
    own = dataclasses.replace(stage, space=space)
    codes = [[(f.name, f.source) for f in i.fates if f.source] for i in done]
    now = [(f.name, f.source) for f in state.fates if f.source]
    same = done[codes.index(now)].alone if now in codes else None
    return Alone(parts, own, learning.evaluate_code(own, same.report if same else None))


def best_of(reports: list[EvalReport]) -> int:
    """Index of the highest success rate; of equal ones the quickest, then the first."""
    return max(range(len(reports)), key=lambda i: (reports[i].success_rate, -reports[i].mean_ticks))


def finish(
    config: LoopConfig, tools: Tools, done: tuple[Iteration, ...], learning: Learning
) -> dict[str, Any]:
    """Evaluates the best policy and the best code in held-out worlds and writes result.json."""
    reports = [iteration.report for iteration in done]
    best = best_of(reports)
    with_policy = rate_of(learning.evaluate_held_out(done[best].stage))
    code = _best_code(done)
    result = {
        "task": tools.task.name,
        "mode": config.mode,
        "seed": tools.seed,
        "best_iteration": best,
        **with_policy,
    }
    if config.asks and config.learns:
        result |= _beside_code(done, reports[best], with_policy, code, learning)
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
    done: tuple[Iteration, ...],
    best: EvalReport,
    with_policy: dict[str, Any],
    code: int | None,
    learning: Learning,
) -> dict[str, Any]:
    """The two halves of a run that has both, and the numbers of the half that it ends with."""
    if code is None:
        return {"ends_with": "policy", CODED_PARTS: {"parts": []}}
    alone = done[code].alone
    assert alone is not None
    rates = rate_of(learning.evaluate_held_out(alone.stage, "coded_parts_eval.json"))
    is_better = best_of([best, alone.report]) == 1
    return {
        **(rates if is_better else with_policy),
        "ends_with": CODED_PARTS if is_better else "policy",
        "policy": with_policy,
        CODED_PARTS: {
            "iteration": code, "parts": list(alone.parts),
            "validation_by_iteration": [i.alone and i.alone.report.success_rate for i in done],
            **rates,
        },
    }  # fmt: skip


def _best_code(done: tuple[Iteration, ...]) -> int | None:
    """The iteration whose coded parts alone did best in validation, if any has some."""
    alone = [(i, it.alone.report) for i, it in enumerate(done) if it.alone]
    return alone[best_of([report for _, report in alone])][0] if alone else None


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
