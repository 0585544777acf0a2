"""docs/minedojo.md tells of the doctor's rows and of the settings that there are."""

import dataclasses
import importlib.util
import re
from pathlib import Path

import pytest

from experiments import flags
from experiments.minedojo import checks, recipe
from experiments.minedojo.facts import Facts
from rlgpt_jax.envs.minedojo.config import MineDojoConfig

TEXT = (Path(__file__).parents[3] / "docs/minedojo.md").read_text()


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    lines = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_row_of_the_doctor_has_its_cure_in_the_table():
    everything = [check(Facts(python="/p")) for check in (*checks.CLIENT, *checks.MACHINE)]
    rows = table("When something fails")
    assert [row[0] for row in rows] == [row.name for row in everything]
    assert all(row[2] for row in rows)


def test_the_settings_and_their_defaults_are_those_of_the_configuration():
    told = {row[0].strip("`"): row[1] for row in table("Settings")}
    fields = {field.name: field.default for field in dataclasses.fields(MineDojoConfig)}
    assert list(told) == list(fields)
    for name, default in fields.items():
        words = str(default).lower() if isinstance(default, bool) else f"{default}"
        assert told[name] == words.removesuffix(".0"), name


@pytest.mark.parametrize("pin", [*recipe.INSTALLED.items()], ids=str)
def test_the_pins_are_those_of_the_recipe(pin):
    name, version = pin
    assert f"{name} {version}" in TEXT


@pytest.mark.parametrize("flag", sorted(set(re.findall(r"--config\.[\w.]+=[\w.-]+", TEXT))))
def test_every_flag_is_one(flag):
    pairs, _ = flags.split_overrides([flag])
    if not flag.startswith("--config.llm."):  # needs its other half
        flags.override(flags.load_config("harvest_milk"), pairs)


@pytest.mark.parametrize("module", sorted(set(re.findall(r"python -m (experiments[\w.]*)", TEXT))))
def test_every_command_is_there(module):
    assert importlib.util.find_spec(module) is not None
