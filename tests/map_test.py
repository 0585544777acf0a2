"""docs/map.md names what exists, and every folder; pages and their links exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs/map.md").read_text()
NAMES = sorted(set(re.findall(r"`((?:rlgpt_jax|experiments)\.[\w.]+)`", MAP)))
PATHS = set(re.findall(r"`(rlgpt_jax/[\w/.]+)`", MAP))
TOP = "rlgpt_jax|experiments|prompts|tests|third_party"
TESTS = {path.stem for path in (ROOT / "tests").rglob("*_test.py")}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


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
    parts = {"rules", "render", "vm", "reward", "compiler"}
    named = {str(f.relative_to(ROOT)) for f in folders if f.parent.name not in parts}
    named.discard("rlgpt_jax")
    assert named <= PATHS
    assert all((ROOT / path).exists() for path in PATHS)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_list_begins_after_a_blank_line(page: Path) -> None:
    """Else the site (Python-Markdown) takes it for more of the paragraph before it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    assert re.findall(r"^(?![-#|] ?)\S.*\n- .*", text, re.M) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_and_named_files_of_a_page_exist(page: Path) -> None:
    text = page.read_text()
    for link, _, section in re.findall(r"\]\((?!http)([^)#\s]*)(#([\w-]+))?\)", text):
        target = page.parent / link if link else page
        assert target.exists(), link
        heads = re.findall(r"^#+ (.*)$", target.read_text(), re.M) if section else []
        assert section in ["", *(head.lower().replace(" ", "-") for head in heads)], section
    for path in re.findall(rf"`((?:{TOP})/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path
    assert set(re.findall(r"`(\w+_test)`", text)) <= TESTS
