"""An iteration trains as its RL interface says, and is evaluated as the run is."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.envs.tasks.tasks import get_task
from rlgpt_jax.loop import events, learning
from rlgpt_jax.loop.learning import Learning, Stage
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.loop.spaces import Language, make_space, place
from rlgpt_jax.loop.tools import given, training_task
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.interface import RewardTerms, RLInterface, TrainingTask
from rlgpt_jax.rl.train import carry_over, train
from tests.corridor import Corridor
from tests.loop import kills
from tests.loop.script import CONFIG, RL, TASK, tools
from tests.rl.own_pace import OwnPace
from tests.rl.small import assert_same_bits

# Short and easy, so that more than 100 episodes end and a share of them succeeds.
EASY = dataclasses.replace(CONFIG, ticks_per_iteration=40 * 128, checkpoint_every=3)
EARLY = RLInterface(
    task=TrainingTask(horizon=6),
    reward=RewardTerms(success=5.0, distance=1.0, items=(("milk_bucket", 2.0),), exploration=0.1),
    stop_at_success=0.3,
)


def make_env(split, num_envs, seed, task=TASK):
    return Corridor(num_envs=num_envs, length=3, horizon=task.horizon)


def stage(interface, **changes):
    return Stage(0, empty_space(), interface=interface, **changes)


def rows(given):
    return given.folder.path("metrics.csv").read_text().splitlines()[1:]


def test_training_has_its_own_task_and_evaluation_the_run_s(tmp_path):
    made = []

    def noted(split, num_envs, seed, task=None):
        made.append((split, task and task.horizon))
        return make_env(split, num_envs, seed, task or TASK)

    given = tools(tmp_path, None, make_env=noted)
    report = Learning(CONFIG, given).train_and_evaluate(
        stage(RLInterface(task=TrainingTask(horizon=6)))
    )
    assert made == [("train", 6), ("validation", None)]
    lengths = [float(row.split(",")[5]) for row in rows(given) if row.split(",")[5]]
    assert (lengths and max(lengths) <= 6 < report.mean_ticks) or report.successes > 0


def test_worlds_of_other_tasks_are_made_once_and_the_last_one_kept(tmp_path):
    given = tools(tmp_path, None, make_env=make_env)
    short, long = (dataclasses.replace(TASK, horizon=h) for h in (5, 50))
    own = given.world("train", 8)
    assert given.world("train", 8, TASK) is own
    first = given.world("train", 8, short)
    assert given.world("train", 8, short) is first and first.horizon == 5
    assert given.world("train", 8, long).horizon == 50
    assert given.world("train", 8) is own
    assert given.world("train", 8, short) is not first


def test_ticks_of_an_iteration_are_those_of_its_interface(tmp_path):
    given = tools(tmp_path, None, make_env=make_env)
    learning = Learning(CONFIG, given)
    part = stage(RLInterface(ticks=128))
    learning.train_and_evaluate(part)
    assert learning.ticks == 128 and learning.trained(part) == "Training took 128 ticks."
    more = dataclasses.replace(part, iteration=1, before=part, interface=RLInterface(ticks=10**9))
    learning.train_and_evaluate(more)
    assert learning.ticks == 128 + CONFIG.ticks_per_iteration  # at most the run's own


@pytest.mark.parametrize("name", ["soon", pytest.param("never", marks=pytest.mark.slow)])
def test_training_ends_early_but_not_before_a_fifth_of_the_ticks(tmp_path, name):
    given = tools(tmp_path, None, make_env=make_env)
    learning = Learning(EASY, given)
    asked = stage(dataclasses.replace(EARLY, stop_at_success=0.01 if name == "soon" else 1.0))
    learning.train_and_evaluate(asked)
    words = learning.trained(asked)
    if name == "soon":
        assert learning.ticks >= 8 * 128 and learning.ticks < EASY.ticks_per_iteration
        assert words.startswith(f"Training ended early, after {learning.ticks:,} of 5,120")
    else:
        assert learning.ticks == EASY.ticks_per_iteration and "early" not in words


@pytest.mark.slow
def test_quick_successes_alone_do_not_end_training(tmp_path):
    given = tools(tmp_path, None, make_env=make_env)
    asked = stage(dataclasses.replace(EARLY, task=TrainingTask(horizon=70), stop_at_success=0.01))
    learning = Learning(EASY, given)
    learning.train_and_evaluate(asked)
    lanes, budget = given.rl.ppo.num_envs, EASY.ticks_per_iteration
    # A fifth of the ticks is less than two episodes at their limit in every lane.
    assert budget / 5 < 2 * 70 * lanes <= learning.ticks < budget


@pytest.mark.slow
def test_a_run_killed_before_its_early_stop_ends_with_the_same_bits(tmp_path):
    def learn(path, listen=events.ignore):
        given = tools(path, None, make_env=make_env, on_event=listen)
        asked = stage(EARLY)
        report = Learning(EASY, given).train_and_evaluate(asked)
        return given, report, Learning(EASY, given)._finished(asked)

    def updated(number):
        return lambda event: isinstance(event, events.Updated) and event.update == number

    whole, report, learner = learn(tmp_path / "whole")
    updates = len(rows(whole))
    assert 8 <= updates < 40 and learner.finished > 100, "it must end early to tell anything"
    # Before a checkpoint, after one, at the last update.
    points = map(updated, (2, 4, 7, updates))
    kills.kill_at_each(points, lambda listen: learn(tmp_path / "killed", listen))
    again, report_again, learner_again = learn(tmp_path / "killed")
    assert report == report_again and rows(whole) == rows(again)
    assert_same_bits(learner, learner_again)
    position = read_json(whole.folder.path("checkpoints", 0, "latest.json"))
    assert position == read_json(again.folder.path("checkpoints", 0, "latest.json"))


def learn_at_own_pace(path, kill=lambda event: False):
    """Trains in lanes of their own pace, of which one never answers; its worlds."""
    worlds = []

    def make(split, num_envs, seed, task=TASK):
        if split != "train":
            return Corridor(num_envs=num_envs, length=3, horizon=task.horizon)
        worlds.append(OwnPace([1e9, *np.ones(num_envs - 1)], horizon=task.horizon))
        return worlds[-1]

    given = tools(path, None, make_env=make, on_event=kills.at(kill))
    learning = Learning(CONFIG, given)
    try:
        learning.train_and_evaluate(stage(RLInterface()))
    except kills.Killed:
        return worlds, None
    return worlds, learning


def test_after_training_lanes_that_have_not_answered_are_not_waited_for(tmp_path):
    (world,), learning = learn_at_own_pace(tmp_path)
    assert learning.ticks == CONFIG.ticks_per_iteration
    assert world.waiting and world.now < 1e9


def test_a_run_killed_in_its_evaluation_begins_no_games_of_training_again(tmp_path):
    (world,), _ = learn_at_own_pace(tmp_path, lambda event: isinstance(event, events.Evaluating))
    assert world.total > 0
    worlds, learning = learn_at_own_pace(tmp_path)
    assert learning.ticks == CONFIG.ticks_per_iteration
    assert not any(hasattr(world, "state") for world in worlds), "no episode was begun"


def test_a_run_killed_in_its_training_goes_on_in_new_games(tmp_path):
    def at_second(event):
        return isinstance(event, events.Updated) and event.update == 2

    (first,), _ = learn_at_own_pace(tmp_path, at_second)
    (world,), learning = learn_at_own_pace(tmp_path)
    assert learning.ticks == CONFIG.ticks_per_iteration
    assert world.seed == first.seed + 1 and world.total > 0


def test_returns_of_an_evaluation_are_of_the_run_s_reward(tmp_path):
    given = tools(tmp_path, None, make_env=make_env)
    wanted = RLInterface(observation=("rays",), reward=RewardTerms(success=100.0))
    config = Learning(CONFIG, given).evaluated_with(stage(wanted))
    assert config.reward == RL.reward and config.observation == ("rays",)


CODE = "def {}(obs):\n    yield forward()\n"
FATES = tuple(Fate(name, kind, source=CODE.format(name)) for name, kind in
              (("begin", "code"), ("hop", "macro"), ("run", "macro")))  # fmt: skip


@pytest.mark.parametrize(
    ("macros", "offered"),
    [(None, (False, True, True)), (("run",), (False, False, True)), ((), (False, False, False))],
)
def test_an_interface_says_which_macros_are_offered(macros, offered):
    wanted = RLInterface(macros=macros, primitives=("forward", "turn_left"))
    language = Language(tick_limit=50)
    space = make_space(place(FATES, ()), FATES, False, language, interface=wanted)
    assert space.offered[:3] == offered and space.script == (1,)
    assert space.primitives == ("forward", "turn_left")
    alone = make_space((), (), False, Language(tick_limit=50), interface=wanted)
    assert alone.primitives == ("forward", "turn_left") and not alone.uses_macros


def test_the_training_task_is_the_task_with_what_is_set():
    task = get_task("harvest_milk")
    assert training_task(task, TrainingTask()) == task
    wanted = TrainingTask("wool", 2, 90, 4, (("shears", 1),))
    got = training_task(task, wanted)
    assert (got.goal_item, got.goal_quantity, got.horizon) == ("wool", 2, 90)
    assert got.mob_range == (4, 4) and got.start_items == (("shears", 1),)
    assert (got.mobs, got.biome, got.sources) == (task.mobs, task.biome, task.sources)
    placed = get_task("get_crafting_table_nearby")
    assert not training_task(placed, TrainingTask(goal_item="log")).nearby
    assert training_task(placed, TrainingTask(horizon=50)).nearby
    stages = get_task("obtain_diamond")
    assert training_task(stages, TrainingTask(goal_item="log")).stages == ()


def test_what_agents_are_told_of_the_run_s_own_training():
    task, told = get_task("harvest_milk"), given(get_task("harvest_milk"), RL)
    assert told.reward.targets == ("cow",) and told.reward.success == RL.reward.success
    assert (told.mobs, told.mob_range, told.start_items) == (("cow",), 10, task.start_items)
    assert told.ticks_per_update == 8 * 16 and told.gamma == RL.ppo.gamma


def test_a_stage_without_an_interface_is_the_run_s_own_training():
    assert Stage(0, empty_space()).interface == learning.DEFAULT
    assert RL.set_up(Stage(0, empty_space()).interface) == RL
    assert np.array_equal(RL.observation, RL.set_up(RLInterface()).observation)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("network", "cold"), [("best", False), ("fresh", False), (None, False), ("last", True)]
)
def test_an_interface_says_which_network_training_goes_on_with(
    network, cold, tmp_path, monkeypatch
):
    """But where every iteration is to begin from nothing it does. It trains in the world whose
    episodes it began, though the network is of an iteration with other episodes."""
    begun, started = [], []

    def noted(world, space, config, learner, *args, **named):
        begun.append(learner)
        assert not started or world is started[-1]
        return train(world, space, config, learner, *args, **named)

    def carried(old, world, *args):
        started.append(world)
        return carry_over(old, world, *args)

    monkeypatch.setattr(learning, "train", noted)
    monkeypatch.setattr(learning, "carry_over", carried)
    given = tools(tmp_path, None, make_env=make_env)
    made = Learning(dataclasses.replace(CONFIG, warm_start=not cold), given)
    short = RLInterface(ticks=128, task=TrainingTask(horizon=30))
    first, longer = stage(short), dataclasses.replace(short, task=TrainingTask(horizon=50))
    second = dataclasses.replace(first, iteration=1, before=first, begins=first, interface=longer)
    third = dataclasses.replace(
        second, iteration=2, before=second, begins=first if network == "best" else second,
        interface=dataclasses.replace(longer, network=network),
    )  # fmt: skip
    for part in (first, second, third):
        made.train_and_evaluate(part)
    assert [int(learner.ticks) for learner in begun] == [0, 128, 256]
    told = "It began with the network of iteration 1." in made.trained(third)
    assert told == (network == "best")
    if network == "fresh" or cold:
        old = (first, second)
        assert not any(same(begun[2].params, made.params(part)) for part in old)
    else:
        assert_same_bits(begun[2].params, made.params(first if network == "best" else second))


def same(a, b) -> bool:
    return all(map(np.array_equal, jax.tree.leaves(a), jax.tree.leaves(b)))
