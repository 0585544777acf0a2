"""The state of a MuJoCo simulation and of a NumPy generator as arrays, to the bit."""

import json

import mujoco
import numpy as np

_ALL = mujoco.mjtState.mjSTATE_INTEGRATION  # qpos, qvel, act, ctrl, mocap, warm start, time, ...


def saved(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """float64[K]: all that the next step depends on."""
    state = np.empty(mujoco.mj_stateSize(model, _ALL))
    mujoco.mj_getState(model, data, state, _ALL)
    return state


def restore(model: mujoco.MjModel, data: mujoco.MjData, state: np.ndarray) -> None:
    """Sets float64[K] of `saved`, and what follows from it."""
    mujoco.mj_setState(model, data, state, _ALL)
    mujoco.mj_forward(model, data)
    mujoco.mj_setState(model, data, state, _ALL)  # forward may move the warm start


def saved_generator(generator: np.random.Generator) -> np.ndarray:
    """uint8[K]: the state of a generator, as JSON."""
    return np.frombuffer(json.dumps(generator.bit_generator.state).encode(), np.uint8).copy()


def restore_generator(generator: np.random.Generator, state: np.ndarray) -> None:
    """Sets uint8[K] of `saved_generator`."""
    generator.bit_generator.state = json.loads(np.asarray(state, np.uint8).tobytes())
