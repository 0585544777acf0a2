"""Files of a run that are damaged one by one: it goes on and ends with the bits of a whole one."""

import json
import os
from pathlib import Path

import pytest

from tests.faults.conftest import Ledger, lost_in
from tests.faults.small_run import run_here

pytestmark = pytest.mark.faults

FILES = (
    "config.json", "version.json", "timing.json", "clock.json", "compile.json", "result.json",
    "final_eval.json", "coded_parts_eval.json", "metrics.csv", "timing.csv",
    "iterations/0/plan.json", "iterations/0/eval.json", "iterations/1/eval.json",
    "iterations/1/coded_parts_eval.json", "iterations/0/fates.json",
    "iterations/0/macros/milk_cow/try0.trial.json", "iterations/0/macros/milk_cow/try0.py",
    "checkpoints/0/latest.json", "checkpoints/1/latest.json", "transcript.jsonl",
)  # fmt: skip
MADE_ANEW = ("plan.json", "fates.json", "try0.py")  # from the transcript, at every start


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def emptied(data: bytes) -> bytes:
    return b""


def junk(data: bytes) -> bytes:
    return b"\x00\xff\xfe{,\n" + data[:40] + b"\n,,\n"


def other(data: bytes) -> bytes:
    """What can be read, and is not what should be there."""
    return b"{}\n"


DAMAGES = (cut, emptied, junk, other)


def damage(path: Path, how) -> None:
    data = path.read_bytes()
    if path.name == "transcript.jsonl" and how is not emptied:
        lines = data.splitlines(keepends=True)
        lines[3] = how(lines[3].rstrip(b"\n")).replace(b"\n", b" ") + b"\n"
        path.write_bytes(b"".join(lines))
    else:
        path.write_bytes(how(data))


@pytest.mark.parametrize(
    ("file", "how"),
    [  # cut, and of the others one after the other
        pytest.param(file, how, id=f"{file} {how.__name__}")
        for number, file in enumerate(FILES) for how in (cut, DAMAGES[1 + number % 3])
    ],
)  # fmt: skip
def test_a_damaged_file_costs_its_own_step(
    file: str, how, copy: Path, whole: Path, ledger: Ledger
) -> None:
    ledger.begin("damaged file")
    damage(copy / file, how)
    code, words = run_here(copy, "--resume")
    assert code == 0, words
    ledger.end(words, lost_in(copy, whole))
    is_valid = (file, how) in (("timing.json", other), ("transcript.jsonl", emptied))
    if not is_valid and not file.endswith(MADE_ANEW):
        assert str(copy / file) in words, words


@pytest.mark.parametrize("which", ["last", "both", "of the first iteration", "every one"])
def test_a_damaged_checkpoint_falls_back(
    which: str, copy: Path, whole: Path, ledger: Ledger
) -> None:
    ledger.begin("damaged file")
    iterations = {"last": "1", "both": "1", "of the first iteration": "0", "every one": "*"}
    folders = sorted(copy.glob(f"checkpoints/{iterations[which]}/update_*"))
    assert len(folders) == (4 if which == "every one" else 2)
    for folder in folders[-1:] if which in ("last", "of the first iteration") else folders:
        largest = max((p for p in folder.rglob("*") if p.is_file()), key=os.path.getsize)
        largest.write_bytes(cut(largest.read_bytes()))
    code, words = run_here(copy, "--resume")
    assert code == 0, words
    back = {"last": "update_000007", "of the first iteration": "update_000003"}
    assert (f"goes on from {back[which]}" if which in back else "begins anew") in words
    ledger.end(words, lost_in(copy, whole))


def test_settings_and_their_copy_gone_are_one_line(copy: Path, ledger: Ledger) -> None:
    ledger.begin("damaged file")
    for name in ("config.json", "config.copy.json"):
        (copy / name).write_text("{")
    code, words = run_here(copy, "--resume")
    assert code == 2 and words.count("\n") == 1 and "copy its config.json here" in words
    ledger.end(words)


def test_a_paid_answer_that_cannot_be_read_ends_with_what_to_do(copy: Path, ledger: Ledger) -> None:
    """Asked again it would be paid again, and be another: that is for a person to say."""
    ledger.begin("damaged file")
    for name in ("config.json", "config.copy.json"):
        saved = json.loads((copy / name).read_text())
        saved["config"]["llm"] |= {"provider": "file", "transcript": ""}
        (copy / name).write_text(json.dumps(saved))
    damage(copy / "transcript.jsonl", cut)
    before = (copy / "transcript.jsonl").read_bytes()
    code, words = run_here(copy, "--resume")
    assert code == 1 and "line 4 is not JSON" in words and "or delete that line" in words
    ledger.end(words, lost=(copy / "transcript.jsonl").read_bytes() != before)
