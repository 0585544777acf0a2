"""What a tick meant for the task: reward, success, death and time, judged by the bridge itself.

MineDojo has no time limit, does not end an episode at death, and tells the reward of the last
of three ticks alone; so all is worked out from what is carried before and after.
"""

from typing import NamedTuple

from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.minedojo.damage import Facts
from rlgpt_jax.envs.tasks.tasks import Task


class Verdict(NamedTuple):
    """Of one tick of one lane."""

    reward: float
    terminated: bool
    truncated: bool
    success: bool


def carried(facts: Facts, item: str) -> int:
    """Pieces of an item, all variants, worn ones too."""
    return sum(quantity for name, quantity in facts["inventory"] if name == item)


class Episode:
    """The counters of one episode."""

    def __init__(self, task: Task, facts: Facts):
        """Begins at the facts of the first observation."""
        self._task, self._facts = task, facts
        self._goal_start = carried(facts, task.goal_item)
        self._deaths = facts.get("deaths")
        self._stages: set[str] = set()
        self.tick = 0

    def idle(self) -> Verdict:
        """A tick in which the client did nothing more."""
        self.tick += 1
        return Verdict(0.0, False, self.tick >= self._task.horizon, False)

    def judge(self, obs: Observation, facts: Facts, success: bool) -> Verdict:
        """The tick that led to `obs` and `facts`.

        The reward is the change of the goal item's count; for a station to be placed it is 1
        at success; in a task of stages it is 1 for each item whose count grows for the first
        time. `success` is what MineDojo itself found.
        """
        before, self._facts = self._facts, facts
        self.tick += 1
        task = self._task
        now = carried(facts, task.goal_item)
        reward = float(now - carried(before, task.goal_item))
        success = success or now - self._goal_start >= task.goal_quantity
        if task.nearby:
            is_table = task.goal_item == "crafting_table"
            success = bool(obs.near_table if is_table else obs.near_furnace)
            reward = float(success)
        if task.stages:
            grown = {item for item in task.stages if carried(facts, item) > carried(before, item)}
            reward = float(len(grown - self._stages))
            self._stages |= grown
        terminated = success or self._is_dead(obs, facts)
        return Verdict(reward, terminated, self.tick >= task.horizon and not terminated, success)

    def _is_dead(self, obs: Observation, facts: Facts) -> bool:
        """Also where the game has revived the player within the ticks of one action."""
        died = facts.get("is_dead") or facts.get("living_death_event_fired")
        more = self._deaths is not None and (facts.get("deaths") or 0) > self._deaths
        return bool(died or more or obs.life <= 0)
