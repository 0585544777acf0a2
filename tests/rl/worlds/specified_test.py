"""A world with a spec: the whole of `rl` in a plane of 60 lines (`tests/plane.py`)."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from rlgpt_jax.envs.spec import Field
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, link
from rlgpt_jax.rl import checkpoint
from rlgpt_jax.rl.actions import HybridSpace, empty_space
from rlgpt_jax.rl.config import PPOConfig, RLConfig
from rlgpt_jax.rl.evaluate import moments
from rlgpt_jax.rl.evaluate.approach import Scene
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.report import EvalReport
from rlgpt_jax.rl.evaluate.trial import trial
from rlgpt_jax.rl.evaluate.trial_report import TrialReport, compare
from rlgpt_jax.rl.policy import Policy
from rlgpt_jax.rl.rollout import rollout_host
from rlgpt_jax.rl.train import carry_over, init_learner, train
from tests.plane import SPEC, Plane
from tests.rl import small
from tests.rl.small import assert_same_bits

CONFIG = dataclasses.replace(small.CONFIG, spec=SPEC)
ALONE = empty_space(SPEC)
# Its argument must be learnt: with the default it stays where it is.
GLIDE = """
def glide(obs, gain: (-1.0, 1.0) = 0.0):
    for i in range(5):
        obs = yield move(4 * gain * (obs.goal_x - obs.x), 4 * gain * (obs.goal_y - obs.y))
"""


def make_space(*sources: str, offered: bool = True, **fields) -> HybridSpace:
    programs = [parse_macro(source, None, spec=SPEC) for source in sources]
    rest = MAX_MACROS - len(programs)
    return HybridSpace(
        macros=link(programs), names=(*(p.name for p in programs), *[""] * rest),
        offered=(*[offered] * len(programs), *[False] * rest), spec=SPEC,
        arguments=(*(p.arguments for p in programs), *[()] * rest), **fields,
    )  # fmt: skip


def learned(space, ticks: int, config=CONFIG) -> Policy:
    env = Plane(spec=config.spec)
    learner = train(env, space, config, init_learner(env, space, config, 0), ticks)
    return Policy(learner.params, space, config)


def rate(policy: Policy) -> float:
    return evaluate(Plane(spec=policy.config.spec), policy, 5, num_episodes=64).success_rate


def test_ppo_alone_learns_to_reach_the_goal():
    assert rate(learned(ALONE, 6_000)) > 0.85


def test_a_macro_whose_argument_is_learnt_is_better_than_none():
    assert rate(learned(make_space(GLIDE), 1_536)) > 0.7 > 0.4 > rate(learned(ALONE, 1_536))


CHOICE = dataclasses.replace(SPEC, primitive="")


def test_a_world_without_a_continuous_primitive_has_a_choice_of_actions():
    config, space = dataclasses.replace(CONFIG, spec=CHOICE), empty_space(CHOICE)
    assert space.primitives == ("right", "left", "up", "down")  # the first, "stay", is always there
    space = dataclasses.replace(space, primitives=("right", "up"))
    policy = Policy(init_learner(Plane(spec=CHOICE), space, config, 0).params, space, config)
    report = evaluate(Plane(spec=CHOICE), policy, 5, num_episodes=8)
    assert set(report.action_counts) == {"stay", "right", "up"}


@pytest.mark.slow
def test_ppo_learns_to_choose_actions():
    config = dataclasses.replace(CONFIG, spec=CHOICE)
    assert rate(learned(empty_space(CHOICE), 5_000, config)) > 0.9


def test_a_resumed_run_gives_the_same_bits(tmp_path):
    space, env = make_space(GLIDE), Plane()
    learner = train(env, space, CONFIG, init_learner(env, space, CONFIG, 3), 2 * 256)
    checkpoint.save(tmp_path / "c", learner, env)
    other = Plane()
    restored = checkpoint.load(tmp_path / "c", other, space, CONFIG)
    assert_same_bits(restored, learner)
    straight = train(env, space, CONFIG, learner, 256)
    assert_same_bits(train(other, space, CONFIG, restored, 256), straight)


class Actions(Plane):
    """Keeps the actions that it was given."""

    def __init__(self, **fields):
        self.given: list[np.ndarray] = []
        super().__init__(**fields)

    def step(self, action):
        self.given.append(np.array(action))
        return super().step(action)


def roll(space):
    """One rollout of a fresh learner: the batch, and the actions float32[T, N, 3]."""
    world = Actions(horizon=1000, near=0.0)
    learner = init_learner(world, space, CONFIG, 0)
    policy = Policy(learner.params, space, CONFIG)
    batch = rollout_host.rollout_host(world, policy, learner.rollout, jax.random.key(0))[1]
    return batch, np.stack(world.given)


def test_numbers_are_squashed_and_one_that_is_left_out_stays_at_rest():
    batch, action = roll(dataclasses.replace(ALONE, primitives=("dy",)))
    np.testing.assert_array_equal(action[..., 0], 1.0)  # "move"
    np.testing.assert_array_equal(action[..., 1], 0.0)
    np.testing.assert_allclose(action[..., 2], np.tanh(batch.action.primitive[..., 1]), rtol=1e-5)


FAR = "def far(obs, way: (2.0, 4.0)):\n    for i in range(3):\n        yield move(way - 3, 0)\n"
WITH_DEFAULT = FAR.replace("(2.0, 4.0)", "(2.0, 4.0) = 3.5")


def test_a_macro_starts_with_the_arguments_that_were_chosen_and_keeps_them():
    batch, action = roll(make_space(FAR))
    starts = np.argwhere(batch.decision[:-2] & (batch.action.macro[:-2] == 1))
    assert len(starts) > 10
    for tick, lane in starts:
        way = np.tanh(batch.action.arguments[tick, lane, 0])  # 2..4 is -1..1
        np.testing.assert_allclose(action[tick : tick + 3, lane, 1], way, rtol=1e-4, atol=1e-6)
        assert not batch.decision[tick + 1 : tick + 3, lane].any()


def test_a_script_starts_macros_with_their_defaults():
    batch, action = roll(make_space(WITH_DEFAULT, script=(1,)))
    np.testing.assert_array_equal(action[:3, :, 1], 0.5)
    assert not batch.decision[0].any()


def test_the_arguments_of_a_lead_begin_near_their_defaults_and_are_chosen():
    batch, action = roll(make_space(WITH_DEFAULT, lead=(1,)))
    at = batch.action.macro[0] == 1
    assert at.sum() > 12 and batch.decision[0, at].all()
    way = np.tanh(batch.action.arguments[0, at, 0])
    np.testing.assert_allclose(action[0, at, 1], way, rtol=1e-4, atol=1e-6)
    assert 0.3 < way.mean() < 0.7 and 0.05 < way.std() < 0.4


def test_carry_over_forgets_the_arguments_of_changed_macros():
    space, env = make_space(GLIDE, FAR), Plane()
    learner = train(env, space, CONFIG, init_learner(env, space, CONFIG, 0), 512)
    after = carry_over(learner, env, space, (2,), CONFIG, seed=1)
    before, now = (x.params.actor["params"]["arguments"] for x in (learner, after))
    for old, new in zip(jax.tree.leaves(before), jax.tree.leaves(now), strict=True):
        np.testing.assert_array_equal(new[..., 4:8], 0.0)
        np.testing.assert_array_equal(new[..., :4], old[..., :4])


def test_a_report_tells_the_facts_and_the_moments_of_an_episode():
    recorder = Recorder((), SPEC)
    policy = Policy(init_learner(Plane(), ALONE, CONFIG, 0).params, ALONE, CONFIG)
    report = evaluate(Plane(), policy, 5, num_episodes=20, recorder=recorder)
    words = report.describe()
    assert "distance at the end of failed episodes: " in words and "dead loop" not in words
    assert "Most used: move" in words and "in sight" not in words
    failed = [e for e in report.episodes if not e.success]
    ends = [e.facts["distance"] for e in failed]
    facts = report.facts["failed"]["distance"]
    np.testing.assert_allclose([facts["mean"], facts["low"]], [np.mean(ends), min(ends)])
    assert facts["lowest"] <= facts["low"] and min(ends) > 0.25
    assert EvalReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    told = moments.choose(recorder.failure, "")
    assert any(m.why.startswith("distance is at its lowest") for m in told)
    assert told[0].does.startswith("move(dx=") and "distance" in told[-1].changed


def test_trials_begin_after_the_code_parts_or_where_a_state_was_saved():
    space = dataclasses.replace(make_space(GLIDE, FAR), script=(2,))
    found = trial(Plane(), space, 1, 3, 20)
    assert found.before == ("far",) and found.num_episodes == 20
    assert {e.ticks_before for e in found.episodes} == {3}
    assert "distance: " in found.describe() and "blocks" not in found.describe()
    assert TrialReport.from_json(json.loads(json.dumps(found.to_json()))) == found
    env = Plane()
    env.reset(9)
    state = env.save()
    again = trial(env, make_space(GLIDE), 1, 3, 8, Scene(state=state))
    starts = env.load(state).fields[:8, 4]
    np.testing.assert_allclose([e.facts["distance"][0] for e in again.episodes], starts)
    better = [dataclasses.replace(e, progress=e.progress + 1) for e in again.episodes]
    assert compare(again, dataclasses.replace(again, episodes=tuple(better)))[0]


def test_what_belongs_to_another_world_is_refused():
    with pytest.raises(ValueError, match="space.spec is of Minecraft"):
        init_learner(Plane(), empty_space(), CONFIG, 0)
    with pytest.raises(ValueError, match="config.spec is of Minecraft"):
        init_learner(Plane(), ALONE, RLConfig(ppo=PPOConfig(num_envs=16)), 0)
    with pytest.raises(ValueError, match="space.primitives names 'forward'; choose from dx, dy"):
        dataclasses.replace(ALONE, primitives=("forward",))
    for entry, named in (("primitive", "fly"), ("facts", ("far",)), ("progress", (("far", 1.0),))):
        with pytest.raises(ValueError, match=f"plane: {entry} is '(fly|far)'; it must be among"):
            dataclasses.replace(SPEC, **{entry: named})
    with pytest.raises(ValueError, match="plane: a level is 'Full'; it must be among"):
        dataclasses.replace(SPEC, fields=(*SPEC.fields, Field("far", "", level="Full")))
