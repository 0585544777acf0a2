"""Frames hold both pictures and the words; files play where browsers need them to."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import imageio.v2 as imageio
import imageio_ffmpeg
import numpy as np
import pytest

from experiments.films import video
from rlgpt_jax.rl.evaluate.report import EpisodeEnd

VIEW = np.full((video.VIEW_HEIGHT, video.VIEW_WIDTH, 3), (200, 10, 10), np.uint8)
MAP = np.full((video.MAP_SIZE, video.MAP_SIZE, 3), (10, 10, 200), np.uint8)


def step(done: bool, success: bool) -> Any:
    return SimpleNamespace(
        final_obs=SimpleNamespace(life=np.array([20.0, 7.0])),
        terminated=np.array([False, done]), truncated=np.array([False, False]),
        info={"success": np.array([False, success])},
    )  # fmt: skip


@pytest.fixture
def episode(monkeypatch: pytest.MonkeyPatch) -> video.Lane:
    """Lane 1: three ticks, then success."""
    monkeypatch.setattr(video.for_people, "first_person", lambda state, lane, height, width: VIEW)
    monkeypatch.setattr(video.for_people, "top_down", lambda state, lane, size: MAP)
    state = {"position": np.zeros((2, 3), np.float32)}
    lane = video.Lane(1, "success")
    for label in ("find_cow", "forward", "use"):
        video.add_tick(lane, state, label, step(False, False))
    video.add_tick(lane, state, "use", step(True, True))
    return lane


def test_a_frame_holds_the_view_the_map_and_the_words() -> None:
    frame = video.with_caption(video.joined(VIEW, MAP), "find_cow", 12, "life 20", "")
    assert frame.shape == (*video.FRAME_SIZE[::-1], 3)
    assert (frame[-10, 10] == VIEW[0, 0]).all() and (frame[-10, -10] == MAP[0, 0]).all()
    other = video.with_caption(video.joined(VIEW, MAP), "milk_cow", 12, "life 20", "")
    words = video.CAPTION_HEIGHT
    assert (frame[words:] == other[words:]).all() and (frame[:words] != other[:words]).any()


def test_sizes_are_what_h264_takes_without_rescaling() -> None:
    assert video.FRAME_SIZE[0] % 16 == 0 and video.FRAME_SIZE[1] % 16 == 0


def test_the_outcome_stays_on_the_last_picture(episode: video.Lane) -> None:
    assert not episode.is_open and episode.tick == 4
    assert len(episode.frames) == 3 + video.END_FRAMES == video.num_frames(4, every=1)
    assert (episode.frames[3] == episode.frames[-1]).all()
    assert (episode.frames[2] != episode.frames[3]).any()


def test_files_have_the_codec_size_and_length_of_the_episode(
    episode: video.Lane, tmp_path: Path
) -> None:
    path = video._write(episode, tmp_path, {"find_cow": video.CODE})
    assert json.loads(path.with_suffix(".json").read_text()) == {
        "ticks": 4, "every": 1, "frames_per_second": 20,
        "runs": [["find_cow", "code", 1], ["forward", "policy", 1], ["use", "policy", 2]],
    }  # fmt: skip
    frames = imageio.mimread(path, memtest=False)
    assert len(frames) == len(episode.frames)
    assert frames[0].shape == (*video.FRAME_SIZE[::-1], 3)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)]
    words = subprocess.run(command, capture_output=True, text=True).stderr
    assert "h264" in words and "yuv420p" in words and "20 fps" in words
    gif = imageio.mimread(path.with_suffix(".gif"))
    assert gif[0].shape[:2] == (video.FRAME_SIZE[1] // 2, video.FRAME_SIZE[0] // 2)


@pytest.mark.parametrize(("every", "shown"), [(1, 3), (2, 2), (50, 1)])
def test_a_film_tells_how_many_frames_it_will_have(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, every: int, shown: int
) -> None:
    """Four ticks of lane 1, the last of which ends the episode."""
    monkeypatch.setattr(video.for_people, "first_person", lambda state, lane, height, width: VIEW)
    monkeypatch.setattr(video.for_people, "top_down", lambda state, lane, size: MAP)
    world = SimpleNamespace(num_envs=2, state={"position": np.zeros((2, 3), np.float32)})

    def play(on_tick: Any) -> None:
        for tick in range(1, 5):
            on_tick(world, ["noop"] * 2, step(tick == 4, False))

    told: list[tuple[int, int]] = []
    [path] = video.write_episodes(
        world, play, tmp_path, every, {}, [EpisodeEnd(1, None, False, 4, "", "", None, None)],
        lambda folder, done, total: told.append((done, total)), gif=False,
    )  # fmt: skip
    total = shown + video.END_FRAMES
    assert told[0] == (0, total) and told[-1] == (total, total) and told[1] == (1, total)
    assert path.stem == "failure" and len(imageio.mimread(path, memtest=False)) == total


def test_pictures_that_the_agent_sees_are_kept_while_it_plays() -> None:
    """Lane 0 fails after a loss, lane 1 succeeds, lane 2 succeeds later and is not needed."""
    rgb = np.zeros((3, 16, 16, 3), np.uint8)
    rgb[1] = 250

    def tick(**lanes: list[int]) -> Any:
        flags = {name: np.isin(np.arange(3), lanes.get(name, [])) for name in
                 ("terminated", "truncated", "success", "lost")}  # fmt: skip
        return SimpleNamespace(
            final_obs=SimpleNamespace(life=np.full(3, 20.0), rgb=rgb),
            terminated=flags["terminated"], truncated=flags["truncated"],
            info={"success": flags["success"], "lost": flags["lost"]},
        )  # fmt: skip

    def play(on_tick: Any) -> None:
        for step in (
            tick(), tick(lost=[0], truncated=[0]), tick(terminated=[1], success=[1]), tick(),
            tick(terminated=[2], success=[2]), tick(truncated=[0]),
        ):  # fmt: skip
            on_tick(None, ["noop"] * 3, step)

    success, failure = video.seen_lanes(3, play, every=1)
    assert (success.name, success.lane, success.tick) == ("success", 1, 3)
    assert (failure.name, failure.lane, failure.tick) == ("failure", 0, 4)
    held = video.END_FRAMES
    assert len(success.frames) == 2 + held and len(failure.frames) == 3 + held
    assert (success.frames[0][-10, 10] == 250).all() and (failure.frames[0][-10, 10] == 0).all()
