"""The reward terms on hand-made observations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlgpt_jax.envs.base import Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.config import RewardConfig
from rlgpt_jax.rl.networks.target_memory import distances
from rlgpt_jax.rl.reward import rewards
from tests.corridor import Corridor

COW = ("cow",)
padded = lambda *names: rewards.padded_ids(names, 8)  # noqa: E731
PLAIN = RewardConfig(success=0.0, step_cost=0.0, distance=1.0)


def observe(distance: float | None, wool: int = 0) -> Observation:
    """One lane with a cow at `distance` on one ray, or no cow, and `wool` in slot 3."""
    env = Corridor(num_envs=1)
    _, obs = env.reset((), jax.random.key(0))
    cow = NAME_ID["cow"] if distance is not None else NAME_ID["none"]
    return obs._replace(
        ray_entity=jnp.full((1, 120), NAME_ID["none"]).at[0, 7].set(cow),
        ray_entity_distance=jnp.full((1, 120), 32.0).at[0, 7].set(distance or 32.0),
        slot_name=obs.slot_name.at[0, 3].set(NAME_ID["wool"] if wool else 0),
        slot_quantity=obs.slot_quantity.at[0, 3].set(wool),
    )


def step_to(obs: Observation, *, next_obs=None, done=False, success=False, reward=0.0) -> Step:
    flag = lambda x: jnp.array([x])  # noqa: E731
    return Step(
        next_obs or obs, flag(reward), flag(done), flag(False), obs,
        {"success": flag(success), "busy": flag(False)},
    )  # fmt: skip


def run(config: RewardConfig, first: Observation, steps: list[Step], goals=COW) -> list[float]:
    terms = rewards.make_arrays(config, goals)
    memory, out = rewards.start(terms, first), []
    for step in steps:
        reward, memory = rewards.score(terms, memory, step)
        out.append(float(reward[0]))
    return out


def test_distance_pays_for_the_new_minimum_and_nothing_for_the_first_sighting():
    distances = [None, 9.0, 7.0, 8.0, None, 6.5]
    got = run(PLAIN, observe(None), [step_to(observe(d)) for d in distances])
    # Nothing in sight; first sighting; 9 -> 7; away again; lost; 7 -> 6.5.
    np.testing.assert_allclose(got, [0.0, 0.0, 2.0, 0.0, 0.0, 0.5])


def test_a_goal_in_sight_at_the_start_counts_from_there():
    assert run(PLAIN, observe(9.0), [step_to(observe(8.0))]) == [1.0]


def test_the_minimum_belongs_to_one_episode():
    ended = step_to(observe(2.0), next_obs=observe(20.0), done=True)
    got = run(PLAIN, observe(5.0), [ended, step_to(observe(18.0))])
    np.testing.assert_allclose(got, [3.0, 2.0])


def test_a_goal_may_be_a_block():
    blocks = observe(None)
    near = blocks._replace(
        ray_block=blocks.ray_block.at[0, 3].set(NAME_ID["log"]),
        ray_block_distance=blocks.ray_block_distance.at[0, 3].set(4.0),
    )
    nearest = lambda *names: float(distances(near, padded(*names)).min())  # noqa: E731
    assert nearest("cow", "log") == 4.0
    assert np.isinf(nearest("cow")) and np.isinf(nearest())


def test_success_step_cost_environment_and_items_add_up():
    config = RewardConfig(
        success=10.0, step_cost=0.25, distance=0.0, environment=2.0, items=(("wool", 0.5),)
    )
    got = run(config, observe(None, wool=1), [
        step_to(observe(None, wool=3), reward=1.0),
        step_to(observe(None, wool=2), done=True, success=True),
    ])  # fmt: skip
    # -0.25 + 2 * 1 + 0.5 * 2 wool; then 10 - 0.25, and a lost wool costs nothing.
    np.testing.assert_allclose(got, [2.75, 9.75])


def test_an_unknown_goal_is_named():
    with pytest.raises(ValueError, match="cowww"):
        padded("cowww")
