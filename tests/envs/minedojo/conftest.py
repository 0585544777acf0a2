"""What the double of the client hears and is told to do."""

from pathlib import Path

import pytest

from tests.envs.minedojo.doubles import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
