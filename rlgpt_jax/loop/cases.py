"""Cases: episodes of the training worlds that every program of a run of code alone is tried on.

The whole program of an iteration plays the same episodes as those before it, `TIMES` as many as a
trial has. Those that the program in use, the best one so far in the validation worlds, fails in
are where half of the next iteration's trials start; what a later program breaks or mends of all
of them is told. Which program is in use is chosen by validation alone, so these episodes may be
looked at as closely as anybody likes.

    iterations/<i>/cases.json    what became of each, with its start: an `EvalReport`
"""

from collections.abc import Callable

from rlgpt_jax.loop import events
from rlgpt_jax.loop.compare import compare_cases
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.record import read_json, write_json
from rlgpt_jax.loop.tools import TRAIN, Tools
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.policy import Policy

FILE = "cases.json"
TIMES = 4  # episodes, of those of a trial


def play(
    config: LoopConfig, tools: Tools, iteration: int, program_of: Callable[[], Policy]
) -> None:
    """Plays the cases where a later iteration follows, which needs them."""
    path = tools.folder.iteration(iteration, FILE)
    if not config.mends or iteration + 1 == config.num_iterations or path.exists():
        return
    episodes = TIMES * config.trial_episodes
    tools.on_event(events.Evaluating(iteration, episodes))
    program = program_of()
    with tools.folder.timed("trial"):
        report = evaluate(
            tools.world(TRAIN, config.trial_episodes), program, tools.seed_of("cases"),
            num_episodes=episodes, task=tools.task.name, split=TRAIN,
        )  # fmt: skip
    write_json(path, report.to_json())


def failed(config: LoopConfig, tools: Tools, program: int | None) -> tuple[tuple[int, int], ...]:
    """Starts (seed of the reset, lane) of cases that the program of an iteration fails in, for a
    trial: at most half of its episodes."""
    report = None if program is None else _read(tools, program)
    starts = [e.start for e in report.episodes if not e.success and e.start] if report else []
    return tuple(starts[: config.trial_episodes // 2])


def told(tools: Tools, iteration: int, program: int | None, reports: list[EvalReport]) -> str:
    """An iteration against the program that was in use before it, case by case; "" without one."""
    if program is None:
        return ""
    old, new = (_read(tools, i) for i in (program, iteration))
    words = compare_cases(reports[program], reports[iteration])
    if old and new:
        few = " Fewer of them are solved." * (new.successes < old.successes)
        words += f"\nThe kept cases, of the training worlds:{few} {compare_cases(old, new)}"
    return f"Against iteration {program + 1}, whose program was in use: {words}"


def _read(tools: Tools, iteration: int) -> EvalReport | None:
    saved = read_json(tools.folder.iteration(iteration, FILE))
    return saved and EvalReport.from_json(saved)
