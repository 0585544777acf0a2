"""Runs in the interpreter that is asked about (Python 3.6 or later), and tells about it.

    PATH/bin/python -I probe.py [import]

The last line of the output is JSON. With `import` MineDojo's client is imported too, which
takes 16 to 70 seconds.
"""

import importlib.util
import json
import os
import sys
import time

PACKAGES = ("pip", "setuptools", "wheel", "numpy", "opencv-python", "gym", "minedojo")
RAYS = "src/main/java/com/microsoft/Malmo/Utils/JSONWorldDataHelper.java"
JAR = "build/libs/MalmoMod-0.37.0-fat.jar"  # what launchClient.sh looks for


def main(with_import):
    told = {"version": sys.version_info[:3], "packages": packages()}
    told["has_ensurepip"] = importlib.util.find_spec("ensurepip") is not None
    spec = importlib.util.find_spec("minedojo")
    if spec is not None and spec.origin:
        told.update(client(os.path.dirname(spec.origin)))
    if with_import:
        told.update(imported())
    print()
    print(json.dumps(told), flush=True)


def packages():
    """Name to version of those of `PACKAGES` that are installed."""
    try:
        from importlib import metadata
    except ImportError:  # before Python 3.8, which no client runs in
        return {}
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def client(folder):
    """What is known of the client's files without importing them."""
    game = os.path.join(folder, "sim", "Malmo", "Minecraft")
    tasks = read(os.path.join(folder, "tasks", "__init__.py"))
    rays = read(os.path.join(game, *RAYS.split("/")))
    return {
        "game": game,
        "has_jar": os.path.exists(os.path.join(game, *JAR.split("/"))),
        "build_script": read(os.path.join(game, "build.gradle")),
        "turns_with_land": ".rotatePitch(ray" in rays if rays else None,
        # PyPI's 0.1 takes keys out of the task's own record, so a second make finds none.
        "makes_twice": "ALL_TASKS_SPECS[task_id].copy()" in tasks,
    }


def read(path):
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def imported():
    began = time.perf_counter()
    try:
        import minedojo  # noqa: F401
    except Exception as error:
        return {"import_error": "%s: %s" % (type(error).__name__, error)}  # noqa: UP031
    return {"import_seconds": time.perf_counter() - began}


if __name__ == "__main__":
    main("import" in sys.argv[1:])
