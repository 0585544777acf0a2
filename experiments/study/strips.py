"""Films of a run's iterations as one picture: what its agent did after each of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from experiments.films.encoding import quiet_fork
from experiments.films.video import END_FRAMES
from experiments.study.runs import Run
from rlgpt_jax.loop.record import read_json

NUM_MOMENTS = 5
WIDTH, GAP, LINE = 400, 6, 30  # of a moment, between two, of words above a row; pixels
INK, PAPER = (240, 238, 232), (24, 27, 30)


def write(out: Path, runs: Iterable[Run]) -> list[Path]:
    """One PNG per run whose iterations were filmed; kept cells have no films."""
    paths = []
    for run in runs:
        found = [_row(run.folder, folder) for folder in _iterations(run.folder)]
        rows = [row for row in found if row is not None]
        if rows:
            path = out / "strips" / f"{run.folder.name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            picture = Image.fromarray(np.concatenate(rows)).quantize(256)  # a third of the size
            picture.save(path, optimize=True)
            paths.append(path)
    return paths


def _iterations(run: Path) -> list[Path]:
    found = (run / "videos").glob("iteration*")
    return sorted(found, key=lambda folder: int(folder.name.removeprefix("iteration")))


def _row(run: Path, films: Path) -> np.ndarray | None:
    """Moments of an iteration's quickest success, else of its typical failure, at equal distances
    from the first tick to the last: uint8[height, width, 3]."""
    name = next((n for n in ("success", "failure") if (films / f"{n}.mp4").exists()), None)
    if name is None:
        return None
    place = films.name.removeprefix("iteration")
    rate = (read_json(run / "iterations" / place / "eval.json") or {}).get("success_rate")
    told = read_json(films / f"{name}.json")
    words = f"iteration {place}: a {name}" + (f" of {told['ticks']} ticks" if told else "")
    words += "" if rate is None else f"; success in validation worlds {100 * rate:.1f} %"
    reader: Any
    with quiet_fork(), imageio.get_reader(films / f"{name}.mp4") as reader:
        frames = list(reader.iter_data())  # it claims to be endless
    frames = frames[: max(1, len(frames) - END_FRAMES + 1)]  # the last picture stays for a while
    chosen = [frames[i] for i in np.linspace(0, len(frames) - 1, NUM_MOMENTS).round().astype(int)]
    height = round(WIDTH * chosen[0].shape[0] / chosen[0].shape[1])
    row = Image.new("RGB", (NUM_MOMENTS * (WIDTH + GAP) + GAP, LINE + height + GAP), PAPER)
    ImageDraw.Draw(row).text((GAP, 6), words, font=ImageFont.load_default(16), fill=INK)
    for column, frame in enumerate(chosen):
        moment = Image.fromarray(frame).resize((WIDTH, height), Image.Resampling.LANCZOS)
        row.paste(moment, (GAP + column * (WIDTH + GAP), LINE))
    return np.asarray(row)
