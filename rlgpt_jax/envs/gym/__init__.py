"""The embedded world for gymnasium.

    from rlgpt_jax.envs import gym
    env = gym.make("harvest_milk")              # gymnasium.Env
    envs = gym.make_vec("harvest_milk", 16)     # gymnasium.vector.VectorEnv

Importing this package registers every task, so that this works too:

    gymnasium.make("rlgpt/harvest_milk-v0")                       # after the import
    gymnasium.make("rlgpt_jax.envs.gym:rlgpt/harvest_milk-v0")    # which imports it

Observations, actions, reward and `info`: docs/gym.md. `Flat` makes a vector and a number of
observation and action, for learners that take nothing else.

The first step compiles the world, which takes up to a minute; with the environment
variable JAX_COMPILATION_CACHE_DIR set to a folder, later processes find it there.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as error:
    raise ImportError(
        "rlgpt_jax.envs.gym needs gymnasium. Install it with: pip install 'rlgpt_jax[gym]'."
    ) from error

from rlgpt_jax.envs.gym.flat import Flat as Flat
from rlgpt_jax.envs.gym.making import make as make
from rlgpt_jax.envs.gym.making import make_vec as make_vec
from rlgpt_jax.envs.gym.making import register as register

register()
