"""The part of a report about each turn of the outer loop.

Plan, set-up of the training, code, use and critique each have a file of their own.
"""

from experiments.configs import worlds
from experiments.report import html
from experiments.report.films import pictures, videos
from experiments.report.films.media import Media
from experiments.report.html import tag
from experiments.report.iteration import coding, critic, interface, plan, use
from experiments.report.iteration.failures import failures_of
from experiments.report.load import Iteration, Run
from experiments.report.success import best_iteration
from rlgpt_jax.envs.spec import WorldSpec


def iterations(run: Run) -> str:
    """All turns in order; of a run without agents what the policy did alone."""
    best = best_iteration(run)
    task = worlds.of_run(run.config)
    spec = task.spec if task else None
    if any(it.plan for it in run.iterations):
        return "".join(_iteration(run, it, it is best, spec) for it in run.iterations)
    return "".join(
        _section(it, f"Iteration {it.index}: action use", use.action_use(it.evaluation)
                 + _seen(it, run.media))
        for it in run.iterations if it.evaluation
    )  # fmt: skip


def _iteration(run: Run, it: Iteration, is_best: bool, spec: WorldSpec | None) -> str:
    set_up = interface.interface_of(it.interface, spec)
    inner = plan.plan_of(it) + set_up + coding.code_of(it, is_best, run)
    if it.evaluation:
        inner += tag("h3", "What the policy used", class_="later") + use.action_use(it.evaluation)
    inner += _seen(it, run.media)
    inner += critic.words_of(it.critique, critic.is_of_another_run(run, f"iter{it.index}/critic"))
    return _section(it, f"Iteration {it.index}", inner)


def _seen(it: Iteration, media: Media) -> str:
    """Presses, failures, films and pictures of its evaluation, as far as there are any."""
    found = pictures.presses_of(it.evaluation) + failures_of(it.evaluation) if it.evaluation else ""
    return found + videos.of_iteration(it, media) + pictures.pictures_of(it, media)


def _section(it: Iteration, title: str, inner: str) -> str:
    return html.section(f"iteration-{it.index}", title, html.card(inner))
