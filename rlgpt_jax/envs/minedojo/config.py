"""Settings of the bridge to MineDojo: the field `minedojo` of a run's configuration."""

import dataclasses
import os
from pathlib import Path

from rlgpt_jax import files

LAUNCHERS = ("local", "ray")
PYTHON_VARIABLE = "RLGPT_MINEDOJO_PYTHON"
DEFAULT_PYTHON = files.kept(".minedojo") / "bin" / "python"


@dataclasses.dataclass(frozen=True)
class MineDojoConfig:
    """Workers, their games, and how long to wait for them."""

    python: str = ""  # interpreter with minedojo; "": $RLGPT_MINEDOJO_PYTHON, else .minedojo
    workers: int = 2  # processes, each with one game: the lanes
    launcher: str = "local"  # local: on this machine; ray: on a cluster
    launch_timeout: float = 900.0  # seconds for import, launch and each new world
    call_timeout: float = 120.0  # seconds for a tick or a quick reset, then the worker is killed
    reset_every: int = 10  # episodes in one world, then it is built anew; 1: a new one each
    port: str = ""  # "": launch games; else worker k uses the one that listens at port + k
    headless: bool = True  # launch under a virtual display
    image_size: tuple[int, int] = (160, 256)  # pixels that the game draws, height and width
    max_restarts: int = 3  # of one worker in a row, then the run stops with an error
    quick_copy: bool = True  # replace the client's slow deep copies of its statistics
    log_folder: str = ""  # where the workers' folders are kept; "": temporary ones

    def __post_init__(self) -> None:
        if self.launcher not in LAUNCHERS:
            raise ValueError(
                f"minedojo.launcher={self.launcher!r}: try one of {', '.join(LAUNCHERS)}."
            )
        for name in ("workers", "reset_every"):
            if getattr(self, name) < 1:
                raise ValueError(f"minedojo.{name}={getattr(self, name)} must be at least 1.")
        if self.max_restarts < 0:
            raise ValueError(f"minedojo.max_restarts={self.max_restarts} must be 0 or more.")
        for name in ("launch_timeout", "call_timeout"):
            if not getattr(self, name) > 0:
                raise ValueError(
                    f"minedojo.{name}={getattr(self, name)} must be above 0 seconds. A first "
                    "launch builds the game and takes minutes: try 900."
                )
        if self.port and self.launcher == "ray":
            raise ValueError(
                f"minedojo.port={self.port!r}: workers of a Ray cluster launch their games. For "
                "games that are there already take minedojo.launcher=local."
            )
        if len(self.image_size) != 2 or min(self.image_size) < 1:
            raise ValueError(
                f"minedojo.image_size={self.image_size!r} must be (height, width) in pixels."
            )
        if self.port and not (
            self.port.isdecimal() and 0 < int(self.port) <= 65_536 - self.workers
        ):
            raise ValueError(
                f"minedojo.port={self.port!r} must be empty or a port such that port + workers "
                f"is at most 65536; there are {self.workers} workers."
            )

    def interpreter(self) -> Path:
        """The interpreter that runs the workers, as an absolute path.

        Raises:
          ValueError: there is no such file, or it cannot be run.
        """
        given = self.python or os.environ.get(PYTHON_VARIABLE, "")
        # Absolute, because workers run elsewhere; not resolved, because an environment's python is
        # a link and knows its packages by where it is.
        path = Path(given).absolute() if given else DEFAULT_PYTHON
        if not (path.is_file() and os.access(path, os.X_OK)):
            origin = "minedojo.python" if self.python else PYTHON_VARIABLE if given else "default"
            raise ValueError(
                f"no interpreter at {path} ({origin}). Make one with `python -m "
                "experiments.minedojo setup`, or name one that has minedojo: "
                "--config.minedojo.python=FILE."
            )
        return path
