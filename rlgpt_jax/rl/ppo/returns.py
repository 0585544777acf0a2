"""SMDP returns: advantages of decisions in a trajectory that is recorded tick by tick."""

import chex
import jax
import jax.numpy as jnp


def smdp_gae(
    reward_t: jax.Array,
    discount_t: jax.Array,
    decision_t: jax.Array,
    terminated_t: jax.Array,
    truncated_t: jax.Array,
    value_t: jax.Array,
    final_value_t: jax.Array,
    lambda_: float,
) -> tuple[jax.Array, jax.Array]:
    """Generalised advantage estimates of the decisions of one lane.

    A decision at tick t holds until the next one at tick t + k, or until its episode ends
    after k ticks:

        R = sum over i < k of gamma^i reward_{t+i}
        delta = R + gamma^k v' - value_t
        A = delta + lambda gamma^k A'

    v' is the value of the next decision with A' its advantage; 0 if the episode
    terminated; `final_value` if it was truncated; in the last two cases A' = 0. The last
    decision is open if neither follows: what it will earn is not known yet, so it has no
    advantage, and the one before it has A' = 0. With a decision at every tick this is the
    ordinary GAE.

    Source: Schulman et al. 2016, https://arxiv.org/abs/1506.02438, section 3, with the
    options of Sutton, Precup, Singh 1999, section 3.

    Args:
      reward_t: float32[T], of every tick.
      discount_t: float32[T], gamma; or gamma^k with `reward_t` the R of k ticks in one.
      decision_t: bool[T], the policy decided at this tick.
      terminated_t, truncated_t: bool[T], the episode ended after this tick.
      value_t: float32[T], used where `decision_t`.
      final_value_t: float32[T], value of the last observation, used where `truncated_t`.
      lambda_: decay per decision.

    Returns:
      float32[T]: advantages, 0 where there is none; bool[T]: the decisions that are over.
    """
    ticks = (reward_t, discount_t, decision_t, terminated_t, truncated_t, value_t, final_value_t)
    chex.assert_rank(ticks, 1)
    chex.assert_equal_shape(ticks)

    def backward(ahead, tick):
        # Seen from the end of this tick: whether it is known what stands there, reward until
        # then, discount of what stands there (0 after termination), its value and advantage.
        known, total, discount, value, advantage = ahead
        reward, gamma, decision, terminated, truncated, own_value, final_value = tick
        ended = terminated | truncated
        known = known | ended
        total = reward + gamma * jnp.where(ended, 0.0, total)
        discount = gamma * jnp.where(terminated, 0.0, jnp.where(truncated, 1.0, discount))
        value = jnp.where(truncated, final_value, value)
        advantage = jnp.where(ended, 0.0, advantage)
        own = total + discount * value - own_value + lambda_ * discount * advantage
        is_over = decision & known
        own = jnp.where(is_over, own, 0.0)
        ahead = (
            known | decision,
            jnp.where(decision, 0.0, total),
            jnp.where(decision, 1.0, discount),
            jnp.where(decision, own_value, value),
            jnp.where(decision, own, advantage),
        )
        return ahead, (own, is_over)

    zero = jnp.zeros((), value_t.dtype)
    start = (jnp.zeros((), bool), zero, zero, zero, zero)
    _, (advantage_t, is_over_t) = jax.lax.scan(backward, start, ticks, reverse=True)
    return advantage_t, is_over_t
