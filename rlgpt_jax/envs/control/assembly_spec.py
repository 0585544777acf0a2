"""Words of Meta-World's assembly-v3 and peg-insert-side-v3, and skills in the macro language."""

from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec

AXES = (("x", "to the right", -0.55, 0.55), ("y", "forward", 0.3, 1.05), ("z", "up", 0.0, 0.5))
MOVE_STEPS, GRIP_STEPS = 100, 20
PLACE = "Meta-World, in place of furniture assembly"


def _place(name: str, meaning: str, level: str = "full") -> tuple[Field, ...]:
    """Of the hand the joints tell it; of all else a camera would have to."""
    return tuple(
        Field(f"{name}_{a}", f"{a} of {meaning}, + {to}, m", lo, hi, level)
        for a, to, lo, hi in AXES
    )


ACTION = Action(
    "move",
    "moves the hand's target by dx, dy, dz centimetres, at most 1 cm along each axis; grip 1 "
    "closes the fingers with full force, -1 opens them",
    tuple(Argument(name, -1.0, 1.0, 0.0) for name in ("dx", "dy", "dz", "grip")),
)

SKILLS = (
    ("move_to", f'''
def move_to(obs, x, y, z):
    """Moves the hand to a point (metres) on a straight line, to 1 cm, with the fingers' force as
    it was, in at most {MOVE_STEPS} steps (about 1 cm a step); returns the newest observation.
    """
    for _ in range({MOVE_STEPS}):
        dx = x - obs.hand_x
        dy = y - obs.hand_y
        dz = z - obs.hand_z
        if max(abs(dx), abs(dy), abs(dz)) < 0.01:
            break
        obs = yield move(10 * dx, 10 * dy, 10 * dz, obs.grip)
    return obs
'''),
    ("grasp", f'''
def grasp(obs):
    """Closes the fingers in {GRIP_STEPS} steps, and later moves keep them closed; returns the
    newest observation.
    """
    for _ in range({GRIP_STEPS}):
        obs = yield move(0, 0, 0, 0.8)
    return obs
'''),
    ("release", f'''
def release(obs):
    """Opens the fingers in {GRIP_STEPS} steps, and later moves keep them open; returns the newest
    observation.
    """
    for _ in range({GRIP_STEPS}):
        obs = yield move(0, 0, 0, -1)
    return obs
'''),
)  # fmt: skip

_NOTES = (
    "A Sawyer arm with two fingers stands at a table; its hand points down and does not turn. x "
    "is to the right, y forward, z up; metres. A step is 0.0125 s and an episode 500 steps. "
    "(Meta-World's task stands in the place of the furniture assembly environment, which can no "
    "longer be installed.) {object}"
)


def _task(
    name: str, env: str, words: str, about: str, part: tuple[str, str], goal: str, success: str
) -> ControlTask:
    spec = WorldSpec(
        name=name,
        fields=(
            *_place("hand", "the hand", "paper"),
            Field("opening", "how far the fingers are apart, 1 is open", 0.0, 1.0),
            Field("grip", "the fingers' last commanded force, 1 closes", -1.0, 1.0),
            *_place("object", "the place where the object can be grasped"),
            *_place(*part),
            *_place("goal", goal),
            Field("hand_distance", "from the hand to the object, m", 0.0, 0.5, "full"),
            Field("goal_distance", f"from the {part[0]} to the goal, m", 0.0, 0.8, "full"),
        ),
        actions=(ACTION,),
        primitive="move",
        skills=SKILLS,
        notes=_NOTES.format(object=about),
        progress=(("hand_distance", -2.0), ("goal_distance", -4.0)),
        facts=("hand_distance", "goal_distance", "object_z", "opening"),
        step_seconds=0.0125,
    )
    return ControlTask(
        name=name,
        words=f"{words} ({PLACE})",
        spec=spec,
        horizon=500,
        success=success,
        simulator="rlgpt_jax.envs.control.assembly.Assembly",
        packages=("mujoco", "metaworld"),
        place=PLACE,
        options=(("env", env), ("part", part[0])),
        ticks_per_iteration=40_000,
    )


TASKS = (
    _task(
        "assembly",
        "assembly-v3",
        "pick up the wrench and put its ring over the peg",
        "A wrench lies on the table: a handle, and on its left end a ring. It lies along x and is "
        "grasped at the handle from above. The peg stands upright; its top is the goal.",
        ("ring", "the middle of the wrench's ring"),
        "the top of the peg",
        "the ring's middle within 2 cm of the peg in x and y, and below its top (info['success'])",
    ),
    _task(
        "peg_insert_side",
        "peg-insert-side-v3",
        "pick up the peg and push its head into the hole in the side of the box",
        "A peg lies on the table along x with its head to the left. A box stands on the left; in "
        "its right side is a hole, and the goal is inside of it, behind that side.",
        ("head", "the head of the peg"),
        "the goal of the head, in the box",
        "the head within 7 cm of the goal, y and z counting twice (info['success'])",
    ),
)
