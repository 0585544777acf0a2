"""What was injected and what came of it: the table of docs/reliability.md.

`pytest -n 0 -m faults` writes it where every kind of fault was injected.
"""

import collections
import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from tests.experiments.main_test import bits
from tests.faults import ROOT
from tests.faults.small_run import run_here, start_flags

PAGE = ROOT / "docs" / "reliability.md"
TABLE = re.compile(r"(?<=<!-- injected -->\n).*?(?=<!-- end -->)", re.S)
KINDS = (
    "kill -9 at a random moment", "full disk", "damaged file", "second process in the folder",
    "SIGTERM or SIGHUP", "Ctrl-C while starting", "loss that is not finite",
    "API down for an hour", "MineDojo worker killed", "Ray node killed", "hostile answers",
    "API key planted in answers and errors",
)  # fmt: skip


@dataclasses.dataclass
class Row:
    """One kind of fault."""

    injected: int = 0
    survived: int = 0  # ended, or went on, as it should
    lost: int = 0  # answers, rows, files that were there before
    tracebacks: int = 0


ROWS: dict[str, Row] = collections.defaultdict(Row)


class Ledger:
    """Counts injections. One that is not `ended` counts as not survived."""

    def begin(self, kind: str) -> None:
        assert kind in KINDS
        ROWS[kind].injected += 1
        self._row = ROWS[kind]

    def end(self, words: str = "", lost: int = 0) -> None:
        """Checks what it printed, and that nothing is gone."""
        self._row.tracebacks += words.count("Traceback")
        self._row.lost += lost
        assert "Traceback" not in words, words[-3000:]
        assert not lost
        self._row.survived += 1


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture(scope="session")
def flags(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Of a new run."""
    return start_flags(tmp_path_factory.mktemp("transcript"))


@pytest.fixture(scope="session")
def whole(flags: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    code, words = run_here(folder, *flags)
    assert code == 0, words
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """The same to be damaged: as it was after the first update of its second iteration."""
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    return folder


def lost_in(folder: Path, whole: Path) -> int:
    """How much of an undisturbed run a finished one lacks: files, rows, answers."""
    mine, theirs = bits(folder), bits(whole)
    return sum(mine.get(name) != theirs[name] for name in theirs)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if set(KINDS) - set(ROWS) or exitstatus or not PAGE.exists():
        return
    lines = ["| fault | injected | survived | lost | tracebacks |", "|---|---|---|---|---|"]
    for kind in KINDS:
        lines.append("| " + " | ".join(map(str, (kind, *dataclasses.astuple(ROWS[kind])))) + " |")
    PAGE.write_text(TABLE.sub("\n".join(lines) + "\n", PAGE.read_text()))
