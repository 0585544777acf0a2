"""Skills that follow each other in a lane, in a corridor where logs turn up on the way."""

import dataclasses

import jax
import numpy as np
import pytest

from rlgpt_jax.envs import base
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import link
from rlgpt_jax.rl.actions import MAX_MACROS, HybridSpace, empty_space
from rlgpt_jax.rl.chain import chain as chains
from rlgpt_jax.rl.chain import rule
from rlgpt_jax.rl.chain.evaluate import ChainReport, evaluate_chain
from rlgpt_jax.rl.chain.rule import Begun, Goal
from rlgpt_jax.rl.chain.skills import Chain, Skill, prepare
from rlgpt_jax.rl.interface import OBSERVATION_PARTS
from rlgpt_jax.rl.networks import actor_critic
from rlgpt_jax.rl.rollout.rollout_host import start_lanes
from tests.corridor import HostCorridor
from tests.rl.macros_test import BACK, make_space
from tests.rl.small import CONFIG

NONE: frozenset[str] = frozenset()
LOGS = Goal("logs", "log", 3, (), 50, True)
PLANKS = Goal("planks", "planks", 12, (("log", 3),), 20, False)
TABLE = Goal("table", "crafting_table", 1, (("planks", 4),), 20, False)
STICKS = Goal("sticks", "stick", 2, (("planks", 2),), 20, False)
PICKAXE = Goal(
    "pickaxe", "wooden_pickaxe", 1, (("planks", 3), ("stick", 2), ("crafting_table", 1)), 30, False
)
GOALS = (LOGS, PLANKS, TABLE, STICKS, PICKAXE)


@pytest.mark.parametrize(
    ("held", "near", "name"),
    [
        ({}, NONE, "logs"),
        ({"log": 2}, NONE, "logs"),
        ({"log": 3}, NONE, "planks"),
        ({"planks": 12}, NONE, "sticks"),  # the first need of the goal that is not held
        ({"planks": 10, "stick": 4}, NONE, "table"),
        ({"planks": 6, "stick": 4, "crafting_table": 1}, NONE, "pickaxe"),
        ({"planks": 6, "stick": 4}, frozenset({"crafting_table"}), "pickaxe"),  # placed, near
        ({"planks": 6, "stick": 4}, frozenset({"furnace"}), "table"),
        ({"planks": 2, "crafting_table": 1}, NONE, "logs"),  # 3 planks are needed at first
        ({"planks": 2, "crafting_table": 1, "log": 3}, NONE, "planks"),
    ],
)
def test_the_skill_is_the_first_that_can_begin_backward_from_the_goal(held, near, name):
    assert GOALS[rule.pick(GOALS, held, near)].name == name


def test_without_a_way_the_last_skill_is_picked():
    goals = (LOGS, Goal("end", "bed", 1, (("wool", 3),), 9, True))
    assert rule.pick(goals, {"log": 1}, NONE) == 1
    # The maker's goal is met, but more than that is needed.
    goals = (LOGS, Goal("end", "bed", 1, (("log", 5),), 9, True))
    assert rule.pick(goals, {"log": 3}, NONE) == 1


def over(index, ticks, held, could=True, reached=True):
    begun = Begun(ticks, could, GOALS[index].quantity)
    return rule.is_over(GOALS, index, begun, held, NONE, lambda *_: reached)


def test_a_skill_is_left_when_its_goal_is_met_or_lost_or_its_time_is_over():
    assert not over(0, 49, {"log": 2}) and over(0, 50, {"log": 2})
    assert over(0, 1, {"log": 3})
    assert over(1, 1, {}, reached=False)
    assert not over(1, 1, {}, could=False, reached=False)  # it could not from the beginning
    assert not over(4, 1, {"wooden_pickaxe": 1})  # of the task's goal the world tells


class LogCorridor(HostCorridor):
    """From z = 4 on the agent holds a log; the end is as before."""

    def _with_log(self, obs):
        names, quantities = np.array(obs.slot_name), np.array(obs.slot_quantity)
        has = obs.position[:, 2] >= 4
        names[:, 2], quantities[:, 2] = np.where(has, NAME_ID["log"], 0), has
        return obs._replace(slot_name=names, slot_quantity=quantities)

    def reset(self, seed):
        return self._with_log(super().reset(seed))

    def step(self, action):
        step = super().step(action)
        self.actions = [*getattr(self, "actions", []), np.array(action)]
        return step._replace(obs=self._with_log(step.obs), final_obs=self._with_log(step.final_obs))


def space(source: str, repeat: bool, script=(1,), offered=(), **changes) -> HybridSpace:
    name = source[4 : source.index("(")]
    return HybridSpace(
        macros=link([parse_macro(source, name)]), names=(name, *[""] * (MAX_MACROS - 1)),
        offered=tuple(i in offered for i in range(1, MAX_MACROS + 1)), script=script,
        repeat_script=repeat, **changes,
    )  # fmt: skip


WALK = "def walk(obs):\n    for _ in range(2):\n        obs = yield forward()\n"
RUN = "def run(obs):\n    for _ in range(3):\n        obs = yield forward()\n"


def coded(goal: Goal, source: str) -> Skill:
    return Skill(goal, space(source, repeat=True), OBSERVATION_PARTS, None)


def chain_of(*skills: Skill, reach=lambda *_: True) -> Chain:
    return Chain(skills, ("log", "milk_bucket", "bucket"), reach)


FIND = Goal("find", "log", 1, (), 30, False)
FINISH = Goal("finish", "milk_bucket", 1, (("log", 1),), 30, False)


def play(world, chain, num_ticks, seed=0):
    """Ticks of a chain from a reset: results and the lanes before each of them."""
    prepared = prepare(chain, CONFIG, world.goal_names)
    obs = world.reset(seed)
    now = chains.start(chain, start_lanes(prepared.whole.reward, obs))
    seen = []
    for index in range(num_ticks):
        result = chains.tick(world, prepared, now, obs, jax.random.key(seed), index)
        seen.append((obs, result))
        now, obs = result.after, result.step.obs
    return seen


def test_lanes_change_skills_when_their_own_goal_is_met():
    chain = chain_of(coded(FIND, WALK), coded(FINISH, RUN))
    seen = play(LogCorridor(num_envs=4), chain, 12)
    changed = set()
    for obs, result in seen:
        has = np.asarray(obs.position)[:, 2] >= 4
        # A lane whose macro goes on keeps its skill; free lanes are in the skill of the rule.
        began = np.flatnonzero(result.began)
        assert (result.skill[began] == has[began]).all()
        changed |= {(int(lane), int(result.skill[lane])) for lane in began}
    assert {skill for _, skill in changed} == {0, 1}
    # In the tick in which the log is there, or at the end of the macro under way (2 ticks).
    labels = {label for _, result in seen for label in result.labels}
    assert labels == {"walk", "run", chains.OPENING, "nothing"}


@pytest.mark.slow
def test_a_macro_that_ends_leaves_no_idle_tick():
    world = LogCorridor(num_envs=2)
    play(world, chain_of(coded(Goal("only", "milk_bucket", 1, (), 30, False), WALK)), 6)
    assert all((action[:, base.MOVE] == 1).all() for action in world.actions)


def learned(goal: Goal, **changes) -> Skill:
    params = actor_critic.init_params(CONFIG.network, jax.random.key(3))
    params = jax.tree.map(lambda x: 10 * x, params)  # far from indifferent
    return Skill(goal, changes.pop("space", empty_space()), changes.pop("seen", OBSERVATION_PARTS),
                 params)  # fmt: skip


def test_a_script_runs_once_per_start_of_its_skill():
    once = learned(Goal("only", "milk_bucket", 1, (), 8, True), space=space(WALK, repeat=False))
    seen = play(HostCorridor(num_envs=3), chain_of(once), 20)
    labels = [result.labels[0] for _, result in seen]
    began = [i for i, (_, result) in enumerate(seen) if result.began[0]]
    assert began[:3] == [0, 8, 16]  # its time limit starts it anew
    for start in began:
        assert labels[start : start + 2] == ["walk", "walk"]
        assert "walk" not in labels[start + 2 : start + 8]


@pytest.mark.slow
def test_the_leads_of_a_skill_take_turns_and_begin_again_with_it():
    """Of two ticks each, with an indifferent policy."""
    goal = Goal("only", "milk_bucket", 1, (), 14, True)
    params = actor_critic.init_params(CONFIG.network, jax.random.key(3))
    skill = Skill(goal, make_space(WALK, BACK, lead=(1, 2)), OBSERVATION_PARTS, params)
    seen = play(HostCorridor(num_envs=16, length=99), chain_of(skill), 28)
    labels = np.array([result.labels for _, result in seen])
    expected = [("walk", "back_off")[i % 14 // 2 % 2] for i in range(28)]
    alike = (labels == np.array(expected)[:, None]).all(axis=0)
    assert alike.sum() >= 8  # of 16 lanes: in 14 decisions a few leave what leads


def test_positions_and_targets_count_from_the_start_of_a_skill():
    find = dataclasses.replace(coded(FIND, WALK), targets=("log",))  # which no ray ever meets
    chain = chain_of(find, learned(FINISH))
    seen = play(LogCorridor(num_envs=4), chain, 10)
    before = chains.start(
        chain, start_lanes(prepare(chain, CONFIG, ("cow",)).whole.reward, seen[0][0])
    ).lanes
    for obs, result in seen:
        now = result.after.lanes
        for lane in range(4):
            if result.episodes.done[lane]:
                continue
            begins = result.began[lane]
            expected = obs.position[lane] if begins else before.start[lane]
            np.testing.assert_array_equal(now.start[lane, :3], expected[:3])
            assert np.isfinite(now.start[lane, 6]) == (result.skill[lane] == 1)
        before = now


def test_parts_that_an_interface_leaves_out_do_not_change_what_a_skill_does():
    def labels(seen_parts, bucket):
        world = HostCorridor(num_envs=4)
        step = world.step

        def with_items(action):
            result = step(action)
            obs = result.obs._replace(slot_quantity=result.obs.slot_quantity * bucket)
            return result._replace(obs=obs)

        world.step = with_items
        skill = learned(Goal("only", "milk_bucket", 2, (), 99, True), seen=seen_parts)
        return [result.labels for _, result in play(world, chain_of(skill), 12)]

    blind = tuple(part for part in OBSERVATION_PARTS if part != "inventory")
    assert labels(blind, 1) == labels(blind, 4000)
    assert labels(OBSERVATION_PARTS, 1) != labels(OBSERVATION_PARTS, 4000)


def test_masks_are_those_of_the_lane_s_skill():
    still = HybridSpace(macros=empty_space().macros, primitives=("turn_left",))
    chain = chain_of(coded(FIND, WALK), learned(FINISH, space=still))
    seen = play(LogCorridor(num_envs=4), chain, 30)
    done = {result.labels[lane] for _, result in seen for lane in range(4)
            if result.skill[lane] == 1}  # fmt: skip
    assert done <= {"nothing", "turn_left", chains.OPENING} and "turn_left" in done


def test_each_skill_has_its_own_tick_limit():
    long = "def long(obs):\n    while True:\n        obs = yield noop()\n"
    chain = chain_of(
        Skill(Goal("only", "milk_bucket", 1, (), 30, False),
              space(long, repeat=True, tick_limit=5), OBSERVATION_PARTS, None)
    )  # fmt: skip
    seen = play(HostCorridor(num_envs=2), chain, 12)
    ends = [i for i, (_, result) in enumerate(seen)
            for part in result.ran if (np.asarray(part.act.macro.ended) > 0).any()]  # fmt: skip
    assert ends == [5, 10]


def test_a_skill_begins_with_its_first_need_in_the_hand_and_a_level_view():
    goal = Goal("only", "milk_bucket", 1, (("log", 1),), 30, True)
    chain = chain_of(learned(goal))
    world = LogCorridor(num_envs=2)
    obs = world.reset(0)
    names = np.array(obs.slot_name)
    names[:, 7] = NAME_ID["log"]
    quantities = np.array(obs.slot_quantity)
    quantities[:, 7] = 1
    obs = obs._replace(slot_name=names, slot_quantity=quantities,
                       pitch=np.array([44.0, 0.0], np.float32))  # fmt: skip
    prepared = prepare(chain, CONFIG, world.goal_names)
    now = chains.start(chain, start_lanes(prepared.whole.reward, obs))
    result = chains.tick(world, prepared, now, obs, jax.random.key(0), 0)
    np.testing.assert_array_equal(result.act.action[:, base.FUNCTION], base.FN_EQUIP)
    np.testing.assert_array_equal(result.act.action[:, base.SLOT_ARG], 7)
    np.testing.assert_array_equal(result.act.action[:, base.PITCH], [base.CAMERA_CENTRE - 3, 12])
    assert result.labels == [chains.OPENING] * 2 and not result.act.decided.any()
    held = obs._replace(equipment=np.full_like(obs.equipment, NAME_ID["log"]),
                        pitch=np.zeros(2, np.float32))  # fmt: skip
    again = chains.tick(world, prepared, now, held, jax.random.key(0), 0)
    assert again.act.decided.all()


def test_a_lane_does_not_depend_on_the_skills_of_the_others():
    skills = (coded(FIND, WALK), learned(FINISH))
    far = LogCorridor(num_envs=4)
    alone = [r.labels[0] for _, r in play(far, chain_of(*skills), 14, seed=5)]

    class Others(LogCorridor):
        """All lanes but the first hold a log from the beginning."""

        def _with_log(self, obs):
            obs = super()._with_log(obs)
            obs.slot_name[1:, 2], obs.slot_quantity[1:, 2] = NAME_ID["log"], 1
            return obs

    mixed = play(Others(num_envs=4), chain_of(*skills), 14, seed=5)
    assert len({tuple(r.skill) for _, r in mixed}) > 1
    assert [r.labels[0] for _, r in mixed] == alone


def test_a_report_tells_what_every_sub_task_came_to():
    chain = chain_of(coded(FIND, WALK), coded(FINISH, RUN))
    report = evaluate_chain(
        LogCorridor(num_envs=4), chain, CONFIG, 7, num_episodes=6, task="corridor", split="eval"
    )
    assert (report.whole.successes, report.whole.num_episodes) == (6, 6)
    find, finish = report.sub_tasks
    assert (find.reached, finish.reached) == (6, 6)
    assert find.mean_ticks + finish.mean_ticks == pytest.approx(report.whole.mean_ticks)
    assert (find.mean_starts, finish.mean_starts) == (1.0, 1.0)
    assert find.mean_tick < finish.mean_tick == pytest.approx(report.whole.mean_ticks)
    assert set(report.whole.action_ticks) == {"find: walk", "finish: start", "finish: run"}
    ends = report.whole.macro_ends
    assert ends["find: walk"]["returned"] >= 6 and ends["finish: run"]["interrupted"] > 0
    assert ChainReport.from_json(report.to_json()) == report


def test_a_sub_task_that_is_never_reached_is_told_so():
    stand = "def stand(obs):\n    yield noop()\n"
    chain = chain_of(coded(FIND, stand), coded(FINISH, RUN))
    report = evaluate_chain(
        LogCorridor(num_envs=4), chain, CONFIG, 7, num_episodes=4, task="corridor", split="eval"
    )
    assert report.whole.successes == 0
    find, finish = report.sub_tasks
    assert (find.reached, find.mean_tick, finish.mean_ticks) == (0, None, 0.0)
    assert find.mean_starts == 2.0  # 40 ticks, a limit of 30
    failures = report.whole.failures
    assert failures["episodes"] == {"dead_loop": 0, "other": 4}
    assert failures["last"]["other"] == {"find: stand": 4 * 40}
    assert failures["never_seen"] == 0 and "4 failed episodes" in report.whole.describe()


def test_a_search_picks_and_is_told_what_is_near_and_in_sight():
    """A find is left when the cow at the end of the corridor comes within 10 blocks."""
    find = Goal("find", "cow in sight", 1, (), 40, False)
    told = []

    def search(held, near):
        told.append(near)
        return int("a cow" in near)

    chain = Chain(
        (coded(find, WALK), coded(FINISH, RUN)), ("log",),
        lambda index, held, near: index != 0 or search(held, near) == 0, search,
        (("cow", "a cow"),), 10,
    )  # fmt: skip
    world = HostCorridor(num_envs=3, length=16)
    seen = play(world, chain, 12)
    for obs, result in seen:
        near = chains.sighted(obs, chain)[:, 0]
        began = result.began
        assert (result.skill[began] == near[began]).all()
    assert {frozenset(), frozenset({"a cow"})} == set(told)
    report = evaluate_chain(world, chain, CONFIG, 7, num_episodes=3, task="c", split="eval")
    found, finished = report.sub_tasks
    assert (found.reached, finished.reached) == (3, 3)
    assert 0 < found.mean_tick < finished.mean_tick


@pytest.mark.parametrize("searched", [True, False])
def test_with_a_search_a_goal_is_so_much_more_than_was_held(searched):
    get = Goal("get", "log", 1, (), 6, False)
    stand = "def stand(obs):\n    yield noop()\n"
    search = (lambda held, near: 0) if searched else None
    chain = Chain((coded(get, stand), coded(FINISH, RUN)), ("log",), lambda *_: True, search)
    world = LogCorridor(num_envs=2)
    world._with_log = lambda obs: obs._replace(
        slot_name=np.full_like(obs.slot_name, NAME_ID["log"]) * (np.arange(36) == 2),
        slot_quantity=np.ones_like(obs.slot_quantity) * (np.arange(36) == 2),
    )
    began = [i for i, (_, r) in enumerate(play(world, chain, 9)) if r.began[0] and r.skill[0] == 0]
    assert began == ([0, 6] if searched else [])
