"""What is found on this machine and in MineDojo's interpreter. Nothing here judges it."""

import dataclasses
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from experiments.minedojo import interpreters

SECONDS = 30.0  # for Java to tell its version
GB = 1e9


@dataclasses.dataclass(frozen=True)
class Facts:
    """All that the checks look at; None where something could not be found out."""

    # the interpreter
    python: str
    python_error: str = ""  # why it told nothing
    version: tuple[int, ...] = ()
    packages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    import_seconds: float | None = None
    import_error: str = ""
    makes_twice: bool | None = None  # whether a task can be made again in one process
    # the game's files beside the client
    game: str = ""  # folder of launchClient.sh
    has_jar: bool | None = None
    build_script: str = ""  # text of build.gradle
    turns_with_land: bool | None = None  # whether rays turn about the land's axes, as in 0.1
    # the machine
    java: str | None = None  # version of the `java` on PATH, such as 1.8.0_402
    java_home: str | None = None  # version of $JAVA_HOME, which Gradle prefers
    has_javac: bool = False
    xvfb_run: bool = False
    xauth: bool = False
    display: str = ""
    headless: bool = True  # the field minedojo.headless
    has_nvidia: bool = False
    memory: float | None = None  # bytes
    cores: int = 1
    workers: int = 1  # asked for
    # a launched game, where one was asked for
    launch: "Launch | None" = None


@dataclasses.dataclass(frozen=True)
class Launch:
    """What one start of the game showed."""

    seconds: float = 0.0  # from nothing to the first observation
    error: str = ""
    is_tiled: bool = False  # the picture is nine small ones
    is_blank: bool = False  # the picture has one colour
    steps_per_second: float = 0.0
    client: str = ""  # what the worker told of its MineDojo


def gather(python: str, with_import: bool = True, headless: bool = True, workers: int = 1) -> Facts:
    """Looks at the machine and asks `python`. Starts no game."""
    home = os.environ.get("JAVA_HOME")
    machine = Facts(
        python=python, java=java_version("java"),
        java_home=java_version(str(Path(home, "bin", "java"))) if home else None,
        has_javac=shutil.which("javac") is not None, xvfb_run=shutil.which("xvfb-run") is not None,
        xauth=shutil.which("xauth") is not None, display=os.environ.get("DISPLAY", ""),
        headless=headless, has_nvidia=shutil.which("nvidia-smi") is not None,
        memory=memory_of_machine(), cores=len(os.sched_getaffinity(0)), workers=workers,
    )  # fmt: skip
    try:
        told = interpreters.probe(python, with_import)
    except subprocess.CalledProcessError as error:
        words = (error.stderr or "").strip().splitlines()
        return dataclasses.replace(machine, python_error=words[-1] if words else str(error))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return dataclasses.replace(machine, python_error=str(error))
    names = {field.name for field in dataclasses.fields(Facts)}
    found = {name: value for name, value in told.items() if name in names}
    return dataclasses.replace(machine, **found | {"version": tuple(told["version"])})


def java_version(java: str) -> str | None:
    """Such as "1.8.0_402" or "17.0.15"; None if there is no such program."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "([^"]+)"', done.stderr + done.stdout)
    return found[1] if found else None


def memory_of_machine() -> float | None:
    """Bytes of memory, of the container if it has less; None if the system does not tell."""
    try:
        found = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError):
        return None
    try:
        return min(found, float(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # no limit: the file is not there or says "max"
        return found
