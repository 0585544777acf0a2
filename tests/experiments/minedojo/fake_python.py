"""An interpreter that only pretends: it answers the probe, makes environments and installs.

Its executable is a copy of this file. Its state lies beside it as JSON: version, packages,
which request `fails` and what it `says` then. What it was asked to do lies in a log.
"""

import json
import sys
from pathlib import Path

PINS = {"gym": "0.21.0", "minedojo": "0.1", "numpy": "1.23.5", "opencv-python": "4.11.0.86"}
TOOLS = {"pip": "23.0.1", "setuptools": "65.5.0", "wheel": "0.37.1"}
INSTALLS = {"setuptools": TOOLS, "minedojo": PINS}  # word of the request to packages


def write(path: Path, version=(3, 9, 18), **state) -> Path:
    """Makes an executable at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable} -IS\n{Path(__file__).read_text()}")
    path.chmod(0o755)
    start = {"version": version, "packages": {}, "has_ensurepip": True, "fails": None}
    Path(f"{path}.json").write_text(json.dumps(start | state))
    return path


def read(path: Path) -> dict:
    return json.loads(Path(f"{path}.json").read_text())


def change(path: Path, **state) -> None:
    Path(f"{path}.json").write_text(json.dumps(read(path) | state))


def asked(path: Path) -> list[str]:
    """What it was asked to do besides answering the probe."""
    log = Path(f"{path}.log")
    return log.read_text().splitlines() if log.exists() else []


def pretend(me: Path, arguments: list[str]) -> int:
    """What the executable does."""
    state, words = read(me), " ".join(arguments)
    if "probe.py" in words:
        if arguments[-1] == "import":
            state |= state.get("when_imported", {"import_seconds": 1.0})
        sys.stdout.write("noise of the client\n" + json.dumps(state) + "\n")
        return int(state.get("silent", False))
    with Path(f"{me}.log").open("a") as log:
        log.write(words + "\n")
    if state["fails"] and state["fails"] in words:
        sys.stdout.write(state["says"] + "\n")
        return 1
    if "-m venv" in words:
        folder = Path(arguments[-1])
        fresh = {"pip": "25.2", "setuptools": "80.1"}
        write(folder / "bin" / "python", **state | {"packages": fresh})
        (folder / "pyvenv.cfg").touch()
    elif "install" in words:
        installs = state.get("installs", INSTALLS)
        new = [packages for name, packages in installs.items() if name in words]
        for packages in new:
            state["packages"] |= packages
        change(me, packages=state["packages"])
        sys.stdout.write(f"Collecting {arguments[-1]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(pretend(Path(sys.argv[0]).absolute(), sys.argv[1:]))
