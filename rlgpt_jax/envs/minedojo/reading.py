"""A worker's answer as what the bridge makes of it."""

from typing import NamedTuple

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.minedojo.batch import resized
from rlgpt_jax.envs.minedojo.convert import observation
from rlgpt_jax.envs.minedojo.damage import Facts
from rlgpt_jax.envs.minedojo.link import LinkClosed
from rlgpt_jax.envs.minedojo.request import Arrays, Header
from rlgpt_jax.envs.tasks.tasks import Task
from rlgpt_jax.envs.voxel.terrain.biomes import BIOME_INDEX


class Seen(NamedTuple):
    """One observation of one lane, without a batch axis."""

    arrays: Arrays  # as the client gave it
    facts: Facts
    obs: Observation
    success: bool  # what MineDojo itself found; False after a reset or a command


def read(
    header: Header,
    arrays: Arrays,
    task: Task,
    image_size: tuple[int, int] | None,
    before: Observation | None,
) -> Seen:
    """Reads the answer to a reset, a step or a command.

    Args:
      header: of the frame, with the facts.
      arrays: of the frame, the client's observation.
      task: its biome stands for one that is not known.
      image_size: height and width of the picture; None where there is none.
      before: the last observation, None at the start of an episode.

    Raises:
      LinkClosed: it is not what a worker says; who sends such an answer is of no more use.
    """
    try:
        facts = _checked(dict(header["facts"]))
        obs = observation(arrays, facts, BIOME_INDEX[task.biome], before)
        if obs.rgb is not None and image_size is not None:
            obs = obs._replace(rgb=resized(obs.rgb, image_size))
        return Seen(arrays, facts, obs, bool(header.get("success")))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise LinkClosed(f"its answer makes no sense: {type(error).__name__}: {error}") from error


def _checked(facts: Facts) -> Facts:
    """Facts whose numbers are numbers, so that judging them is safe."""
    deaths = facts.get("deaths")
    inventory = [(str(name), int(quantity)) for name, quantity in facts["inventory"]]
    return {**facts, "inventory": inventory, "deaths": None if deaths is None else int(deaths)}
