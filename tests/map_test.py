"""docs/map.md names what exists, and every folder."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs/map.md").read_text()
NAMES = sorted(set(re.findall(r"`((?:rlgpt_jax|experiments)\.[\w.]+)`", MAP)))
PATHS = set(re.findall(r"`(rlgpt_jax/[\w/.]+)`", MAP))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_exists(name: str) -> None:
    module, _, last = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        assert hasattr(importlib.import_module(module), last)


def test_every_folder_of_the_library_is_on_the_map() -> None:
    folders = {path.parent for path in (ROOT / "rlgpt_jax").rglob("*.py")}
    # Rooms within a room are told in its line.
    parts = {"rules", "render", "vm", "reward"}
    named = {str(f.relative_to(ROOT)) for f in folders if f.parent.name not in parts}
    named.discard("rlgpt_jax")
    assert named <= PATHS
    assert all((ROOT / path).exists() for path in PATHS)
