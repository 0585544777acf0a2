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
from experiments.report.iteration.foreign import numbers
from experiments.report.load import Iteration, Run
from experiments.report.success import best_iteration
from rlgpt_jax.envs.spec import WorldSpec


def iterations(run: Run) -> str:
    """All turns in order."""
    if not any(it.plan for it in run.iterations):
        return "".join(_use_only(it, run.media) for it in run.iterations)
    best = best_iteration(run)
    task = worlds.of_run(run.config)
    spec = task.spec if task else None
    return "".join(_iteration(run, it, it is best, spec) for it in run.iterations)


def _iteration(run: Run, it: Iteration, is_best: bool, spec: WorldSpec | None) -> str:
    set_up = interface.interface_of(it.interface, spec)
    inner = plan.plan_of(it) + set_up + coding.code_of(it, is_best, run)
    if it.evaluation:
        title = tag("h3", "What the policy used", class_="later")
        inner += title + use.action_use(it.evaluation) + pictures.presses_of(it.evaluation)
        inner += failures_of(it.evaluation)
    inner += videos.of_iteration(it, run.media) + pictures.pictures_of(it, run.media)
    inner += critic.words_of(it.critique, numbers(run, f"iter{it.index}/critic"))
    body = tag("div", inner, class_="card")
    return html.section(f"iteration-{it.index}", f"Iteration {it.index}", body)


def _use_only(it: Iteration, media: Media) -> str:
    """A run without agents: the evaluation alone."""
    if not it.evaluation:
        return ""
    inner = use.action_use(it.evaluation) + pictures.presses_of(it.evaluation)
    inner += failures_of(it.evaluation)
    inner += videos.of_iteration(it, media) + pictures.pictures_of(it, media)
    body = tag("div", inner, class_="card")
    return html.section(f"iteration-{it.index}", f"Iteration {it.index}: action use", body)
