"""Training and evaluation of one iteration, with checkpoints that a kill cannot spoil.

`checkpoints/<i>/latest.json` names the folder of the last whole checkpoint of iteration
i; it is replaced after that folder is complete, and older folders go afterwards.
"""

import dataclasses
import shutil
from pathlib import Path

import jax

from rlgpt_jax.loop import events
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.metrics import Metrics
from rlgpt_jax.loop.record import RunFolder, read_json, write_json
from rlgpt_jax.loop.tools import EVAL, TRAIN, VALIDATION, Tools, World
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.evaluate import evaluate
from rlgpt_jax.rl.networks import Params, init_params
from rlgpt_jax.rl.report import EvalReport
from rlgpt_jax.rl.train import Learner, carry_over, init_learner, train


@dataclasses.dataclass(frozen=True)
class Position:
    """Where the training of an iteration stands: the content of `latest.json`."""

    folder: str  # of the checkpoint, beside this file
    start_ticks: int  # ticks of the whole run when the iteration began
    ticks: int  # of the whole run
    update: int  # of the whole run


@dataclasses.dataclass(frozen=True)
class Stage:
    """What one iteration trains with."""

    iteration: int
    space: HybridSpace
    changed: tuple[int, ...] = ()  # slots that hold other code than one iteration before
    before: "Stage | None" = None  # the stage of the iteration before, None for the first


class Learning:
    """Keeps the learner between iterations; loads it where a killed run left it."""

    def __init__(self, config: LoopConfig, tools: Tools):
        self._config = config
        self._tools = tools
        self._learner: Learner | None = None
        self._owner = -1  # iteration that `_learner` belongs to

    def train_and_evaluate(self, stage: Stage) -> EvalReport:
        """Trains where the mode says so, then evaluates in the validation worlds."""
        path = self._tools.folder.iteration(stage.iteration, "eval.json")
        saved = read_json(path)
        if saved is None:
            params = self._train(stage).params if self._config.learns else self.params(stage)
            report = self._evaluate(stage, params, VALIDATION)
            write_json(path, report.to_json())
        else:
            report = EvalReport.from_json(saved)
        self._tools.on_event(events.Evaluated(stage.iteration, report))
        return report

    def evaluate_held_out(self, stage: Stage) -> EvalReport:
        """The evaluation that a run is quoted by, in worlds that nothing was chosen by."""
        path = self._tools.folder.path("final_eval.json")
        saved = read_json(path)
        if saved is not None:
            return EvalReport.from_json(saved)
        report = self._evaluate(stage, self.params(stage), EVAL)
        write_json(path, report.to_json())
        return report

    def params(self, stage: Stage) -> Params:
        """The networks of a finished iteration, for videos and further use."""
        if self._config.learns:
            return self._finished(stage).params
        # Pure code: the policy never decides, so it is never trained.
        key = jax.random.key(self._tools.seed_of("train", stage.iteration))
        return init_params(self._tools.rl.network, key)

    @property
    def ticks(self) -> int:
        """Ticks of training that the run folder holds."""
        done = (_position(self._tools.folder, i) for i in range(self._config.num_iterations))
        return max((p.ticks for p in done if p), default=0)

    def _train(self, stage: Stage) -> Learner:
        tools, goal = self._tools, self._config.ticks_per_iteration
        position = _position(tools.folder, stage.iteration)
        if position is None:
            learner = self._begin(stage)
            start_ticks = int(learner.ticks)
        else:
            learner, start_ticks = self._load(stage, position), position.start_ticks
        with tools.folder.timed("train"):
            learner = self._go_on(stage, learner, start_ticks, start_ticks + goal)
        self._learner, self._owner = learner, stage.iteration
        return learner

    def _begin(self, stage: Stage) -> Learner:
        """The learner with which an iteration starts."""
        tools = self._tools
        seed = tools.seed_of("train", stage.iteration)
        if stage.before is None:
            return init_learner(self._world(), stage.space, tools.rl, seed)
        before = self._finished(stage.before)
        if self._config.warm_start:
            return carry_over(before, self._world(), stage.space, stage.changed, tools.rl, seed)
        fresh = init_learner(self._world(), stage.space, tools.rl, seed)
        return fresh.replace(ticks=before.ticks, num_updates=before.num_updates)

    def _finished(self, stage: Stage) -> Learner:
        """The learner at the end of an iteration, from memory or from its checkpoint."""
        if self._learner is None or self._owner != stage.iteration:
            position = _position(self._tools.folder, stage.iteration)
            if position is None:
                raise FileNotFoundError(
                    f"no checkpoint of iteration {stage.iteration} in "
                    f"{_folder(self._tools.folder, stage.iteration)}. Run the training first."
                )
            self._learner, self._owner = self._load(stage, position), stage.iteration
        return self._learner

    def _go_on(self, stage: Stage, learner: Learner, start: int, stop: int) -> Learner:
        """Trains until `stop` ticks of the whole run, with checkpoints on the way."""
        tools, iteration = self._tools, stage.iteration
        if learner.ticks >= stop:
            return learner
        metrics = Metrics(tools.folder, int(learner.num_updates))

        def on_update(now: Learner, values: dict[str, float]) -> None:
            update, ticks = int(now.num_updates), int(now.ticks)
            metrics.add(iteration, update, ticks, values)
            if ticks >= stop or update % self._config.checkpoint_every == 0:
                metrics.flush()
                self._save(iteration, now, start)
            tools.on_event(
                events.Updated(iteration, update, ticks, ticks - start, stop - start, values)
            )

        try:
            return train(
                self._world(), stage.space, tools.rl, learner, stop - int(learner.ticks), on_update
            )
        finally:
            metrics.close()

    def _save(self, iteration: int, learner: Learner, start_ticks: int) -> None:
        folder = _folder(self._tools.folder, iteration)
        name = f"update_{int(learner.num_updates):06d}"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder / name, ignore_errors=True)  # left by a kill while saving
        checkpoint.save(folder / name, learner, self._world())
        position = Position(name, start_ticks, int(learner.ticks), int(learner.num_updates))
        write_json(folder / "latest.json", dataclasses.asdict(position))
        for old in folder.iterdir():
            if old.is_dir() and old.name != name:
                shutil.rmtree(old)

    def _load(self, stage: Stage, position: Position) -> Learner:
        path = _folder(self._tools.folder, stage.iteration) / position.folder
        return checkpoint.load(path, self._world(), stage.space, self._tools.rl)

    def _evaluate(self, stage: Stage, params: Params, split: str) -> EvalReport:
        """The same episodes in every iteration, so that iterations can be compared."""
        tools, episodes = self._tools, self._config.eval_episodes
        tools.on_event(events.Evaluating(stage.iteration, episodes))
        lanes = min(episodes, tools.rl.ppo.num_envs)
        with tools.folder.timed("evaluate"):
            return evaluate(
                tools.world(split, lanes), stage.space, tools.rl, params,
                tools.seed_of("evaluate", split), num_episodes=episodes, task=tools.task.name,
                split=split,
            )

    def _world(self) -> World:
        return self._tools.world(TRAIN, self._tools.rl.ppo.num_envs)


def _folder(folder: RunFolder, iteration: int) -> Path:
    return folder.path("checkpoints", iteration)


def _position(folder: RunFolder, iteration: int) -> Position | None:
    saved = read_json(_folder(folder, iteration) / "latest.json")
    return Position(**saved) if saved else None
