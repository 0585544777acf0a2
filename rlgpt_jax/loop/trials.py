"""Trials of an iteration's code: made as the plan will run it, and compared between versions.

A part of kind `code` starts in a fresh episode after the accepted code parts before it; in a mode
of pure code all parts do. One of kind `lead` starts after all of those and after the leading ones
before it. A part of kind `macro` starts after all accepted code parts, in situations that play
brings about (`rl/evaluate/approach.py`). All versions of a part in an iteration are tried in the
same episodes, and one that does worse than the version before it is not used
(`trial_report.compare`).
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from rlgpt_jax.agents.prompt_state import Attempt, Fate, PromptState, SubAction, in_use
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.plan import recipe_graph
from rlgpt_jax.envs.spec import SpecTask
from rlgpt_jax.loop import cases, events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.pictures import trial_pictures
from rlgpt_jax.loop.record import read_json, write_json
from rlgpt_jax.loop.spaces import make_space
from rlgpt_jax.loop.tools import TRAIN, Tools, World
from rlgpt_jax.rl.evaluate.approach import Scene
from rlgpt_jax.rl.evaluate.episodes import Lockstep
from rlgpt_jax.rl.evaluate.trial import trial
from rlgpt_jax.rl.evaluate.trial_report import TrialReport, compare
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import on_host

Attempts = dict[str, tuple[Attempt, ...]]  # by name of the sub-action
MAX_PLAY = 300  # ticks before a macro is started, but not more than half an episode
PLAYED = 4  # the part of an episode that is played before, in worlds with a spec


@dataclasses.dataclass(frozen=True)
class Trials:
    """What coding and its trials share in one iteration."""

    config: LoopConfig
    tools: Tools
    state: PromptState  # with the plan
    # Gives the policy that was trained last, which plays in trials.
    policy: Callable[[], Policy | None] = lambda: None

    def key(self, *parts: str) -> str:
        """Of a question in this iteration."""
        return self.tools.request_key(self.config, self.state.iteration, *parts)

    def run(self, number: int, attempts: Attempts) -> None:
        """Tries what was accepted in try `number`: code parts in the plan's order, then macros."""
        plan = self.state.plan.coded
        for s in sorted(plan, key=self._turn):
            made = attempts.get(s.name, ())
            if made and made[-1].accepted and made[-1].number == number and not made[-1].trial:
                attempts[s.name] = (*made[:-1], self._tried(s, made, attempts))

    def _tried(self, s: SubAction, made: tuple[Attempt, ...], attempts: Attempts) -> Attempt:
        """The last version of a part with the facts of its trial and what they are worth."""
        new, old = made[-1], in_use(made[:-1])
        before = self._before(s, attempts)
        report = self._report(s, new, before)
        words, worse = report.describe(), ""
        if old is not None:
            is_worse, how = compare(report, self._report(s, old, before))
            again = f"Against version {old.number + 1} in the same episodes: {how}."
            worse = again * is_worse
            words += f"\n{again} Version {(old if is_worse else new).number + 1} is in use."
        self.tools.on_event(events.Tried(self.state.iteration, new.number, s.name, words, worse))
        return dataclasses.replace(new, trial=words, worse=worse)

    def _is_scripted(self, s: SubAction) -> bool:
        return s.kind in ("code", "lead") or self.config.mode == "pure_code"

    def _turn(self, s: SubAction) -> int:
        """Kinds in the order in which they act in an episode."""
        pure = self.config.mode == "pure_code"
        return 0 if pure else ("code", "lead", "macro").index(s.kind)

    def _before(self, s: SubAction, attempts: Attempts) -> tuple[Fate, ...]:
        """The accepted code that runs before a part. What leads runs before what leads after it
        alone: a macro is for what it leaves undone."""
        plan = sorted(self.state.plan.coded, key=self._turn)
        code = [other for other in plan if other.kind == "code"]
        script = plan[: plan.index(s)] if self._is_scripted(s) else code
        sources = {p.name: source_of(p.name, attempts, self.state) for p in script}
        return tuple(Fate(name, "code", source=text) for name, text in sources.items() if text)

    def _report(self, s: SubAction, version: Attempt, before: tuple[Fate, ...]) -> TrialReport:
        """Of a trial after `before`; read from the run folder if it is there."""
        tools, config = self.tools, self.config
        after = [[fate.name, fate.source] for fate in before]
        # Once more where the code before it has changed since.
        for again in range(config.num_tries + 1):
            file = f"try{version.number}{f'.again{again}' * bool(again)}.trial.json"
            path = tools.folder.macro(self.state.iteration, s.name, file)
            saved = read_json(path)
            if saved is None or saved.get("after") == after:
                break
        if saved is not None:
            return TrialReport.from_json(saved["report"])
        world = tools.world(TRAIN, config.trial_episodes)
        recorder = None if again else trial_pictures.make_recorder(tools, world)
        with tools.folder.timed("trial"):
            script = (*before, Fate(s.name, "macro", source=version.source))
            report = trial(
                world, make_space(script, script, False, tools.language),
                len(script), tools.seed_of("trial"), config.trial_episodes,
                dataclasses.replace(self._scene(s, world), recorder=recorder),
            )  # fmt: skip
            picture = trial_pictures.draw(
                path.with_name(f"try{version.number}.png"), report, recorder, world
            )
        record = {"words": report.describe(), "report": report.to_json(), "after": after}
        write_json(path, record | ({"picture": picture} if picture else {}))
        return report

    def _after_play(self, world: World) -> Any:
        """The state of a world with a spec after a part of an episode of the policy that was
        trained last; None before the first training."""
        policy = self.policy()
        if policy is None:
            return None
        host = on_host.as_host(world)
        lanes = Lockstep(host, policy, self.tools.seed_of("trial"))
        for _ in range(self.tools.task.horizon // PLAYED):
            lanes.tick(np.ones(host.num_envs, bool))
        return host.save()

    def _scene(self, s: SubAction, world: World) -> Scene:
        task = self.tools.task
        play = min(MAX_PLAY, task.horizon // 2)
        starts = cases.failed(self.config, self.tools, self.state.best)
        if isinstance(task, SpecTask):
            scripted = self._is_scripted(s)
            return Scene(cases=starts) if scripted else Scene(state=self._after_play(world))
        given = {task.goal_item, *(name for name, _ in task.start_items)}
        materials = tuple(
            name
            for name in recipe_graph.closure(task.goal_item, given - {task.goal_item})
            if name not in given and name in NAME_ID
        )
        if self._is_scripted(s):
            return Scene(task.goal_item, materials, cases=starts)
        return Scene(task.goal_item, materials, play, self.policy())


def source_of(name: str, attempts: Attempts, state: PromptState) -> str:
    """The code in use under a name now, or when it was last in a plan; "" if there is none."""
    version = in_use(attempts.get(name, ()))
    return version.source if version else state.latest_source(name)
