"""Words of FrankaKitchen-v1, one task each, and its skills in the macro language."""

from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec

# Radians, as the environment clips them.
JOINT_RANGES = (
    (-2.9, 2.9), (-1.8, 1.8), (-2.9, 2.9), (-3.1, 0.0), (-2.9, 2.9), (0.0, 3.8), (-2.9, 2.9),
)  # fmt: skip
AXES = (("x", "to the right", -1.0, 0.6), ("y", "forward", 0.0, 1.0), ("z", "up", 1.5, 2.9))
MOVE_STEPS, FOLLOW_STEPS, GRIP_STEPS = 80, 60, 8

FIELDS = (
    *(Field(f"j{i}", f"angle of arm joint {i}, rad", *r) for i, r in enumerate(JOINT_RANGES)),
    Field("finger_left", "how far the left finger is open, m", 0.0, 0.04),
    Field("finger_right", "how far the right finger is open, m", 0.0, 0.04),
    *(Field(f"v{i}", f"velocity of arm joint {i}, rad/s", -2.0, 2.0) for i in range(7)),
    *(Field(f"hand_{a}", f"{a} of the point between the fingers, + {to}, m", lo, hi)
      for a, to, lo, hi in AXES),
    # What a camera would have to find.
    *(Field(f"handle_{a}", f"{a} of the handle of the goal's object, + {to}, m", lo, hi, "full")
      for a, to, lo, hi in AXES),
    Field("hand_distance", "from the hand to the handle, m", 0.0, 1.0, "full"),
    Field("object", "joint of the goal's object: rad or m as the notes say", -1.0, 1.0, "full"),
    Field("object_distance", "from the object's joints to their goal; 0.3 is success", 0.0, 1.0,
          "full"),
    Field("arrived", "1 when the hand has come to the target of the last move or its path has "
          "ended, else 0", 0.0, 1.0),
    Field("reachable", "0 when the last move found no way to its target, else 1", 0.0, 1.0),
)  # fmt: skip

_XYZ = tuple(Argument(axis, low, high) for axis, _, low, high in AXES)
_DELTAS = tuple(Argument(f"d{axis}", -1.0, 1.0) for axis, *_ in AXES)
ACTIONS = (
    Action(
        "velocity",
        "velocities of the 7 arm joints and the 2 fingers, as shares of 2 rad/s (fingers 2 m/s)",
        tuple(Argument(f"j{i}", -1.0, 1.0, 0.0) for i in range(9)),
    ),
    # Each is one step of a plan, which goes on while the arguments stay the same.
    Action("toward", "a step on a planned path of the hand to a point, m", _XYZ, hidden=True),
    Action("along", "a step on a straight line of the hand, m", _DELTAS, hidden=True),
    Action("close", "closes the fingers and keeps them closed", hidden=True),
    Action("open", "opens the fingers and keeps them open", hidden=True),
)

SKILLS = (
    ("move_to", f'''
def move_to(obs, x, y, z):
    """Moves the hand to a point (metres) on a path around obstacles that a motion planner finds,
    to 1.5 cm, in at most {MOVE_STEPS} steps; returns the newest observation. `obs.reachable` is 0
    where there was no way: then the hand stayed. The fingers stay closed or open as they were.
    """
    for _ in range({MOVE_STEPS}):
        obs = yield toward(x, y, z)
        if obs.arrived > 0 or obs.reachable < 1:
            break
    return obs
'''),
    ("follow", f'''
def follow(obs, dx, dy, dz):
    """Moves the hand by dx, dy, dz (metres) on a straight line, through contact: to push, pull or
    carry; at most {FOLLOW_STEPS} steps; returns the newest observation. It ends early where
    something holds the hand back. The fingers stay closed or open as they were.
    """
    for _ in range({FOLLOW_STEPS}):
        obs = yield along(dx, dy, dz)
        if obs.arrived > 0 or obs.reachable < 1:
            break
    return obs
'''),
    ("grasp", f'''
def grasp(obs):
    """Closes the fingers in {GRIP_STEPS} steps, and later skills keep them closed; returns the
    newest observation.
    """
    for _ in range({GRIP_STEPS}):
        obs = yield close()
    return obs
'''),
    ("release", f'''
def release(obs):
    """Opens the fingers in {GRIP_STEPS} steps, and later skills keep them open; returns the newest
    observation.
    """
    for _ in range({GRIP_STEPS}):
        obs = yield open()
    return obs
'''),
)  # fmt: skip

_NOTES = (
    "A Franka arm with seven joints and two fingers stands in front of a kitchen. x is to the "
    "right, y forward to the wall, z up; metres. The fingers point forward at first, beside each "
    "other along x, and open to 8 cm. A step is 0.08 s and an episode 280 steps. The "
    "object's numbers and the arm's joints carry the environment's own small noise. {object}"
)


def _task(kind: str, words: str, about: str) -> ControlTask:
    element = kind.replace("_", " ")
    spec = WorldSpec(
        name=f"kitchen_{kind}",
        fields=FIELDS,
        actions=ACTIONS,
        primitive="velocity",
        skills=SKILLS,
        notes=_NOTES.format(object=about),
        progress=(("hand_distance", -0.5), ("object_distance", -2.0)),
        facts=("hand_distance", "object_distance", "object", "reachable"),
        step_seconds=0.08,
    )
    return ControlTask(
        name=spec.name,
        words=words,
        spec=spec,
        horizon=280,
        success="object_distance < 0.3, the environment's own completion of the task",
        simulator="rlgpt_jax.envs.control.kitchen.Kitchen",
        packages=("mujoco", "gymnasium_robotics", "mink", "ompl"),
        options=(("element", element),),
        ticks_per_iteration=20_000,  # some 160 steps a second and core
        eval_episodes=48,
    )


TASKS = (
    _task(
        "microwave",
        "open the door of the microwave",
        "`object` is the angle of the microwave's door, 0 closed, -0.75 rad the goal: it turns "
        "towards you about an upright axis 0.49 m to the left of the handle, which is an upright "
        "bar 4 cm thick.",
    ),
    _task(
        "kettle",
        "move the kettle from the front burner to the back burner on the left",
        "`object` is the y of the kettle, 0.35 at first, 0.75 the goal, at the same height and "
        "nearly the same x; it can be pushed along the stove. The handle is on top of the kettle.",
    ),
    _task(
        "light_switch",
        "turn the light on by its switch",
        "`object` is the angle of the light's switch, 0 off, -0.69 rad the goal: its lever is "
        "moved to the left (towards -x) by about 4 cm.",
    ),
    _task(
        "slide_cabinet",
        "slide the door of the cabinet open to the right",
        "`object` is how far the sliding door is open, 0 closed, 0.37 m the goal: it slides to "
        "the right (towards +x). The handle is an upright bar on its front.",
    ),
)
