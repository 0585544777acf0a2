"""Words of MountainCarContinuous-v0."""

from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec

SPEC = WorldSpec(
    name="mountain_car",
    fields=(
        Field("position", "place of the car along the valley; the floor is at -0.52", -1.2, 0.6),
        Field("velocity", "change of position in a step, + towards the goal", -0.07, 0.07),
    ),
    actions=(
        Action(
            "drive",
            "pushes the car: force 1 forward with full power, -1 in reverse",
            (Argument("force", -1.0, 1.0, 0.0),),
        ),
    ),
    primitive="drive",
    notes=(
        "A car stands in a valley between two hills. Its motor is too weak to drive up the right "
        "hill from rest. The goal is on that hill at position 0.45; the left end is a wall at "
        "-1.2. A step adds 0.0015 * force - 0.0025 * cos(3 * position) to velocity, then velocity "
        "to position. Position and velocity have no unit."
    ),
    progress=(("position", 0.5), ("velocity", 10.0)),
    facts=("position", "velocity"),
    step_seconds=1 / 30,
)

TASKS = (
    ControlTask(
        name="mountain_car",
        words="drive the car up the right hill to position 0.45",
        spec=SPEC,
        horizon=999,
        success="position >= 0.45 with a velocity of 0 or more, as the environment judges",
        simulator="rlgpt_jax.envs.control.mountain_car.MountainCars",
        packages=("envpool",),
        is_pool=True,
    ),
)
