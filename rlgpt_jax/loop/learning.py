"""Training and evaluation of one iteration, with checkpoints (`checkpoints.py`)."""

import dataclasses

import jax

from rlgpt_jax.loop import cases, checkpoints, events
from rlgpt_jax.loop.checkpoints import Position
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.metrics import Metrics
from rlgpt_jax.loop.pictures import frames
from rlgpt_jax.loop.record import kept, read_json, write_json
from rlgpt_jax.loop.tools import EVAL, TRAIN, VALIDATION, Tools, World, training_task
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.interface import DEFAULT, STOP_EPISODES, STOP_LEAST, RLInterface
from rlgpt_jax.rl.learner import Learner
from rlgpt_jax.rl.networks.actor_critic import Params, init_params
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.train import carry_over, init_learner, train


@dataclasses.dataclass(frozen=True)
class Stage:
    """What one iteration trains with."""

    iteration: int
    space: HybridSpace
    changed: tuple[int, ...] = ()  # slots that hold other code than before
    before: "Stage | None" = None  # the stage of the iteration before, None for the first
    interface: RLInterface = DEFAULT  # what the fast agent has set of the training
    # Whose networks training goes on with, unless it has new ones; None is `before`. `changed` and
    # `space` are by its slots.
    begins: "Stage | None" = None


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
        if saved is None or frames.are_missing(self._tools, stage.iteration):
            if self._config.learns:
                self._train(stage)
            report = self._evaluate_and_draw(stage)
            write_json(path, report.to_json())
        else:
            report = EvalReport.from_json(saved)
        self._tools.on_event(events.Evaluated(stage.iteration, report))
        return report

    def evaluate_code(self, stage: Stage, known: EvalReport | None = None) -> EvalReport:
        """An iteration's code alone in the validation worlds, unless that is known already."""
        path = self._tools.folder.iteration(stage.iteration, "coded_parts_eval.json")
        report = kept(
            path, EvalReport.from_json, lambda: known or self._evaluate(stage, VALIDATION)
        )
        self._tools.on_event(events.EvaluatedCode(stage.iteration, report))
        return report

    def evaluate_held_out(self, stage: Stage, file: str = "final_eval.json") -> EvalReport:
        """An evaluation that a run is quoted by, in worlds that nothing was chosen by.

        `file` of the run folder keeps it.
        """
        path = self._tools.folder.path(file)
        return kept(path, EvalReport.from_json, lambda: self.held_out(stage))

    def held_out(self, stage: Stage) -> EvalReport:
        """Any finished iteration in the worlds of `EVAL`; nothing is written."""
        return self._evaluate(stage, EVAL)

    def params(self, stage: Stage) -> Params:
        """The networks of a finished iteration, for videos and further use."""
        if self._config.learns:
            return self._finished(stage).params
        # Pure code: the policy never decides, so it is never trained.
        key = jax.random.key(self._tools.seed_of("train", stage.iteration))
        return init_params(self._tools.rl.network, key)

    def evaluated_with(self, stage: Stage) -> RLConfig:
        """Settings for evaluations: returns are of the run's own reward, but for its targets, which
        the policy remembers; these and the parts of the observation are those of its training."""
        run, own = self._tools.rl, self._rl(stage)
        reward = dataclasses.replace(run.reward, targets=own.reward.targets)
        return dataclasses.replace(run, observation=own.observation, reward=reward)

    def policy(self, stage: Stage) -> Policy:
        """The policy of a finished iteration, to play with."""
        return Policy(self.params(stage), stage.space, self.evaluated_with(stage))

    @property
    def ticks(self) -> int:
        """Ticks of training that the run folder holds."""
        return max((p.ticks for p in self._positions()), default=0)

    def _positions(self) -> list[Position]:
        """Where the training of every iteration stands that has a checkpoint."""
        folder, iterations = self._tools.folder, range(self._config.num_iterations)
        return [p for i in iterations if (p := checkpoints.position(folder, i))]

    @property
    def trial_ticks(self) -> int:
        """Ticks of trials that the run folder holds; they come on top of those of training."""
        folder = self._tools.folder.path("iterations")
        tried = [read_json(path)["report"] for path in folder.glob("*/macros/*/*.trial.json")]
        kept = [read_json(path)["episodes"] for path in folder.glob(f"*/{cases.FILE}")]
        return sum(r["env_ticks"] for r in tried) + sum(e["ticks"] for r in kept for e in r)

    def trained(self, stage: Stage) -> str:
        """How long the training of a finished iteration was, in words; "" without one."""
        position = checkpoints.position(self._tools.folder, stage.iteration)
        if position is None:
            return ""
        ticks, goal = position.ticks - position.start_ticks, self._goal(stage)
        words = f"Training took {ticks:,} ticks."
        if ticks < goal and stage.interface.stop_at_success is not None:
            words = (
                f"Training ended early, after {ticks:,} of {goal:,} ticks: "
                f"{stage.interface.stop_at_success:.0%} of the last {STOP_EPISODES} episodes "
                "had succeeded."
            )
        if stage.begins is not None and stage.begins is not stage.before:
            words += f" It began with the network of iteration {stage.begins.iteration + 1}."
        return words

    def _goal(self, stage: Stage) -> int:
        """Ticks of training in this iteration, if it does not end early."""
        most = self._config.ticks_per_iteration
        return most if stage.interface.ticks is None else min(stage.interface.ticks, most)

    def _train(self, stage: Stage) -> None:
        tools, goal = self._tools, self._goal(stage)
        position = checkpoints.position(tools.folder, stage.iteration)
        if position is None:
            learner = self._begin(stage)
            start_ticks = int(learner.ticks)
        else:
            # Nothing may be left to train, and episodes of worlds such as Minecraft are dear.
            learner, start_ticks = self._load(stage, position, False), position.start_ticks
        with tools.folder.timed("train"):
            learner = self._go_on(stage, learner, start_ticks, start_ticks + goal)
        self._learner, self._owner = learner, stage.iteration

    def _begin(self, stage: Stage) -> Learner:
        """The learner with which an iteration starts."""
        seed, config = self._tools.seed_of("train", stage.iteration), self._rl(stage)
        before = self._finished(stage.before) if stage.before else None
        if before is None:
            return init_learner(self._world(stage), stage.space, config, seed)
        fresh = not self._config.warm_start or stage.interface.network == "fresh"
        old = self._finished(stage.begins) if stage.begins and not fresh else before
        # Now: loading an iteration with other training episodes takes the place of this world.
        world = self._world(stage)
        if fresh:
            begun = init_learner(world, stage.space, config, seed)
        else:
            begun = carry_over(old, world, stage.space, stage.changed, config, seed)
        return begun.replace(ticks=before.ticks, num_updates=before.num_updates)

    def _finished(self, stage: Stage) -> Learner:
        """The learner at the end of an iteration, from memory or from its checkpoint."""
        if self._learner is None or self._owner != stage.iteration:
            position = checkpoints.position(self._tools.folder, stage.iteration)
            if position is None:
                raise FileNotFoundError(
                    f"no checkpoint of iteration {stage.iteration} in "
                    f"{checkpoints.folder_of(self._tools.folder, stage.iteration)}. Run the "
                    "training first."
                )
            self._learner, self._owner = self._load(stage, position, False), stage.iteration
        return self._learner

    def _go_on(self, stage: Stage, learner: Learner, start: int, stop: int) -> Learner:
        """Trains until `stop` ticks of the whole run, with checkpoints on the way."""
        tools, iteration = self._tools, stage.iteration
        share = stage.interface.stop_at_success
        # Successes end sooner than failures: until every lane had time for two whole episodes,
        # those that have ended are no fair sample.
        horizon = training_task(tools.task, stage.interface.task).horizon
        fair = 2 * horizon * tools.rl.ppo.num_envs
        least = start + max(STOP_LEAST * (stop - start), fair)

        def is_enough(now: Learner) -> bool:
            """Whether training ends early; known from the checkpoint alone."""
            if share is None or now.finished < STOP_EPISODES:
                return False
            return now.ticks >= least and now.recent.sum() >= round(share * STOP_EPISODES)

        if learner.ticks >= stop or is_enough(learner):
            return learner
        # What comes after belongs to later iterations, where this one's end is made again.
        known = max((p.update for p in self._positions()), default=0)
        metrics = Metrics(tools.folder, max(int(learner.num_updates), known))

        def on_update(now: Learner, values: dict[str, float]) -> None:
            update, ticks = int(now.num_updates), int(now.ticks)
            metrics.add(iteration, update, ticks, values)
            is_last = ticks >= stop or is_enough(now) or tools.is_told_to_end()
            if is_last or update % self._config.checkpoint_every == 0:
                checkpoints.save(tools.folder, iteration, now, self._world(stage), start)
            tools.on_event(
                events.Updated(iteration, update, ticks, ticks - start, stop - start, values)
            )

        world, config, begun = self._world(stage), self._rl(stage), self._begun(stage, learner)
        ticks = stop - int(learner.ticks)
        return train(world, stage.space, config, begun, ticks, on_update, is_enough, rests=False)

    def _begun(self, stage: Stage, learner: Learner) -> Learner:
        """The learner in episodes: new ones, if it was loaded without any."""
        position = checkpoints.position(self._tools.folder, stage.iteration)
        if learner.rollout is not None or position is None:
            return learner
        return self._load(stage, position)

    def _load(self, stage: Stage, position: Position, begins: bool = True) -> Learner:
        path = checkpoints.folder_of(self._tools.folder, stage.iteration) / position.folder
        return checkpoint.load(path, self._world(stage), stage.space, self._rl(stage), begins)

    def _evaluate_and_draw(self, stage: Stage) -> EvalReport:
        """The evaluation of an iteration, with the pictures that the critic shall see."""
        tools, episodes = self._tools, self._config.eval_episodes
        world = tools.world(VALIDATION, self._config.eval_lanes(tools.rl.ppo.num_envs))
        recorder = frames.make_recorder(tools, world)
        report = self._evaluate(stage, VALIDATION, recorder)
        if recorder is not None:
            with tools.folder.timed("frames"):
                frames.take(tools, stage.iteration, recorder, world, episodes)
        return report

    def _evaluate(self, stage: Stage, split: str, recorder: Recorder | None = None) -> EvalReport:
        """The same episodes in every iteration, so that iterations can be compared."""
        tools, num, task = self._tools, self._config.eval_episodes, self._tools.task.name
        tools.on_event(events.Evaluating(stage.iteration, num))
        lanes = self._config.eval_lanes(tools.rl.ppo.num_envs)
        with tools.folder.timed("evaluate"):
            world, seed = tools.world(split, lanes), tools.seed_of("evaluate", split)
            policy = self.policy(stage)
            return evaluate(
                world, policy, seed, num_episodes=num, task=task, split=split, recorder=recorder
            )

    def _rl(self, stage: Stage) -> RLConfig:
        return self._tools.rl.set_up(stage.interface)

    def _world(self, stage: Stage) -> World:
        """Where an iteration trains."""
        tools = self._tools
        task = training_task(tools.task, stage.interface.task)
        return tools.world(TRAIN, tools.rl.ppo.num_envs, task)
