"""Paths of an arm to a point: inverse kinematics by mink, then RRT-Connect of OMPL around contacts.

A plan is a function of its inputs: what is random in it is seeded by them, and planning ends by
count and not by the clock.
"""

import copy
import itertools
import zlib

import mink
import mujoco
import numpy as np
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

CLEARANCE = 0.01  # metres that a path keeps from what it does not touch at its ends
REACH = 0.005  # metres by which inverse kinematics may miss the target
MAX_CHECKS = 6000  # of configurations for contacts, per plan
MAX_SEARCH = 2000  # of those, on the way to one goal
IK_STEPS = 60
SHORTCUTS = 40  # tries to shorten what the search has found
_SPACING = 0.05  # rad between two configurations that are checked, in their farthest joint
ou.setLogLevel(ou.LogLevel.LOG_NONE)

# Rotations of the hand, columns x, y, z of its site: z is where the fingers point.
FORWARD = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], float)  # fingers beside each other along x
DOWN = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]], float)


class Arm:
    """The first joints of a model, with a site at the hand."""

    def __init__(self, model: mujoco.MjModel, site: str, bodies: str, bounds: np.ndarray):
        """Copies the model.

        Args:
          site: its name.
          bodies: what the names of the robot's bodies begin with.
          bounds: float[J, 2], of the joints in radians; J arm joints come first in qpos.
        """
        self._model = copy.copy(model)
        self._data = mujoco.MjData(self._model)
        self._site, self._bounds, self._joints = site, bounds, len(bounds)
        names = [self._model.body(i).name for i in range(self._model.nbody)]
        self._is_robot = np.array([name.startswith(bodies) for name in names])
        of_robot = self._is_robot[self._model.geom_bodyid]
        self._model.geom_margin[of_robot] = CLEARANCE
        self._configuration = mink.Configuration(model)
        self._checks = 0

    def solve(
        self, qpos: np.ndarray, target: np.ndarray, rotation: np.ndarray, weight: float, steps: int
    ) -> tuple[np.ndarray, float]:
        """Joints float[J] whose hand is nearest to a target, from `qpos`, and the distance left.

        Args:
          rotation: float[3, 3] that the hand should have.
          weight: how much a radian of it counts against a metre.
        """
        config, joints = self._configuration, self._joints
        config.update(qpos)
        frame = mink.FrameTask(self._site, "site", 1.0, weight, lm_damping=1e-3)
        turn = mink.SO3.from_matrix(rotation)
        frame.set_target(mink.SE3.from_rotation_and_translation(turn, target))
        posture = mink.PostureTask(self._model, cost=1e-3)
        posture.set_target(qpos)
        for _ in range(steps):
            # Limits are clipped below: some joints of the furniture begin outside of theirs, where
            # the solver finds nothing.
            v = mink.solve_ik(config, [frame, posture], 0.1, "daqp", damping=1e-3, limits=[])
            v[joints:] = 0
            q = config.integrate(v, 0.1)
            q[:joints] = np.clip(q[:joints], self._bounds[:, 0], self._bounds[:, 1])
            config.update(q)
            if np.abs(frame.compute_error(config)).max() < 1e-3:
                break
        at = config.get_transform_frame_to_world(self._site, "site").translation()
        return config.q[:joints].copy(), float(np.linalg.norm(at - target))

    def plan(self, qpos: np.ndarray, home: np.ndarray, target: np.ndarray) -> np.ndarray | None:
        """A path float[K, J] of the arm from `qpos` to a target of the hand, float[3].

        Configurations are tried with the fingers forward, then down, then anyhow, from where the
        arm is, from `home` and from near it. Returns None where none is free and reached.
        """
        seed = zlib.crc32(np.concatenate([qpos, target]).tobytes())
        start = qpos[: self._joints].copy()
        self._checks = 0
        for goal in self._goals(qpos, home, target, np.random.default_rng(seed)):
            limits = self._limits(qpos, start, goal)
            if limits is None:
                continue
            path = self._connect(qpos, start, goal, limits, seed)
            if path is not None:
                return path
            if self._checks > MAX_CHECKS:
                break
        return None

    def _goals(self, qpos, home, target, rng):
        """Configurations that reach a target, best first."""
        low, high = self._bounds.T
        here, home = qpos[: self._joints], home[: self._joints]
        anywhere = [np.clip(home + rng.normal(0.0, 0.5, len(home)), low, high) for _ in range(5)]
        tries = [(FORWARD, 0.3, (here, home)), (DOWN, 0.3, (here, home)),
                 (FORWARD, 0.0, (here, home)), (FORWARD, 0.3, anywhere), (DOWN, 0.3, anywhere),
                 (FORWARD, 0.0, anywhere)]  # fmt: skip
        for rotation, weight, starts in tries:
            for joints in starts:
                begin = qpos.copy()
                begin[: self._joints] = joints
                goal, missed = self.solve(begin, target, rotation, weight, IK_STEPS)
                if missed <= REACH:
                    yield goal

    def _contacts(self, qpos: np.ndarray, joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bodies int[C, 2] and distances float[C] of the robot's contacts within `CLEARANCE`."""
        self._checks += 1
        data = self._data
        data.qpos[:] = qpos
        data.qpos[: self._joints] = joints
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_comPos(self._model, data)
        mujoco.mj_collision(self._model, data)
        pairs = self._model.geom_bodyid[data.contact.geom[: data.ncon]]
        ours = self._is_robot[pairs].any(axis=1) if data.ncon else np.zeros(0, bool)
        return pairs[ours], data.contact.dist[: data.ncon][ours]

    def _limits(self, qpos: np.ndarray, start: np.ndarray, goal: np.ndarray) -> np.ndarray | None:
        """float[B, B]: how near bodies may come; None where the goal itself is in something.

        Pairs that are near at an end of the path may be as near on it.
        """
        limits = np.full((self._model.nbody, self._model.nbody), CLEARANCE)
        for joints, deepest in ((start, -np.inf), (goal, 0.0)):
            pairs, distances = self._contacts(qpos, joints)
            if (distances < np.minimum(deepest, limits[tuple(pairs.T)])).any():
                return None
            for (a, b), distance in zip(pairs, distances):
                limits[a, b] = limits[b, a] = min(limits[a, b], distance - 1e-3)
        return limits

    def _connect(
        self, qpos: np.ndarray, start: np.ndarray, goal: np.ndarray, limits: np.ndarray, seed: int
    ) -> np.ndarray | None:
        """The straight line where it is free, else what RRT-Connect finds, shortened."""

        def free(joints: np.ndarray) -> bool:
            pairs, distances = self._contacts(qpos, joints)
            return not (distances < limits[tuple(pairs.T)]).any()

        def clear(a: np.ndarray, b: np.ndarray) -> bool:
            return all(free(joints) for joints in straight(a, b, _SPACING))

        if clear(start, goal):
            return np.stack([start, goal])
        path = self._search(start, goal, free, seed)
        if path is None:
            return None
        return self._shortened(path, clear, np.random.default_rng(seed))

    @staticmethod
    def _shortened(path: np.ndarray, clear, rng: np.random.Generator) -> np.ndarray:
        """The same ends, with straight lines between random points where they are free."""
        for _ in range(SHORTCUTS):
            dense = np.concatenate([path[:1], spaced(path, 2 * _SPACING)])
            i, j = np.sort(rng.integers(0, len(dense), 2))
            if j - i > 1 and clear(dense[i], dense[j]):
                path = corners(np.concatenate([dense[: i + 1], dense[j:]]))
        return path

    def _search(self, start, goal, free, seed) -> np.ndarray | None:
        """Corners float[K, J] by RRT-Connect."""
        ou.RNG.setSeed(seed % (2**31 - 1) + 1)
        joints = self._joints
        space, bounds = ob.RealVectorStateSpace(joints), ob.RealVectorBounds(joints)
        for i, (low, high) in enumerate(self._bounds):
            bounds.setLow(i, min(low, start[i]))
            bounds.setHigh(i, max(high, start[i]))
        space.setBounds(bounds)
        setup = og.SimpleSetup(space)
        values = lambda state: np.array([state[i] for i in range(joints)])  # noqa: E731
        setup.setStateValidityChecker(lambda state: free(values(state)))
        extent = float(np.linalg.norm(np.diff(self._bounds)))
        setup.getSpaceInformation().setStateValidityCheckingResolution(_SPACING / extent)
        ends = space.allocState(), space.allocState()
        for state, numbers in zip(ends, (start, goal)):
            for i in range(joints):
                state[i] = float(numbers[i])
        setup.setStartAndGoalStates(*ends)
        setup.setPlanner(og.RRTConnect(setup.getSpaceInformation()))
        most = self._checks + MAX_SEARCH
        setup.solve(ob.PlannerTerminationCondition(lambda: self._checks > most))
        if not setup.haveExactSolutionPath():
            return None
        found = setup.getSolutionPath()
        return np.stack([values(found.getState(i)) for i in range(found.getStateCount())])


def straight(a: np.ndarray, b: np.ndarray, spacing: float) -> np.ndarray:
    """Points float[K, J] from a, which is left out, to b, in any joint `spacing` apart at most."""
    count = max(1, int(np.ceil(np.abs(b - a).max() / spacing)))
    share = np.arange(1, count + 1)[:, None] / count
    return a + share * (b - a)


def spaced(path: np.ndarray, spacing: float) -> np.ndarray:
    """The corners float[K, J] of a path with points between them, without its first."""
    return np.concatenate([straight(a, b, spacing) for a, b in itertools.pairwise(path)])


def corners(path: np.ndarray) -> np.ndarray:
    """float[K, J]: a path without the points on the straight line between their neighbours."""
    steps = np.diff(path, axis=0)
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
    turns = np.abs(np.diff(steps, axis=0)).max(axis=1) > 1e-6
    return path[np.concatenate([[True], turns, [True]])]
