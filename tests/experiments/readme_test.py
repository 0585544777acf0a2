"""The README's commands and paths are those that exist; .ci/run uses the test command."""

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


@pytest.mark.parametrize(
    "path",
    sorted(
        set(
            re.findall(
                r"`((?:rlgpt_jax|experiments|prompts|third_"
                r"party|tests)[\w/.]*)`",
                README,
            )
        )
    ),
)
def test_a_named_path_exists(path: str) -> None:
    as_module = ROOT / path.replace(".", "/")
    assert (ROOT / path).exists() or as_module.with_suffix(".py").exists() or as_module.is_dir()


# What is in capitals a person puts in.
OVERRIDES = set(re.findall(r"--config\.[\w.]+=(?![A-Z])[\w.-]+", README))


@pytest.mark.parametrize("flag", sorted(OVERRIDES))
def test_an_override_named_in_the_readme_works(flag: str) -> None:
    pairs, _ = flags.split_overrides([flag])
    flags.override(flags.load_config("harvest_milk"), pairs)


def test_every_configuration_has_its_tasks_transcript_named() -> None:
    for name in flags.config_names():
        assert flags.load_config(name).llm.transcript == f"experiments/transcripts/{name}.jsonl"


def test_the_package_is_apache_licensed() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "Version 2.0, January 2004" in text
    assert len(text.splitlines()) == 202
