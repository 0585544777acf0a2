"""Setup makes the environment, goes on where it stopped, and says what else is needed."""

import json
from pathlib import Path

import pytest

from experiments.minedojo import __main__ as command
from experiments.minedojo import recipe, steps
from tests.experiments.minedojo import fake_python


@pytest.fixture
def base(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))  # without Java, which is slow to start
    return fake_python.write(tmp_path / "bin/python3.9")


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "place"


def setup(base: Path, folder: Path) -> int:
    return command.main(["setup", f"--python={base}", f"--folder={folder}"])


def test_it_makes_the_environment_with_the_pins(base, folder, capsys):
    assert setup(base, folder) == 0
    told = capsys.readouterr().out
    assert fake_python.asked(base) == [f"-I -m venv {folder}"]
    tools, client, check = fake_python.asked(folder / "bin/python")
    assert tools.endswith("install pip<24.1 setuptools==65.5.0 wheel==0.37.1")
    assert client.endswith(f"install -c {folder}/constraints.txt minedojo==0.1")
    assert (folder / "constraints.txt").read_text().split() == [*recipe.CONSTRAINTS]
    assert check.endswith("pip check")
    assert "[4/4] import of the client: " in told and f"RLGPT_MINEDOJO_PYTHON={folder}" in told
    for need in ("Java 8", "Gradle build", "display"):  # and does not pretend to install them
        assert need in told


def test_a_second_time_it_does_nothing(base, folder, capsys):
    assert setup(base, folder) == 0
    before = fake_python.asked(folder / "bin/python")
    capsys.readouterr()
    assert setup(base, folder) == 0
    assert fake_python.asked(folder / "bin/python") == before
    assert capsys.readouterr().out.count(": was there") == 4


@pytest.mark.parametrize("fails", ["-m venv", "wheel", "minedojo==0.1", "pip check"])
def test_it_goes_on_where_it_stopped(base, folder, fails, capsys):
    fake_python.change(base, fails=fails, says="Connection broken")
    assert setup(base, folder) == 1
    error = capsys.readouterr().err
    assert "ended with code 1" in error and "Connection broken" in error
    assert "network" in error and str(folder / "setup.log") in error
    for python in (base, folder / "bin/python"):
        if python.exists():
            fake_python.change(python, fails=None)
    assert setup(base, folder) == 0
    done = [*fake_python.asked(base), *fake_python.asked(folder / "bin/python")]
    for words in ("-m venv", "wheel", "minedojo==0.1", "pip check"):
        assert sum(words in line for line in done) == (2 if words == fails else 1)


def test_a_changed_version_is_put_right_and_imported_again(base, folder):
    assert setup(base, folder) == 0
    python = folder / "bin/python"
    packages = json.loads(Path(f"{python}.json").read_text())["packages"]
    fake_python.change(python, packages=packages | {"numpy": "2.0.2"})
    asked = len(fake_python.asked(python))
    assert setup(base, folder) == 0
    assert [line.split()[-1] for line in fake_python.asked(python)[asked:]] == ["minedojo==0.1"]
    assert json.loads((folder / "checked.json").read_text())["numpy"] == "1.23.5"


def test_a_version_that_does_not_follow_the_recipe_is_an_error(base, folder, capsys):
    loose = {"setuptools": fake_python.TOOLS, "minedojo": fake_python.PINS | {"numpy": "2.0.2"}}
    fake_python.change(base, installs=loose)
    assert setup(base, folder) == 1
    assert "MineDojo's client: not as the recipe says" in capsys.readouterr().err


def test_a_client_that_cannot_be_imported_is_an_error(base, folder, capsys):
    fake_python.change(base, when_imported={"import_error": "ImportError: libGL.so.1"})
    assert setup(base, folder) == 1
    assert "cannot import minedojo: ImportError: libGL.so.1" in capsys.readouterr().err
    assert not (folder / "checked.json").exists()


def test_folders_with_something_else_are_left_alone(base, folder, tmp_path, capsys):
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    assert setup(base, folder) == 2
    assert "there are other files in it" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert setup(base, folder / "mine.txt") == 2
    assert capsys.readouterr().err == f"error: {folder}/mine.txt: Not a directory.\n"

    other = tmp_path / "other"
    assert setup(base, other) == 0
    newer = fake_python.write(tmp_path / "bin/python3.10", (3, 10, 1))
    assert setup(newer, other) == 2
    assert "holds Python 3.9, not 3.10" in capsys.readouterr().err


def test_an_environment_that_was_half_made_is_made_again(base, folder):
    folder.mkdir()
    (folder / "pyvenv.cfg").write_text("")
    assert setup(base, folder) == 0


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ("error in gym setup command: 'extras_require' must be", "Remove the folder"),
        ("OSError: [Errno 28] No space left on device", "340 MB are needed"),
        ("ERROR: No matching distribution found for gym", "package index"),
        ("something new", "Read the log"),
    ],
)
def test_a_known_failure_comes_with_its_cure(said, cure, tmp_path):
    told = steps.explain(["pip", "install"], 1, ["", said], tmp_path / "log")
    assert said in told and cure in told


def test_a_command_that_does_not_start_is_told(tmp_path):
    with pytest.raises(steps.SetupError, match="does not start"):
        steps.run([str(tmp_path / "nothing")], tmp_path / "log", lambda words: None)


def test_the_command_line_is_checked(capsys):
    assert command.main(["setip"]) == 2
    assert "Did you mean setup" in capsys.readouterr().err
    assert command.main([]) == 2 and command.main(["--help"]) == 0
    assert command.main(["setup", "--python=3.12", "--folder=/nowhere/at/all"]) == 2
    assert "needs Python 3.9, 3.10 or 3.11" in capsys.readouterr().err
