"""Fixed programs that craft one item or put down a station, in the macro language.

For who crafts without a language model: the skills of a searched plan and automatic crafting.
They read what macros of every sensor level read, and call no other skill.
"""

from rlgpt_jax.envs.plan.skill_graph import CRAFT, PLACE, Graph, Skill, skills_of
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.macros.limits import MAX_MACROS

# A station that is carried goes on the ground before the feet, in one of four directions. At most
# 20 ticks.
_PLACE = """\
    for _ in range(4):
        if obs.near("{station}"):
            break
        obs = yield turn(pitch=45 - obs.pitch)
        obs = yield place("{station}")
        if not obs.near("{station}"):
            obs = yield turn(yaw=90)
"""


def names_of(task: Task) -> tuple[str, ...]:
    """The skills of a task that craft or place.

    Raises:
      Missing: there is no way to its goal.
      ValueError: they are more programs than there are slots.
    """
    names = tuple(skill.name for skill in skills_of(task) if skill.kind in (CRAFT, PLACE))
    if len(names) > MAX_MACROS:
        raise ValueError(f"{task.name} takes {len(names)} crafts; at most {MAX_MACROS} fit.")
    return names


def source_of(skill: Skill, graph: Graph) -> str:
    """The program of a skill that places, or crafts by one recipe.

    What something of `graph` is harvested with goes into the hand.
    """
    text = f"def {skill.name}(obs):\n"
    station = skill.item if skill.kind == PLACE else skill.station
    if station:
        text += _PLACE.format(station=station)
    if skill.kind == PLACE:
        return text
    text += f'    obs = yield craft("{skill.item}")\n'
    return text + (f'    obs = yield equip("{skill.item}")\n' if skill.item in graph.hands else "")
