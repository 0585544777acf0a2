"""FrankaKitchen-v1 with one task, and the motion planning behind its skills."""

import functools
from typing import Any

import mujoco
import numpy as np
from gymnasium_robotics.envs.franka_kitchen import kitchen_env
from gymnasium_robotics.envs.franka_kitchen.franka_env import FrankaRobot

from rlgpt_jax.envs.control import mujoco_state
from rlgpt_jax.envs.control.kitchen_spec import ACTIONS
from rlgpt_jax.envs.control.planner import Arm, spaced
from rlgpt_jax.envs.control.rendering import Camera
from rlgpt_jax.envs.control.simulator import Outcome, State

HANDLES = {
    "microwave": "microhandle_site", "kettle": "kettle_site", "light switch": "light_site",
    "slide cabinet": "slide_site",
}  # fmt: skip
# Index into qpos of the joint that `object` tells; of the kettle its y.
JOINTS = {"microwave": 22, "kettle": 24, "light switch": 17, "slide cabinet": 19}
VELOCITY, TOWARD, ALONG, CLOSE, OPEN = range(len(ACTIONS))
ARM = 7
HAND = "end_effector"
NEAR = 0.015  # metres from its target at which a move has arrived
SPACING = 0.05  # rad between points of a path, in their farthest joint
AHEAD = 0.13  # rad that the point aimed at is ahead of the arm; 0.16 is full velocity
LINE_STRIDE = 0.03  # metres of a straight line in a step
SETTLE_STEPS = 15  # at the end of a path, before it counts as ended
PATIENCE = 10  # steps of a straight line without coming nearer
FINGERS_PER_STEP = 0.25  # of the action's bound, so that a grip is not a blow
VIEW = {"distance": 2.2, "azimuth": 70.0, "elevation": -35.0, "lookat": [-0.2, 0.5, 2.0]}


@functools.cache
def _model(path: str) -> mujoco.MjModel:
    """The one of this process: 57 MB, which a step does not change."""
    return mujoco.MjModel.from_xml_path(path)


@functools.cache
def _arm(model: mujoco.MjModel, bounds: tuple[tuple[float, float], ...]) -> Arm:
    """Plans for all lanes in turn; a plan depends on its inputs alone."""
    return Arm(model, HAND, "panda0", np.array(bounds))


@functools.cache
def _camera(model: mujoco.MjModel) -> Camera:
    return Camera(model, VIEW)


class _Robot(FrankaRobot):
    """Gymnasium's robot, which would read a model for every lane."""

    def _initialize_simulation(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        model = _model(self.fullpath)
        return model, mujoco.MjData(model)


class Kitchen:
    """A `simulator.Simulator`."""

    def __init__(self, element: str):
        """Args: `element` is a key of `HANDLES`."""
        kitchen_env.FrankaRobot = _Robot  # the class that it makes
        self._env = kitchen_env.KitchenEnv(tasks_to_complete=[element])
        self._robot, self._data = self._env.robot_env, self._env.data
        self._element = element
        self._unit = 2.0 * self._robot.dt  # rad that velocity 1 is in a step
        # What the environment lets through, and where the model's joints end.
        bounds = np.stack([self._robot.robot_pos_bound[:ARM], self._env.model.jnt_range[:ARM]])
        bounds = np.stack([bounds[..., 0].max(axis=0), bounds[..., 1].min(axis=0)], axis=1)
        self._arm = _arm(self._env.model, tuple(map(tuple, bounds.tolist())))
        self._home = self._robot.init_qpos.copy()
        self._camera = _camera(self._env.model)
        self._forget()

    def _forget(self) -> None:
        """No plan, and fingers as they are."""
        self._asked = np.full(1, VELOCITY, float)  # the action that the plan is for
        self._path = np.zeros((0, ARM))  # of a planned path, what is left
        self._line = np.zeros((2, 3))  # of a straight line: start and end
        self._rotation = np.eye(3)  # of the hand when the line began
        self._bias = np.zeros(ARM)  # what the servos lag behind, learnt on the way
        self._count = 0  # steps of the plan's end, or without coming nearer
        self._nearest = np.inf
        self._grip = 0.0  # 1 keeps the fingers closing, -1 opening
        self._arrived, self._reachable = 0.0, 1.0

    def reset(self, seed: int) -> np.ndarray:
        """Begins an episode; all begin alike but for the noise of what is sensed."""
        self._forget()
        obs, _ = self._env.reset(seed=seed)
        return self._fields(obs)

    def step(self, action: np.ndarray) -> Outcome:
        """One step of 0.08 s."""
        kind, numbers = int(action[0]), np.asarray(action[1:], float)
        if kind in (TOWARD, ALONG):
            velocity = self._follow(kind, numbers[:3])
        else:
            velocity = numbers if kind == VELOCITY else self._hold()
            self._asked, self._arrived, self._reachable = np.array([float(kind)]), 0.0, 1.0
        if kind in (CLOSE, OPEN):
            self._grip = 1.0 if kind == CLOSE else -1.0
        if kind != VELOCITY:
            velocity[ARM:] = -FINGERS_PER_STEP * self._grip
        obs, _, terminated, _, _ = self._env.step(velocity)
        mujoco.mj_kinematics(self._env.model, self._data)  # a step leaves places one of 2 ms behind
        fields = self._fields(obs)
        if kind in (TOWARD, ALONG):
            self._look(fields)
        return Outcome(fields, bool(terminated), bool(terminated))

    def save(self) -> State:
        return {
            "physics": mujoco_state.saved(self._env.model, self._data),
            "noise": mujoco_state.saved_generator(self._robot.np_random),
            "servo": self._robot._last_robot_qpos.copy(),
            "asked": self._asked.copy(), "path": self._path.copy(), "line": self._line.copy(),
            "rotation": self._rotation.copy(), "bias": self._bias.copy(),
            "numbers": np.array([self._count, self._nearest, self._grip, self._arrived,
                                 self._reachable]),
        }  # fmt: skip

    def load(self, saved: State) -> None:
        mujoco_state.restore(self._env.model, self._data, saved["physics"])
        mujoco_state.restore_generator(self._robot.np_random, saved["noise"])
        self._robot._last_robot_qpos = np.array(saved["servo"])
        self._asked, self._path = np.array(saved["asked"]), np.array(saved["path"])
        self._line, self._rotation = np.array(saved["line"]), np.array(saved["rotation"])
        self._bias = np.array(saved["bias"])
        count, self._nearest, self._grip, self._arrived, self._reachable = saved["numbers"].tolist()
        self._count = int(count)

    def render(self, size: tuple[int, int]) -> np.ndarray:
        return self._camera.draw(self._data, size)

    # --- plans ---
    def _follow(self, kind: int, numbers: np.ndarray) -> np.ndarray:
        """Velocities float[9] of the next step of the plan, which other numbers begin anew."""
        asked = np.array([kind, *numbers])
        if not np.array_equal(asked, self._asked):
            self._asked, self._count, self._nearest = asked, 0, np.inf
            self._arrived, self._reachable = 0.0, 1.0
            begin = self._begin_path if kind == TOWARD else self._begin_line
            begin(numbers)
        if not self._reachable:
            return self._steered(self._path[0], learn=True)
        if kind == TOWARD:
            aim = self._aim_on_path()
        else:
            aim = self._aim_on_line()
        return self._steered(aim, learn=kind == TOWARD and len(self._path) == 1)

    def _hold(self) -> np.ndarray:
        """Velocities float[9] of an arm that stays: of velocity 0 it would sink."""
        if self._asked[0] not in (CLOSE, OPEN):
            self._path = self._data.qpos[None, :ARM].copy()
        return self._steered(self._path[0], learn=True)

    def _steered(self, aim: np.ndarray, learn: bool) -> np.ndarray:
        """Velocities float[9] that bring the arm to `aim` float[7] in a step."""
        missing = aim - self._data.qpos[:ARM]
        if learn:
            self._bias = np.clip(self._bias + 0.3 * missing, -0.1, 0.1)
        velocity = np.zeros(9)
        velocity[:ARM] = np.clip((missing + self._bias) / self._unit, -1.0, 1.0)
        return velocity

    def _begin_path(self, target: np.ndarray) -> None:
        path = self._arm.plan(self._data.qpos.copy(), self._home, target)
        self._reachable = float(path is not None)
        self._path = self._data.qpos[None, :ARM].copy()  # to stay
        if path is not None:
            self._path = spaced(path, SPACING)
        self._line = np.stack([self._hand(), target])

    def _begin_line(self, change: np.ndarray) -> None:
        hand = self._hand()
        self._line = np.stack([hand, hand + change])
        self._rotation = self._data.site(HAND).xmat.reshape(3, 3).copy()

    def _aim_on_path(self) -> np.ndarray:
        """The next point float[7] of the path; heavy joints are waited for."""
        at = self._data.qpos[:ARM]
        while len(self._path) > 1 and np.abs(self._path[0] - at).max() < AHEAD:
            self._path = self._path[1:]
        return self._path[0]

    def _aim_on_line(self) -> np.ndarray:
        """The arm float[7] a stride further along the line than the hand is."""
        start, end = self._line
        length = float(np.linalg.norm(end - start))
        if length == 0.0:
            return self._data.qpos[:ARM].copy()
        ahead = (self._hand() - start) @ (end - start) / length + LINE_STRIDE
        point = start + np.clip(ahead / length, 0.0, 1.0) * (end - start)
        return self._arm.solve(self._data.qpos.copy(), point, self._rotation, 0.3, 10)[0]

    def _look(self, fields: np.ndarray) -> None:
        """Whether the plan has come to its end; into the last two fields."""
        left = float(np.linalg.norm(self._line[1] - self._hand()))
        if self._asked[0] == TOWARD:
            self._count += len(self._path) == 1
            ended = self._count > SETTLE_STEPS
        else:
            nearer = left < self._nearest - 1e-3
            self._count = 0 if nearer else self._count + 1
            self._nearest = min(left, self._nearest)
            ended = self._count > PATIENCE
        last = self._asked[0] == ALONG or len(self._path) == 1
        self._arrived = float(bool(self._reachable) and ((left < NEAR and last) or ended))
        fields[-2:] = self._arrived, self._reachable

    # --- senses ---
    def _hand(self) -> np.ndarray:
        return self._data.site(HAND).xpos.copy()

    def _fields(self, obs: dict[str, Any]) -> np.ndarray:
        """As `kitchen_spec.FIELDS`; joints with the environment's noise, places without."""
        sensed = obs["observation"]
        hand, handle = self._hand(), self._data.site(HANDLES[self._element]).xpos
        missing = obs["achieved_goal"][self._element] - obs["desired_goal"][self._element]
        return np.concatenate([
            sensed[:9], sensed[9:16], hand, handle,
            [np.linalg.norm(handle - hand), sensed[9 + JOINTS[self._element]],
             np.linalg.norm(missing), self._arrived, self._reachable],
        ]).astype(np.float32)  # fmt: skip


assert kitchen_env.BONUS_THRESH == 0.3  # what the words say
