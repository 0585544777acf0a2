"""The README's commands and the settings that pages name are those that there are."""

import re
import subprocess
from pathlib import Path

import pytest

from experiments import flags

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def command(mark: str) -> str:
    """The one line of the code block after `<!-- mark -->`."""
    found = re.search(rf"<!-- {mark} -->\n```bash\n(.*)\n```", README)
    assert found, f"README has no block after <!-- {mark} -->"
    return found[1]


def test_each_command_is_one_line_that_installs_and_runs() -> None:
    main, test = command("main command"), command("test command")
    assert main.endswith(".venv/bin/python -m experiments.main --config=harvest_milk")
    assert "pip install -q -e . &&" in main and "pip install -q -e '.[test]' &&" in test
    assert test.endswith(".venv/bin/python -m pytest")


def test_the_ci_script_finds_the_test_command() -> None:
    script = (ROOT / ".ci/run").read_text()
    (extract,) = re.findall(r"^test_command=\$\((.*)\)$", script, re.M)
    done = subprocess.run(["bash", "-c", extract], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == command("test command")
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


# Neighbours belong together. What is in capitals a person puts in; a model needs a name and a key;
# a session shows a mistake.
FLAG = r"--config\.(?!llm)[a-z_.]+=(?![A-Z.])[\w.,:/-]*[\w/]"
TEXT = README + "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
SAID = re.sub(r"^(\$|error:) .*$", "", TEXT, flags=re.M)
OVERRIDES = sorted(set(re.findall(rf"{FLAG}(?:[ \\\n]+{FLAG})*", SAID)))


@pytest.mark.parametrize("told", OVERRIDES)
def test_overrides_named_in_a_page_work(told: str) -> None:
    pairs, _ = flags.split_overrides(re.findall(FLAG, told))
    flags.override(flags.load_config("harvest_milk"), pairs)


def test_every_configuration_has_its_tasks_transcript_named() -> None:
    for name in flags.config_names():
        assert flags.load_config(name).llm.transcript == f"experiments/transcripts/{name}.jsonl"


def test_the_package_is_apache_licensed() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0, January 2004" in text
    assert len(text.splitlines()) == 202
