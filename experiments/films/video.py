"""Episodes as MP4 and GIF: what the agent sees, the world from above, what it does.

The evaluation world is used as it is, with all its lanes, so nothing is compiled for a
video: the seeded episodes of an evaluation are played once more, and some of them drawn.
Minecraft cannot be played twice: there the pictures that the agent sees are kept while other
episodes are played.
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from experiments.films import encoding
from experiments.films.encoding import TICKS_PER_SECOND
from rlgpt_jax.envs.base import Step
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.envs.voxel.lanes import lane_of
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.loop.record import write_json
from rlgpt_jax.rl.evaluate.report import EpisodeEnd
from rlgpt_jax.rl.rollout import on_host
from rlgpt_jax.rl.rollout.one_tick import lost_in

VIEW_HEIGHT, VIEW_WIDTH, SCALE = 160, 256, 2
MAP_SIZE = VIEW_HEIGHT * SCALE
MAP_EVERY = 2  # ticks between two drawings of the map, which changes slowly
CAPTION_HEIGHT = 48
# 832 x 368: multiples of 16, which H.264 encodes without rescaling.
FRAME_SIZE = (VIEW_WIDTH * SCALE + MAP_SIZE, VIEW_HEIGHT * SCALE + CAPTION_HEIGHT)
MAX_WATCHED = 4  # lanes whose pictures are kept where episodes cannot be played twice
MAX_FRAMES = 900  # about, of a long episode, which is shown faster; 1 MB each in memory
MAX_SLOW_FRAMES = 100  # of simulators, which draw a few pictures a second
END_FRAMES = 30  # the last picture stays for 1.5 s
Play = Callable[[Callable[[Any, list[str], Step], None]], None]  # plays episodes, tells of ticks
CODE, MACRO, POLICY = "code", "macro", "policy"  # who acts in a tick
Who = Mapping[str, str]  # label -> CODE or MACRO; all others are the policy's own
Tell = Callable[[Path, int, int], None]  # of a folder: frames that are there, of how many
INK, PAPER = (240, 238, 232), (24, 27, 30)
GOOD, BAD = (94, 201, 130), (240, 120, 120)


@dataclasses.dataclass
class Lane:
    """The drawn episode of one lane."""

    lane: int
    name: str  # success or failure; "" until that is known
    frames: list[np.ndarray] = dataclasses.field(default_factory=list)
    tick: int = 0
    is_open: bool = True
    above: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # the last map
    every: int = 1  # ticks from one picture to the next
    told: tuple[int, str] | None = None  # field of a world with a spec that captions tell
    labels: list[str] = dataclasses.field(default_factory=list)  # of every tick

    def timeline(self, who: Who) -> dict[str, Any]:
        """Who acted when: `runs` are [label, who, ticks], one after the other."""
        runs = [(label, len(list(same))) for label, same in itertools.groupby(self.labels)]
        return {
            "ticks": self.tick, "every": self.every, "frames_per_second": TICKS_PER_SECOND,
            "runs": [[label, who.get(label, POLICY), ticks] for label, ticks in runs],
        }  # fmt: skip


def write_episodes(
    world: Any, play: Play, folder: Path, every: int, who: Who, found: Sequence[EpisodeEnd],
    tell: Tell, gif: bool = True,
) -> list[Path]:  # fmt: skip
    """Writes `success` and `failure` (where there is one) as MP4, GIF and timeline (JSON).

    Args:
      world: a host world, with `state` for the renderer.
      play: plays the same episodes in every call, one in every lane.
      every: ticks from one picture to the next; long episodes are shown faster.
      who: who acts, by label.
      found: which of them to draw.
      tell: is told before the first and after every tick.
      gif: whether there are GIFs.

    Returns:
      The MP4 files; none of a world that cannot be drawn and shows no pictures.
    """
    if on_host.is_async(world):
        return [_write(lane, folder, who) for lane in seen_lanes(world.num_envs, play, every)]
    if not found:
        return []
    spec = getattr(world, "spec", None)
    told = spec and told_of(spec)
    lanes = [
        Lane(e.number, "success" if e.success else "failure", every=every, told=told) for e in found
    ]
    total = sum(num_frames(e.ticks, every) for e in found)

    def draw(env: Any, labels: list[str], step: Step) -> None:
        for lane in lanes:
            if lane.is_open and spec:
                add_rendered(lane, env, labels[lane.lane], step)
            elif lane.is_open:
                add_tick(lane, env.state, labels[lane.lane], step)
        tell(folder, sum(len(lane.frames) for lane in lanes), total)

    tell(folder, 0, total)
    play(draw)
    return [_write(lane, folder, who, gif) for lane in lanes]


def num_frames(ticks: int, every: int) -> int:
    """Of the film of an episode."""
    return sum(tick == 1 or tick % every == 0 for tick in range(1, ticks)) + END_FRAMES


def seen_lanes(num_envs: int, play: Play, every: int) -> list[Lane]:
    """A success and a failure, where there are such, as the agent saw them."""
    open_lanes = [Lane(lane, "", every=every) for lane in range(min(num_envs, MAX_WATCHED))]
    found: dict[str, Lane] = {}

    def keep(env: Any, labels: list[str], step: Step) -> None:
        del env
        if step.final_obs.rgb is None:
            return
        lost = lost_in(step)
        for lane in [lane for lane in open_lanes if lane.is_open]:
            if lost[lane.lane]:
                lane.frames, lane.labels, lane.tick = [], [], 0
                continue
            add_seen(lane, labels[lane.lane], step)
            if not lane.is_open and lane.name not in found:
                found[lane.name] = lane
            elif not lane.is_open:
                lane.frames = []

    play(keep)
    return [found[name] for name in ("success", "failure") if name in found]


def add_tick(lane: Lane, state: Any, label: str, step: Step) -> None:
    """Draws the world after a tick, or closes the episode with its outcome."""

    def draw() -> np.ndarray:
        one = jax.device_get(lane_of(state, lane.lane))
        view = for_people.first_person(one, 0, height=VIEW_HEIGHT, width=VIEW_WIDTH)
        if lane.tick % MAP_EVERY == 1 or lane.every > 1:
            lane.above = for_people.top_down(one, 0, size=MAP_SIZE)
        return joined(view, lane.above)

    _add(lane, draw, label, step)


def add_seen(lane: Lane, label: str, step: Step) -> None:
    """The same with what the agent sees; there is no map."""

    def draw() -> np.ndarray:
        picture = Image.fromarray(np.asarray(step.final_obs.rgb)[lane.lane])
        view = np.asarray(picture.resize((VIEW_WIDTH, VIEW_HEIGHT), Image.Resampling.NEAREST))
        return below_caption(enlarged(view))

    _add(lane, draw, label, step)


def add_rendered(lane: Lane, world: Any, label: str, step: Step) -> None:
    """The same of a simulator, which draws itself."""

    def draw() -> np.ndarray:
        return below_caption(enlarged(world.render([lane.lane], (VIEW_HEIGHT, VIEW_WIDTH))[0]))

    _add(lane, draw, label, step)


def told_of(spec: WorldSpec) -> tuple[int, str]:
    """The field that captions tell: the first that reports sum up."""
    names = [field.name for field in spec.fields]
    name = spec.facts[0] if spec.facts else names[0]
    return names.index(name), name


def _words(lane: Lane, obs: Any) -> str:
    """What a caption tells of an observation."""
    if lane.told is None:
        return f"life {float(np.asarray(obs.life)[lane.lane]):.0f}"
    field, name = lane.told
    return f"{name} {float(obs.fields[lane.lane, field]):.2f}"


def _add(lane: Lane, draw: Callable[[], np.ndarray], label: str, step: Step) -> None:
    lane.tick += 1
    lane.labels.append(label)
    index, words = lane.lane, _words(lane, step.final_obs)
    done = bool(np.asarray(step.terminated)[index] or np.asarray(step.truncated)[index])
    if done:  # the world holds the next episode already, so the last picture stays
        lane.is_open = False
        success = bool(np.asarray(step.info["success"])[index])
        lane.name = lane.name or ("success" if success else "failure")
        picture = lane.frames[-1] if lane.frames else np.zeros((*FRAME_SIZE[::-1], 3), np.uint8)
        end = with_caption(picture, label, lane.tick, words, "success" if success else "failed")
        lane.frames += [end] * END_FRAMES
    elif not lane.frames or lane.tick % lane.every == 0:
        lane.frames.append(with_caption(draw(), label, lane.tick, words, ""))


def joined(view: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Puts the view, enlarged, beside the map, with room for words above both.

    Above, because the controls of a paused video cover what is below.
    """
    return below_caption(np.concatenate([enlarged(view), above], axis=1))


def enlarged(view: np.ndarray) -> np.ndarray:
    """uint8[160, 256, 3] at twice its size."""
    return np.repeat(np.repeat(view, SCALE, axis=0), SCALE, axis=1)


def below_caption(picture: np.ndarray) -> np.ndarray:
    """A picture with room for words above it."""
    return np.pad(picture, ((CAPTION_HEIGHT, 0), (0, 0), (0, 0)))


def with_caption(frame: np.ndarray, label: str, tick: int, told: str, outcome: str) -> np.ndarray:
    """Writes action, tick, what is told and outcome above the pictures. Returns a new frame."""
    image = Image.fromarray(frame)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, image.width, CAPTION_HEIGHT - 1), fill=PAPER)
    large, small = ImageFont.load_default(24), ImageFont.load_default(18)
    words, colour = f"tick {tick}    {told}", GOOD if outcome == "success" else BAD
    right = image.width - 14
    if image.width == FRAME_SIZE[0]:
        pen.text((14, 10), label[:36], font=large, fill=INK)
        pen.text((VIEW_WIDTH * SCALE + 10, 14), words, font=small, fill=INK)
        pen.text((right, 14), outcome, font=small, fill=colour, anchor="ra")
    else:  # without a map there is less room
        pen.text((14, 10), label[:20], font=large, fill=INK)
        ended = f"{words}    {outcome}" if outcome else words
        pen.text((right, 14), ended, font=small, fill=colour if outcome else INK, anchor="ra")
    return np.asarray(image)


def _write(lane: Lane, folder: Path, who: Who, gif: bool = True) -> Path:
    path = encoding.write(lane.frames, folder, lane.name, gif)
    write_json(path.with_suffix(".json"), lane.timeline(who))
    return path
