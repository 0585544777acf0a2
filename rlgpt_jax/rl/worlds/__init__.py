"""What a policy sees, does and is rewarded for in a family of worlds: the seam of `rl`.

Drivers, PPO and checkpoints ask `of(network)` and know no world. `Minecraft` and `Specified` have
the same methods, a field each where the answer is data. They are hashable and, as parts of trees,
have no leaves: what compiled programs are made for.
"""

from rlgpt_jax.rl.config import NetworkConfig
from rlgpt_jax.rl.worlds.minecraft import Minecraft
from rlgpt_jax.rl.worlds.specified import Specified

PolicyWorld = Minecraft | Specified


def of(network: NetworkConfig) -> PolicyWorld:
    """The world that networks are for."""
    return Specified(network.spec) if network.spec else Minecraft(network.remembers)
