"""A finished run to report of."""

from pathlib import Path

import pytest

from tests.experiments import run_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return run_folder.make(tmp_path / "run")
