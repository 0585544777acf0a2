"""Pictures without a display: which OpenGL, and MuJoCo's scenes drawn cheaply."""

import contextlib
import ctypes
import os
from typing import Any

import numpy as np

VARIABLE = "MUJOCO_GL"
LIBRARIES = {"egl": ("libEGL.so.1",), "osmesa": ("libOSMesa.so.8", "libOSMesa.so.6")}
PACKAGES = "apt-get install libegl1 libgl1-mesa-dri (or: libosmesa6)"


class CannotDraw(ValueError):
    """There is nothing to draw with."""


def choose_backend() -> None:
    """Sets MUJOCO_GL, where it is not set, to what this machine has: egl before osmesa.

    It must be called before mujoco is imported, which reads it once.
    """
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = next(filter(_is_there, LIBRARIES), "disable")


def _is_there(backend: str) -> bool:
    for name in LIBRARIES[backend]:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            return True
    return False


class Camera:
    """Draws a MuJoCo model; its context is made by the first picture.

    Shadows, reflections and multisampling are off: in software they take nearly all the time.
    """

    def __init__(self, model: Any, view: dict[str, Any] | str):
        """Args: `view` is a free camera's distance, azimuth, elevation and lookat, or a name."""
        self._model, self._view = model, view
        self._renderer: Any = None
        self._size = (0, 0)

    def draw(self, data: Any, size: tuple[int, int]) -> np.ndarray:
        """uint8[height, width, 3]. Raises CannotDraw."""
        import mujoco

        if self._size != size:
            self._make(size)
        camera: Any = self._view
        if isinstance(self._view, dict):
            camera = mujoco.MjvCamera()
            for name, value in self._view.items():
                setattr(camera, name, value)
        self._renderer.update_scene(data, camera)
        return self._renderer.render()

    def _make(self, size: tuple[int, int]) -> None:
        import mujoco

        if self._renderer is not None:
            self._renderer.close()
        self._model.vis.quality.offsamples = 0
        most = self._model.vis.global_
        most.offheight, most.offwidth = max(most.offheight, size[0]), max(most.offwidth, size[1])
        try:
            self._renderer = mujoco.Renderer(self._model, *size)
        except Exception as error:  # every backend has errors of its own
            kind = os.environ.get(VARIABLE)
            raise CannotDraw(
                f"no pictures with {VARIABLE}={kind} ({error}). Install one: {PACKAGES}."
            ) from error
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._renderer.scene.flags[flag] = 0
        self._size = size
