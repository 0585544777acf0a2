"""Pictures of an evaluation: true, in their promised order, drawn once, the same bytes."""

import dataclasses
import functools
import io
import json

import jax
import numpy as np
import pytest
from PIL import Image as Picture

from rlgpt_jax.agents import critic
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.envs.voxel.host import HostVoxel
from rlgpt_jax.envs.voxel.lanes import lane_of
from rlgpt_jax.loop import events, two_loop
from rlgpt_jax.loop.config import CriticConfig
from rlgpt_jax.loop.pictures import frames, strip
from rlgpt_jax.loop.pictures.repeat import states
from rlgpt_jax.loop.record import read_json
from rlgpt_jax.rl.actions import empty_space
from rlgpt_jax.rl.config import RLConfig
from rlgpt_jax.rl.evaluate.evaluate import evaluate
from rlgpt_jax.rl.evaluate.keyframes import Recorder
from rlgpt_jax.rl.evaluate.moments import Moment
from rlgpt_jax.rl.networks.actor_critic import init_params
from rlgpt_jax.rl.policy import Policy
from tests.agents.states import PROMPTS, SETTING
from tests.envs.voxel.host_test import N, make_env
from tests.loop.kills import kill_at_each
from tests.loop.script import CONFIG, RL, Script, critique, plan, tools

SETTINGS = RLConfig(
    ppo=dataclasses.replace(RL.ppo, num_envs=N), network=RL.network
)  # the lanes of the compiled test world
SMALL = dataclasses.replace(
    CONFIG, num_iterations=1, num_tries=1, ticks_per_iteration=N * 16, eval_episodes=N,
    trial_episodes=N,
)  # fmt: skip
ANSWERS = {
    "iter0/slow": plan(("find", "learn", "Find it.")),
    "iter0/fast/rl": "```json\n{}\n```",
    "iter0/critic": critique(),
}
NAMES = ["failure_before", "failure_after", "failure_strip"]


@functools.cache
def world() -> HostVoxel:
    return HostVoxel(make_env())


def voxel_tools(path, provider=None, vision="strip", **changes):
    return tools(
        path, provider, rl=SETTINGS, task=make_env().task, critic=CriticConfig(vision),
        make_env=lambda split, num_envs, seed, task=None: world(), **changes,
    )  # fmt: skip


@functools.cache
def recorded() -> Recorder:
    """Episodes of 12 ticks of an untrained policy; none of them succeeds."""
    recorder = Recorder(("cow",))
    params = init_params(SETTINGS.network, jax.random.key(0))
    evaluate(
        world(),
        Policy(params, empty_space(), SETTINGS),
        5,
        num_episodes=N,
        recorder=recorder,
        task="t",
    )
    return recorder


def taken(path, vision="strip", recorder=None):
    given = voxel_tools(path, vision=vision)
    frames.take(given, 0, recorder or recorded(), world(), N)
    return given, {p.name: p.read_bytes() for p in (path / "iterations/0/frames").iterdir()}


def test_the_files_of_an_iteration_are_written_and_small(tmp_path):
    _, files = taken(tmp_path)
    assert set(files) == {f"{name}.png" for name in NAMES} | {"frames.json"}
    assert max(map(len, files.values())) < 400_000
    single = Picture.open(io.BytesIO(files["failure_before.png"]))
    assert single.size == (640, 400)
    wide = Picture.open(io.BytesIO(files["failure_strip.png"]))
    assert 1280 <= wide.width <= 1568 and 560 <= wide.height <= 900


def test_frames_alone_are_two_views_per_episode(tmp_path):
    _, files = taken(tmp_path, "frames")
    assert set(files) == {"failure_before.png", "failure_after.png", "frames.json"}
    moments = json.loads(files["frames.json"])["episodes"][1]["moments"]
    assert [m["tick"] for m in moments] == [0, 12]


def test_the_index_tells_who_is_shown_and_why(tmp_path):
    given, _ = taken(tmp_path)
    index = read_json(given.folder.iteration(0, "frames", "frames.json"))
    best, worst = index["episodes"]
    assert best["note"].startswith("No episode succeeded") and not best["pictures"]
    episode = recorded().failure
    assert (worst["lane"], worst["ticks"], worst["success"]) == (episode.lane, 12, False)
    presses = sum(sum(counts.values()) for counts in worst["presses"].values())
    assert presses == len(episode.presses()) > 0
    assert worst["moments"][0]["tick"] == 0 and worst["moments"][-1]["tick"] == 12


def test_drawing_twice_gives_the_same_bytes(tmp_path):
    assert taken(tmp_path / "one")[1] == taken(tmp_path / "two")[1]


def test_what_is_there_is_not_drawn_again(tmp_path, monkeypatch):
    _, files = taken(tmp_path)
    monkeypatch.setattr(frames.for_people, "first_person", lambda *_: pytest.fail("drawn again"))
    assert taken(tmp_path)[1] == files


def test_a_kill_before_the_index_draws_all_again(tmp_path):
    given, files = taken(tmp_path)
    folder = given.folder.iteration(0, "frames")
    (folder / "frames.json").unlink()
    (folder / "failure_strip.png").write_bytes(b"half")
    assert frames.are_missing(given, 0)
    assert taken(tmp_path)[1] == files and not frames.are_missing(given, 0)


def test_a_repetition_goes_where_the_recorded_episodes_went():
    """Every row of the lane, the end included, though the others go on without a reset."""
    episode = recorded().failure
    for at, worlds in states(world(), episode.batch, episode.ticks):
        state = lane_of(worlds, episode.lane)
        np.testing.assert_array_equal(
            state.player.position[0], episode.row(at).position[episode.lane]
        )
        np.testing.assert_array_equal(state.player.yaw[0], episode.row(at).view[episode.lane][0])
        assert state.player.life[0] == episode.row(at).life[episode.lane]


@pytest.mark.slow  # compiles an evaluation in one program
def test_pure_worlds_repeat_too():
    """The evaluation's own world, on whatever device it is."""
    env = make_env()
    recorder = Recorder(("cow",))
    params = init_params(SETTINGS.network, jax.random.key(0))
    evaluate(env, Policy(params, empty_space(), SETTINGS), 5, num_episodes=N, recorder=recorder)
    episode = recorder.failure
    last = [lane_of(worlds, episode.lane)
            for _, worlds in states(env, episode.batch, episode.ticks)][-1]  # fmt: skip
    assert frames._is_same(last, episode, episode.ticks)


def test_an_episode_that_does_not_repeat_is_not_drawn(tmp_path):
    moved = recorded().failure
    batch = dataclasses.replace(moved.batch, seed=moved.batch.seed + 1)
    recorder = Recorder(("cow",))
    recorder.failure = dataclasses.replace(moved, batch=batch)
    given, files = taken(tmp_path, recorder=recorder)
    assert set(files) == {"frames.json"}
    images, words = frames.shown(given, 0)
    assert images == () and "did not repeat exactly" in words


def test_the_message_carries_the_pictures_in_the_order_of_its_words(tmp_path):
    given, files = taken(tmp_path)
    images, words = frames.shown(given, 0)
    assert [image.name for image in images] == NAMES
    assert [image.data for image in images] == [files[f"{name}.png"] for name in NAMES]
    for number, name in enumerate(NAMES, start=1):
        assert f"{number}. {name}: " in words
    state = PromptState(SETTING, report="r", images=images, images_words=words)
    (message,) = critic.render(state, PROMPTS)
    assert message.images == images and words in message.text
    assert message.text.index(words) < message.text.index("```json")


def test_a_critic_without_eyes_reads_the_same_words_as_ever(tmp_path):
    given = voxel_tools(tmp_path, vision="off")
    assert frames.make_recorder(given, world()) is None and not frames.are_missing(given, 0)
    assert frames.shown(given, 0) == ((), "")
    (message,) = critic.render(PromptState(SETTING, report="r"), PROMPTS)
    assert not message.images and "icture" not in message.text.split("## How to judge")[0][-200:]


def test_worlds_without_pictures_are_refused_at_the_start(tmp_path):
    script = Script()
    given = tools(tmp_path, script, critic=CriticConfig("frames"))
    with pytest.raises(ValueError, match=r"critic.vision='frames', but Corridor worlds cannot"):
        two_loop.run(CONFIG, given)
    assert script.batches == []


def test_an_unknown_vision_is_refused():
    with pytest.raises(ValueError, match="off, frames, strip"):
        CriticConfig(vision="movie")


@pytest.mark.slow
def test_a_killed_run_asks_its_critic_with_the_same_pictures(tmp_path):
    """Killed when the pictures are drawn, and when the critic waits; then resumed."""

    def start(name, listen=events.ignore):
        two_loop.run(SMALL, voxel_tools(tmp_path / name, Script(ANSWERS), on_event=listen))

    def kill(kind):
        kill_at_each([lambda e: isinstance(e, kind)], lambda listen: start("killed", listen))

    start("whole")
    kill(events.Evaluated)
    at = {p: p.stat().st_mtime_ns for p in (tmp_path / "killed").glob("iterations/0/frames/*")}
    assert len(at) == 4
    kill(events.Criticised)
    start("killed")
    assert at == {p: p.stat().st_mtime_ns for p in at}, "nothing is drawn again"
    asked = []
    for name in ("whole", "killed"):
        exchanges = transcript.read(tmp_path / name / "transcript.jsonl")
        (request,) = [e.request for e in exchanges if e.request.key == "iter0/critic"]
        asked.append(request)
    assert asked[0].prompt_sha256 == asked[1].prompt_sha256
    assert [image.name for image in asked[1].messages[0].images] == NAMES


def test_the_crosshair_leaves_its_middle_free():
    view = np.full((200, 320, 3), (90, 160, 60), np.uint8)
    picture = np.asarray(Picture.open(io.BytesIO(strip.single(view))))
    assert tuple(picture[200, 320]) == (90, 160, 60)
    assert tuple(picture[200, 330]) == (255, 255, 255) == tuple(picture[210, 320])


def test_a_strip_writes_every_word_inside_itself():
    long = "nothing, " * 12
    moments = [Moment(at, "why " * 12, long, "grass at 3.0 blocks", True, long) for at in range(5)]
    view = np.zeros((200, 320, 3), np.uint8)
    picture = Picture.open(io.BytesIO(strip.strip("T", [view] * 5, moments))).convert("RGB")
    edge = np.asarray(picture)
    for side in (edge[0], edge[-1], edge[:, 0], edge[:, -1]):
        assert (side == strip.PAPER).all()
    assert picture.size == (4 * 328 + 8, picture.height)
