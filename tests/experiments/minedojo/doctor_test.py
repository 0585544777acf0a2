"""Every check of the doctor with made-up facts, and the command around them."""

import dataclasses
import json
import re
import types
from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

from experiments.minedojo import __main__ as command
from experiments.minedojo import checks, doctor, facts, launch
from experiments.minedojo.checks import MISSING, OK, UNKNOWN
from experiments.minedojo.facts import Facts, Launch
from tests.experiments.minedojo import fake_python

GRADLE = "classpath('com.github.SpongePowered:MixinGradle:dcfaf61'){ // 0.6"
WELL = Facts(
    python="/p/bin/python", version=(3, 9, 18), packages=fake_python.PINS, import_seconds=18.0,
    makes_twice=False, game="/p/Minecraft", has_jar=True, build_script=GRADLE,
    turns_with_land=False, java="1.8.0_402",
    java_home="1.8.0_402", has_javac=True, xvfb_run=True, xauth=True, memory=25e9, cores=16,
    workers=8, launch=Launch(seconds=90.0, steps_per_second=22.0),
)  # fmt: skip
ALL = {check.__name__: check for check in (*checks.CLIENT, *checks.MACHINE)}


def packages(**versions: str) -> dict[str, str]:
    return fake_python.PINS | {name.replace("_", "-"): text for name, text in versions.items()}


def test_a_machine_that_has_all_is_well():
    rows = [check(WELL) for check in ALL.values()]
    assert {row.state for row in rows} == {OK}
    assert [row.name for row in rows if row.cure] == ["second make"]


@pytest.mark.parametrize(
    ("check", "changed", "state", "cure"),
    [
        ("python", {"version": (3, 12, 1)}, MISSING, "3.9, 3.10 or 3.11: .* setup --python=3.9"),
        ("python", {"python_error": "No such file"}, MISSING, "RLGPT_MINEDOJO_PYTHON"),
        ("client", {"packages": {}}, MISSING, "minedojo setup"),
        ("client", {"packages": {}, "python_error": "none"}, UNKNOWN, ""),
        ("gym", {"packages": packages(gym="0.26.2")}, MISSING, r'"setuptools==65\.5\.0"'),
        ("gym", {"packages": {}}, MISSING, r'pip install "pip<24\.1"'),
        ("numpy", {"packages": packages(numpy="2.0.2")}, MISSING, r"numpy==1\.23\.5"),
        ("numpy", {"packages": packages(numpy="1.26.4")}, OK, r"numpy==1\.23\.5"),
        ("numpy", {"packages": {}}, MISSING, "setup"),
        ("opencv", {"packages": packages(opencv_python="4.12.0.88")}, UNKNOWN, r"4\.11\.0\.86"),
        ("opencv", {"packages": {}}, MISSING, "setup"),
        ("importing", {"import_error": "ImportError: x"}, MISSING, "remove the folder"),
        ("importing", {"import_seconds": None}, UNKNOWN, ""),
        ("importing", {"import_seconds": 70.0}, OK, "launch_timeout"),
        ("second_make", {"makes_twice": None}, UNKNOWN, ""),
        ("second_make", {"makes_twice": False}, OK, "ConfigKeyError 'prompt'"),
        ("second_make", {"makes_twice": True}, OK, ""),
        ("java", {"java": None}, MISSING, "openjdk-8-jdk"),
        ("java", {"java": "17.0.15"}, MISSING, "JAVA_HOME"),
        ("java", {"java": "18.0.1"}, MISSING, "JAVA_HOME"),
        ("java", {"java_home": "11.0.2"}, MISSING, "Gradle prefers JAVA_HOME"),
        ("java", {"java_home": None}, OK, ""),
        ("java", {"has_javac": False}, MISSING, "not only a JRE"),
        ("mixin_link", {"has_jar": False}, MISSING, "issue 113.*/p/Minecraft/build.gradle"),
        ("mixin_link", {"has_jar": False, "build_script": "other"}, OK, ""),
        ("mixin_link", {"has_jar": None, "build_script": ""}, UNKNOWN, ""),
        ("lidar", {"turns_with_land": True}, MISSING, "copy into /p/Minecraft.*MixinVec3d.java"),
        ("lidar", {"turns_with_land": None}, UNKNOWN, ""),
        ("build", {"has_jar": False}, MISSING, "cd /p/Minecraft && ./gradlew shadowJar"),
        ("build", {"has_jar": None}, UNKNOWN, ""),
        ("display", {"xvfb_run": False}, MISSING, "apt install xvfb"),
        ("display", {"xauth": False}, MISSING, "apt install xvfb xauth"),
        ("display", {"xvfb_run": False, "display": ":0"}, MISSING, "headless=false"),
        ("display", {"headless": False}, MISSING, "headless=true"),
        ("display", {"headless": False, "display": ":0", "xvfb_run": False}, OK, ""),
        ("tiling", {"launch": None}, UNKNOWN, "doctor --launch"),
        ("tiling", {"launch": None, "has_nvidia": True}, UNKNOWN, "NVIDIA's GL fails"),
        ("tiling", {"launch": Launch(is_tiled=True)}, MISSING, "DISPLAY=:7.*headless=false"),
        ("tiling", {"launch": Launch(is_blank=True)}, MISSING, "Mesa's"),
        ("tiling", {"launch": Launch(error="died")}, UNKNOWN, "nine small"),
        ("memory", {"memory": 7.9e9, "workers": 3}, MISSING, r"minedojo\.workers=2"),
        ("memory", {"memory": 2e9, "workers": 1}, MISSING, r"minedojo\.workers=1: .*unexpectedly"),
        ("memory", {"memory": None}, UNKNOWN, "3 GB per worker"),
        ("cores", {"cores": 4, "workers": 3}, OK, "two cores"),
        ("launch", {"launch": None}, UNKNOWN, "--launch"),
        ("launch", {"launch": Launch(error="no answer in 600 s")}, MISSING, "rows above"),
    ],
)
def test_what_is_found_decides_the_row_and_its_cure(check, changed, state, cure):
    row = ALL[check](dataclasses.replace(WELL, **changed))
    assert row.state == state
    assert bool(row.cure) == bool(cure) and re.search(cure, row.cure)


def test_no_row_is_without_facts():
    """An empty machine gives a row for everything, and a cure for whatever is missing."""
    rows = [check(Facts(python="/p", python_error="gone")) for check in ALL.values()]
    assert all(row.found for row in rows)
    assert all(row.cure for row in rows if row.state == MISSING)


@pytest.fixture
def machine(tmp_path, monkeypatch) -> Path:
    """An interpreter with the client, and a PATH with nothing but it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    return fake_python.write(tmp_path / "python", packages=fake_python.PINS)


def program(path: Path, says: str) -> None:
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    path.chmod(0o755)


def test_the_facts_are_those_of_the_machine(machine, monkeypatch):
    program(machine.parent / "java", 'openjdk version "1.8.0_402"')
    program(machine.parent / "xvfb-run", "")
    home = machine.parent / "home/bin"
    home.mkdir(parents=True)
    program(home / "java", 'openjdk version "17.0.15" 2025-04-15')
    monkeypatch.setenv("JAVA_HOME", str(home.parent))
    monkeypatch.setenv("DISPLAY", ":3")
    found = facts.gather(str(machine), workers=3)
    assert (found.java, found.java_home, found.has_javac) == ("1.8.0_402", "17.0.15", False)
    assert (found.xvfb_run, found.xauth, found.display) == (True, False, ":3")
    assert found.version == (3, 9, 18) and found.import_seconds == 1.0 and found.workers == 3
    assert found.memory is None or found.memory > 1e8


def test_the_command_tells_by_its_exit_code_and_as_json(machine, monkeypatch, capsys):
    assert command.main(["doctor", f"--python={machine}", "--skip-import", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    states = {row["name"]: row["state"] for row in told["rows"]}
    assert not told["ok"] and told["facts"]["packages"]["gym"] == "0.21.0"
    assert (states["gym"], states["Java 8"], states["import"]) == (OK, MISSING, UNKNOWN)

    monkeypatch.setattr(facts, "gather", lambda *arguments: WELL)
    assert command.main(["doctor"]) == 0
    assert "missing" not in capsys.readouterr().out
    assert command.main(["doctor", "--workers=0"]) == 2


def test_it_asks_the_interpreter_that_a_run_would_take(machine, monkeypatch, capsys):
    monkeypatch.setenv("RLGPT_MINEDOJO_PYTHON", str(machine))
    assert doctor.interpreter() == str(machine)
    monkeypatch.delenv("RLGPT_MINEDOJO_PYTHON")
    assert doctor.interpreter().endswith("/.minedojo/bin/python")
    gone = machine.parent / "gone"
    assert command.main(["doctor", f"--python={gone}", "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[0]["state"] == MISSING and str(gone) in rows[0]["found"]


class World:
    """One lane that always shows the same picture."""

    def __init__(self, picture: np.ndarray):
        self.obs = types.SimpleNamespace(rgb=picture[None])
        self.actions: list[np.ndarray] = []
        can = {"repeated_make": False, "success_rule": "all", "fast_reset_arguments": ["x", "y"]}
        client = {"minedojo": "0.1", "capabilities": can}
        self.lanes = [types.SimpleNamespace(client=client)]

    def reset(self, seed: int) -> types.SimpleNamespace:
        return self.obs

    def step(self, action: np.ndarray) -> types.SimpleNamespace:
        self.actions.append(action)
        return types.SimpleNamespace(obs=self.obs)


def test_a_launch_tells_nine_small_pictures_from_one():
    path = Path(__file__).parents[3] / "docs/pictures/world.png"
    picture = imageio.imread(path)[:, :, :3]
    tiled = np.tile(picture[::3, ::3], (3, 3, 1))
    noise = np.random.default_rng(0).integers(-3, 4, tiled.shape)
    noisy = np.clip(tiled + noise, 0, 255).astype(np.uint8)
    for shown, is_tiled, is_blank in (
        (picture, False, False), (tiled, True, False), (noisy, True, False),
        (np.full_like(picture, 80), False, True),
    ):  # fmt: skip
        found = launch.look(World(shown))
        assert (found.is_tiled, found.is_blank) == (is_tiled, is_blank)
        assert found.steps_per_second > 0 and not found.error
    row = checks.launch(dataclasses.replace(WELL, launch=found))
    assert "minedojo 0.1: second make no, success with all of several targets" in row.found
    assert row.found.endswith("reset arguments x, y")


def test_what_a_fork_does_not_tell_is_unknown():
    told = launch.words_of({"minedojo": "unknown", "capabilities": {"success_rule": None}})
    assert told.count("unknown") == 4
