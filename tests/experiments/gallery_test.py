"""The gallery: sheets with labels, of everything that there is."""

import io

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from experiments.gallery import __main__ as gallery
from experiments.gallery import blocks, items, mobs, run, viewer
from experiments.gallery.sheet import Sheet
from rlgpt_jax.envs.voxel.rules.blocks.blocks import BLOCK_STATES


def test_sheets_of_all_items_are_written_and_named(tmp_path):
    options = gallery.parse([f"--out={tmp_path / 'sheets'}", "--only=items"])
    out = io.StringIO()
    assert run.run(options, Console(file=out)) == 0
    files = sorted((tmp_path / "sheets").glob("items_*.png"))
    assert len(files) == -(-next(items.draw(options)) // 208)
    assert all(file.stat().st_size < 400_000 for file in files)
    assert Image.open(files[0]).width > 1000
    assert f"{len(files)} sheets in {tmp_path / 'sheets'}" in out.getvalue()


def test_unknown_sections_are_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        gallery.main([f"--out={tmp_path}", "--only=mobs,oceans"])
    assert "no 'oceans'. Choose from biomes, caves" in capsys.readouterr().err


@pytest.mark.slow
def test_sections_announce_their_pictures():
    options = gallery.parse(["--out=x"])
    assert next(blocks.draw(options)) == len(BLOCK_STATES) - 1
    assert next(items.draw(options)) > 600
    sheets = list(viewer.draw(options))
    assert sheets[0] == sum(sheet is None for sheet in sheets)
    assert len(sheets[-1].pictures) == sheets[0]


@pytest.mark.slow
def test_thumbnails_and_portraits_show_what_they_are_of():
    states = (("stone", 0), ("stone_stairs", 0), ("torch", 1), ("ladder", 2), ("flowing_water", 3))
    pictures = [blocks.thumbnail(*state).astype(int) for state in states]
    assert all(np.ptp(picture[30:70, 30:60], (0, 1)).max() > 40 for picture in pictures)
    front, side = (mobs.portrait({"kind": "cow", "yaw": yaw}).astype(int) for yaw in (200.0, 110.0))
    assert (np.abs(front - side) > 12).any(-1).mean() > 0.05


def test_labels_are_cut_to_their_picture():
    sheet = Sheet("name", "title", columns=2)
    for label in ("a", "a label that is far too long for its picture"):
        sheet.add(np.zeros((20, 40, 3), np.uint8), label)
    assert sheet.image().width == 2 * 46 + 6
