"""SMDP returns: advantages of decisions in a trajectory that is recorded tick by tick."""

import chex
import jax
import jax.numpy as jnp


def smdp_gae(
    reward_t: jax.Array,
    decision_t: jax.Array,
    terminated_t: jax.Array,
    truncated_t: jax.Array,
    value_t: jax.Array,
    final_value_t: jax.Array,
    last_value: jax.Array,
    gamma: float,
    lambda_: float,
) -> jax.Array:
    """Generalised advantage estimates of the decisions of one lane.

    A decision at tick t holds until the next one at tick t + k, or until its episode or
    the rollout ends after k ticks:

        R = sum over i < k of gamma^i reward_{t+i}
        delta = R + gamma^k v' - value_t
        A = delta + lambda gamma^k A'

    v' is the value of the next decision with A' its advantage; 0 if the episode
    terminated; `final_value` if it was truncated; `last_value` if the rollout ends. In
    the last three cases A' = 0. Ticks before the first decision (a macro that began in
    the rollout before) belong to no row. With a decision at every tick this is the
    ordinary GAE.

    Source: Schulman et al. 2016, https://arxiv.org/abs/1506.02438, section 3, with the
    options of Sutton, Precup, Singh 1999, section 3.

    Args:
      reward_t: float32[T], of every tick.
      decision_t: bool[T], the policy decided at this tick.
      terminated_t, truncated_t: bool[T], the episode ended after this tick.
      value_t: float32[T], used where `decision_t`.
      final_value_t: float32[T], value of the last observation, used where `truncated_t`.
      last_value: float32[], value of the observation after the last tick.
      gamma: discount per tick.
      lambda_: decay per decision.

    Returns:
      float32[T]: advantages, 0 where there is no decision.
    """
    ticks = (reward_t, decision_t, terminated_t, truncated_t, value_t, final_value_t)
    chex.assert_rank(ticks, 1)
    chex.assert_equal_shape(ticks)

    def backward(ahead, tick):
        # Seen from the end of this tick: reward until the next decision, discount of
        # what stands there (0 after termination), its value and its advantage.
        total, discount, value, advantage = ahead
        reward, decision, terminated, truncated, own_value, final_value = tick
        ended = terminated | truncated
        total = reward + gamma * jnp.where(ended, 0.0, total)
        discount = gamma * jnp.where(terminated, 0.0, jnp.where(truncated, 1.0, discount))
        value = jnp.where(truncated, final_value, value)
        advantage = jnp.where(ended, 0.0, advantage)
        own = total + discount * value - own_value + lambda_ * discount * advantage
        ahead = (
            jnp.where(decision, 0.0, total),
            jnp.where(decision, 1.0, discount),
            jnp.where(decision, own_value, value),
            jnp.where(decision, own, advantage),
        )
        return ahead, jnp.where(decision, own, 0.0)

    zero, one = jnp.zeros_like(last_value), jnp.ones_like(last_value)
    _, advantage_t = jax.lax.scan(backward, (zero, one, last_value, zero), ticks, reverse=True)
    return advantage_t
