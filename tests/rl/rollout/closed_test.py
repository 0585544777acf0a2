"""Constants of an environment become arguments and change nothing else."""

import copy

import jax
import jax.numpy as jnp
import numpy as np

from rlgpt_jax.envs.base import NOOP
from rlgpt_jax.rl.rollout.closed import close, close_world
from tests.corridor import Corridor
from tests.rl.small import assert_same_bits

TABLE = jnp.arange(100_000) % 7


def look_up(state, rounds):
    """A loop that reads the table, as a reset reads the pool of worlds."""
    body = lambda c: (c[0] + 1, c[1] + TABLE[c[0]])  # noqa: E731
    _, total = jax.lax.while_loop(lambda c: c[0] < rounds, body, (0, state["sum"]))
    return {"sum": total, "key": state["key"]}


STATE = {"sum": jnp.int32(1), "key": jax.random.key(3)}


def test_a_large_constant_leaves_the_program():
    closed = close(look_up, STATE, 9)
    direct = jax.jit(look_up).lower(STATE, 9).as_text()
    hoisted = jax.jit(closed).lower(closed.constants, STATE, 9).as_text()
    assert len(direct) > 100_000 > 10 * len(hoisted)
    assert_same_bits(closed(closed.constants, STATE, 9), look_up(STATE, 9))


def test_a_closed_world_steps_like_the_world():
    env = Corridor(num_envs=16)
    reset, step = close_world(env)
    state, obs = env.reset(jax.random.key(5))
    assert_same_bits(reset(reset.constants, jax.random.key(5)), (state, obs))
    action = jnp.tile(jnp.array(NOOP, jnp.int32), (16, 1)).at[:, 0].set(np.arange(16) % 3)
    assert_same_bits(step(step.constants, state, action), env.step(state, action))
    assert close_world(Corridor(num_envs=16)) is close_world(env)


class Limited(Corridor):
    """A corridor whose time limit is data."""

    def __init__(self, horizon: int):
        super().__init__(num_envs=4, length=99)
        object.__setattr__(self, "horizon", jnp.int32(horizon))

    @property
    def program(self):
        return "limited corridor", self.num_envs

    @property
    def arrays(self):
        return {"horizon": self.horizon}

    def bound(self, arrays):
        other = copy.copy(self)
        object.__setattr__(other, "horizon", arrays["horizon"])
        return other

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


def test_worlds_of_one_program_share_what_is_compiled_and_keep_their_own_data():
    short, long = Limited(2), Limited(5)
    compiled, lengths = jax.jit(lambda step, *args: step(*args), static_argnums=0), []
    for env in (short, long):
        reset, step = close_world(env)
        state, _ = reset(reset.constants, jax.random.key(0))
        action = jnp.tile(jnp.array(NOOP, jnp.int32), (4, 1))
        for tick in range(1, 9):
            state, result = compiled(step, step.constants, state, action)
            if bool(result.truncated.all()):
                lengths.append(tick)
                break
    assert lengths == [2, 5] and compiled._cache_size() == 1
