"""Words of CarRacing-v3."""

from rlgpt_jax.envs.control.task import ControlTask
from rlgpt_jax.envs.spec import Action, Argument, Field, WorldSpec

LAP = 0.9  # share of the track's tiles that is success
AHEAD = (5, 10, 20)  # tiles ahead whose turn is told; a tile is 3.5 m

SPEC = WorldSpec(
    name="car_racing",
    fields=(
        Field("speed", "forward speed, m/s", 0.0, 100.0),
        Field("yaw_rate", "turning, + to the left, rad/s", -3.0, 3.0),
        Field("steering", "angle of the front wheels, + to the left, rad", -0.4, 0.4),
        *(Field(f"wheel_{i}", f"speed of the {w} wheel's rim, rad/s", 0.0, 200.0)
          for i, w in enumerate(("front left", "front right", "rear left", "rear right"))),
        Field("tiles", "share of the track's tiles visited", 0.0, 1.0),
        Field("road_wheels", "wheels on the road, 0 to 4", 0.0, 4.0),
        Field("offset", "of the car from the middle of the road, + to its right; the road's edge "
              "is at 6.7, m", -10.0, 10.0, "full"),
        Field("heading", "direction of the road here against that of the car, + when the road "
              "goes to the left, rad", -1.6, 1.6, "full"),
        *(Field(f"turn_{n}", f"how much the road turns over the next {n} tiles ({n * 3.5:g} m), + "
                "to the left, rad", -1.6, 1.6, "full") for n in AHEAD),
    ),
    actions=(
        Action(
            "drive",
            "steer -1 full left to 1 full right, gas 0 to 1, brake 0 to 1 (0.9 blocks the wheels)",
            (Argument("steer", -1.0, 1.0, 0.0), Argument("gas", 0.0, 1.0, 0.0),
             Argument("brake", 0.0, 1.0, 0.0)),
        ),
    ),
    primitive="drive",
    notes=(
        "A powerful rear-wheel-driven car on a winding road, seen from above. Off the road there "
        "is grass with less grip. It slides when gas and steering come together. A step is 0.02 s "
        "and an episode 1000 steps; leaving the whole field ends it."
    ),
    progress=(("tiles", 10.0),),
    facts=("tiles", "road_wheels", "speed"),
    step_seconds=0.02,
)  # fmt: skip

TASKS = (
    ControlTask(
        name="car_racing",
        words="drive a lap: visit 90 % of the tiles of the road",
        spec=SPEC,
        horizon=1000,
        success=f"share of tiles visited >= {LAP}; our choice, the environment's lap is 0.95",
        simulator="rlgpt_jax.envs.control.car_racing.CarRacing",
        packages=("gymnasium", "Box2D", "pygame"),
    ),
)
