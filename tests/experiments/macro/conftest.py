"""A macro in a file."""

from pathlib import Path

import pytest

from tests.macros.accept_test import WALK


@pytest.fixture
def walk(tmp_path: Path) -> str:
    path = tmp_path / "walk.py"
    path.write_text(WALK)
    return str(path)
