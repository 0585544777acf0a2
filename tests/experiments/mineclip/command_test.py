"""`python -m experiments.mineclip`: convert, texts, score, with a model of a few numbers."""

import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from experiments.mineclip import score
from experiments.mineclip.__main__ import COMMANDS, main
from rlgpt_jax.rl.reward.clip import convert, torch_file, weights
from rlgpt_jax.rl.reward.clip.reward import Scorer
from tests.rl.reward.clip import small

SIZES = small.sizes()


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """PyTorch, and `convert` for the small sizes."""
    whole = functools.partial(convert.convert_file, sizes=SIZES)
    monkeypatch.setattr(convert, "convert_file", whole)
    return pytest.importorskip("torch", reason="the extra `clip` is not installed")


def test_convert_tells_every_name_and_writes_the_weights(
    tmp_path: Path, torch: Any, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "attn.pth"
    state = {name: torch.tensor(x) for name, x in small.checkpoint(SIZES).items()}
    torch.save({"state_dict": state}, path)
    out = tmp_path / "mineclip.npz"
    assert main(["convert", str(path), str(out)]) == 0
    told = capsys.readouterr().out.splitlines()
    loaded = weights.load(out)
    count = len(weights.flatten(loaded.params))
    assert len(told) == count + 1 and told[-1].startswith(f"{count} parameters, ")
    assert loaded.digest[:16] in told[-1]


def test_a_wrong_file_is_one_error_and_writes_nothing(
    tmp_path: Path, torch: Any, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "other.pth"
    torch.save({"fc.weight": torch.ones(2)}, path)
    out = tmp_path / "mineclip.npz"
    assert main(["convert", str(path), str(out)]) == 2
    told, error = capsys.readouterr()
    assert "unexpected: fc.weight" in told and "log_scale [scalar] <- missing" in told
    assert error.startswith("error: ") and "is not a checkpoint of MineCLIP" in error
    assert not out.exists()
    for given, words in (
        ([str(path), str(path)], "must end in .npz"),
        ([str(tmp_path / "none.pth"), str(out)], "there is no file"),
    ):
        assert main(["convert", *given]) == 2
        assert words in capsys.readouterr().err


def test_without_pytorch_convert_says_first_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # its import fails, installed or not
    assert main(["convert", "none.pth", "out.txt"]) == 2
    error = capsys.readouterr().err
    assert "pip install -e '.[clip]'" in error and error.count("\n") == 1


@pytest.mark.slow
def test_a_folder_of_pictures_is_scored_with_merges_or_with_kept_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    files = small.files(tmp_path)
    folder = tmp_path / "film"
    folder.mkdir()
    for i in range(5):
        grey = np.full((90, 120, 3), 50 * i, np.uint8)
        Image.fromarray(grey).save(folder / f"{i}.png")
    with_weights = f"--weights={files['weights']}"
    kept = tmp_path / "texts.npz"
    made = ["texts", str(kept), with_weights, f"--merges={files['merges']}"]
    assert main([*made, "--task=harvest_milk"]) == 0
    assert capsys.readouterr().out == f"features of 32 sentences written to {kept}\n"
    score = ["score", str(folder), with_weights, "--task=harvest_milk", "--stride=2", "--window=3"]
    assert main([*score, f"--merges={files['merges']}"]) == 0
    by_merges = capsys.readouterr().out
    assert main([*score, f"--texts={kept}"]) == 0
    assert capsys.readouterr().out == by_merges
    lines = by_merges.splitlines()
    assert lines[0] == 'prompt "milk a cow with an empty bucket" among 32 sentences'
    assert [line.split()[0] for line in lines[2:5]] == ["0", "2", "4"]
    assert "over 5 frames" in lines[5] and len(lines) == 11
    assert 0 < sum(float(line.split()[0]) for line in lines[6:]) <= 1.001


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["scor"], "no command 'scor'"),
        (["score", "a.mp4", "--weights=w.npz", "--merges=m"], "give the sentence with --prompt"),
        (["score", "a.mp4", "--weights=w.npz", "--prompt=x"], "give --merges, CLIP's list"),
        (["score", "a.mp4", "--weights=w.npz", "--prompt=x", "--merges=m"], "there are no weights"),
        (["score", "a", "--weights=w", "--window=0"], "--window=0 must be at least 1"),
        (["texts", "a.txt", "--weights=w"], "a.txt must end in .npz"),
    ],
)
def test_wrong_arguments_are_one_error(
    argv: list[str], words: str, capsys: pytest.CaptureFixture
) -> None:
    assert main(argv) == 2
    assert words in capsys.readouterr().err


def test_pictures_that_are_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    files = small.files(tmp_path)
    score = [f"--weights={files['weights']}", f"--merges={files['merges']}", "--prompt=x"]
    (tmp_path / "film.mp4").write_text("not a film")
    for folder in ("empty", "broken", "cut"):
        (tmp_path / folder).mkdir()
    noise = np.random.default_rng(0).integers(0, 256, (90, 120, 3)).astype(np.uint8)
    Image.fromarray(noise).save(tmp_path / "whole.png")
    whole = (tmp_path / "whole.png").read_bytes()
    (tmp_path / "broken" / "0.png").write_bytes(whole[:8] + b"no chunks")
    (tmp_path / "cut" / "0.png").write_bytes(whole[: len(whole) // 2])
    for name, words in (
        ("none.mp4", "there is no"), ("film.mp4", "cannot be read"), ("empty", "no pictures"),
        ("broken", "0.png cannot be read as a picture"), ("cut", "0.png cannot be read"),
    ):  # fmt: skip
        assert main(["score", str(tmp_path / name), *score]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("command", ["convert", "texts"])
def test_a_file_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(torch_file, "pytorch", lambda: None)
    monkeypatch.setattr(convert, "convert_file", lambda *_: pytest.fail("it was converted"))
    monkeypatch.setattr(weights, "load", lambda *_: pytest.fail("weights were read"))
    (tmp_path / "file").touch()
    (tmp_path / "folder.npz").mkdir()
    for out in (tmp_path / "file" / "out.npz", tmp_path / "folder.npz"):
        given = [str(tmp_path / "a.pth"), str(out)]
        if command == "texts":
            given = [str(out), "--weights=w.npz", "--merges=m.txt"]
        assert main([command, *given]) == 2
        assert f"{out} cannot be written" in capsys.readouterr().err


@pytest.mark.slow
def test_a_film_is_encoded_while_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = np.random.default_rng(1).normal(size=(4, 16)).astype(np.float32)
    scorer = Scorer(small.weights(), texts, score.BLOCK)
    rng = np.random.default_rng(2)
    film = rng.integers(0, 256, (2 * score.BLOCK + 5, *SIZES.image_size, 3)).astype(np.uint8)
    padded = np.concatenate([np.tile(scorer.black, (2, 1)), scorer.frames(film)])
    expected = scorer.probabilities(np.stack([padded[i : i + 3] for i in range(len(film))]))
    encoded, frames = [], scorer.frames
    monkeypatch.setattr(scorer, "frames", lambda rgb: encoded.append(len(rgb)) or frames(rgb))
    np.testing.assert_array_equal(score.watch(scorer, iter(film), 3), expected)
    assert encoded == [score.BLOCK, score.BLOCK, 5]


def test_without_arguments_the_commands_are_listed(capsys: pytest.CaptureFixture) -> None:
    assert main(["--help"]) == 0 and main([]) == 2
    told = capsys.readouterr().out
    assert all(name in told for name in COMMANDS)
