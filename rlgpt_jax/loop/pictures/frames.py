"""Pictures of a typical success and failure of an evaluation, for a critic with eyes.

    iterations/<i>/frames/{success,failure}_{before,after,strip}.png
    iterations/<i>/frames/frames.json   episodes, moments and facts; written last, so that
                                        frames are whole where it is

Every word in a picture is made from the observation of the very tick that is drawn. An
episode that does not repeat exactly is not drawn; `frames.json` says so.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from rlgpt_jax.agents.llm.base import Image
from rlgpt_jax.agents.llm.disk import write_atomically
from rlgpt_jax.envs.voxel.lanes import lane_of
from rlgpt_jax.envs.voxel.render import for_people
from rlgpt_jax.envs.voxel.state import WorldState
from rlgpt_jax.loop.pictures import strip
from rlgpt_jax.loop.pictures.repeat import can_repeat, states
from rlgpt_jax.loop.pictures.watched import Watch
from rlgpt_jax.loop.record import read_json, write_json
from rlgpt_jax.loop.tools import VALIDATION, Tools, World
from rlgpt_jax.rl.evaluate.keyframes import Episode, Recorder
from rlgpt_jax.rl.evaluate.moments import NUM_MOMENTS, Moment, choose

VIEW_HEIGHT, VIEW_WIDTH = 200, 320  # pixels as drawn; single views are enlarged
FOLDER, INDEX = "frames", "frames.json"
SAME = 1e-3  # blocks and degrees: a repetition that differs by more is another episode
NOT_REPEATED = "The episode did not repeat exactly, so it is not drawn."
NONE = {"success": "No episode succeeded.", "failure": "No episode failed."}

Views = dict[int, np.ndarray]  # row -> uint8[H, W, 3]


def check(tools: Tools, num_envs: int) -> None:
    """Complains at the start about worlds that cannot be drawn.

    Raises:
      ValueError: the critic shall see worlds that have no pictures.
    """
    if tools.critic.vision == "off":
        return
    world = tools.world(VALIDATION, num_envs)
    if not can_repeat(world) and tools.task.spec is None:
        raise ValueError(
            f"critic.vision={tools.critic.vision!r}, but {type(world).__name__} worlds cannot be "
            "drawn. Set critic.vision to off, or use the embedded voxel world."
        )


def are_missing(tools: Tools, iteration: int) -> bool:
    """Whether an iteration that is evaluated still lacks the pictures it shall have."""
    wanted = tools.critic.vision != "off"
    return wanted and not tools.folder.iteration(iteration, FOLDER, INDEX).exists()


def make_recorder(tools: Tools, world: World) -> Recorder | None:
    """What listens to an evaluation that will be drawn."""
    if tools.critic.vision == "off":
        return None
    spec = tools.task.spec
    return Watch(world, spec, tools.task.horizon) if spec else Recorder(world.goal_names)


def take(tools: Tools, iteration: int, recorder: Recorder, world: World, num_episodes: int) -> None:
    """Draws and writes; nothing if it was done before.

    Args:
      recorder: of the evaluation in `world`.
      num_episodes: of that evaluation, for the words.
    """
    if not are_missing(tools, iteration):
        return
    target = " or ".join(world.goal_names) or "the target"
    chosen = {"success": recorder.success, "failure": recorder.failure}
    found = {name: episode for name, episode in chosen.items() if episode is not None}
    num, notes = NUM_MOMENTS if tools.critic.vision == "strip" else 2, NONE
    told: Mapping[str, tuple[list[Moment], Views | None]]
    if isinstance(recorder, Watch):
        words = f"Of {recorder.num_watched} episodes that were drawn no one is a"
        notes = {name: f"{words} {name}." for name in chosen}
        told = {name: recorder.shown(episode, num) for name, episode in found.items()}
    else:
        moments = {name: choose(episode, target, num) for name, episode in found.items()}
        views = draw(world, found, moments)
        told = {name: (moments[name], views[name]) for name in found}
    entries = []
    for name, episode in chosen.items():
        entry = {"which": name, "note": notes[name], "moments": [], "pictures": []}
        if episode is not None:
            at, drawn = told[name]
            entry = _entry(name, episode, at, world.num_envs)
            if drawn is None:
                entry["note"] = NOT_REPEATED
            else:
                _write(tools, iteration, entry, drawn, at)
        entries.append(entry)
    index = {"schema": 1, "vision": tools.critic.vision, "target": target,
             "num_episodes": num_episodes, "episodes": entries}  # fmt: skip
    write_json(tools.folder.iteration(iteration, FOLDER, INDEX), index)


def shown(tools: Tools, iteration: int) -> tuple[tuple[Image, ...], str]:
    """The pictures of an iteration in the order of the prompt, and the words about them."""
    index = read_json(tools.folder.iteration(iteration, FOLDER, INDEX))
    if index is None:
        return (), ""
    images, lines = [], []
    for entry in index["episodes"]:
        if entry["note"]:
            lines.append(f"- {entry['note']}")
        for picture in entry["pictures"]:
            path = tools.folder.iteration(iteration, FOLDER, picture["file"])
            images.append(Image(path.stem, path.read_bytes()))
            lines.append(f"{len(images)}. {path.stem}: {picture['words']}")
    words = tools.prompts.fill("critic.pictures", pictures="\n".join(lines))
    return tuple(images), words


def draw(
    world: World, found: dict[str, Episode], moments: dict[str, list[Moment]]
) -> dict[str, Views | None]:
    """The views of every episode, None for one that does not repeat exactly."""
    views: dict[str, Views | None] = {name: {} for name in found}
    ticks = {name: {moment.tick for moment in moments[name]} for name in found}
    for batch in {id(e.batch): e.batch for e in found.values()}.values():
        here = {name: e for name, e in found.items() if e.batch is batch}
        last = max(episode.ticks for episode in here.values())
        for at, worlds in states(world, batch, last):
            for name, episode in here.items():
                drawn = views[name]
                if drawn is None or at not in ticks[name]:
                    continue
                state = jax.device_get(lane_of(worlds, episode.lane))
                if _is_same(state, episode, at):
                    drawn[at] = for_people.first_person(state, 0, VIEW_HEIGHT, VIEW_WIDTH)
                else:
                    views[name] = None
    return views


def _is_same(state: WorldState, episode: Episode, at: int) -> bool:
    """Whether a repeated state is where the recorded episode was."""
    row, lane, player = episode.row(at), episode.lane, state.player
    there = np.concatenate([row.position[lane], row.view[lane]])
    here = np.concatenate([player.position[0], player.yaw, player.pitch])
    return bool(np.abs(there - here).max() < SAME)


def _entry(name: str, episode: Episode, moments: list[Moment], num_envs: int) -> dict[str, Any]:
    """What `frames.json` says of an episode."""
    presses: dict[str, dict[str, int]] = {}
    for _, key, place in episode.presses():
        counts = presses.setdefault(key, {})
        counts[place] = counts.get(place, 0) + 1
    return {
        "which": name, "note": "", "episode": episode.batch.number * num_envs + episode.lane,
        "lane": episode.lane, "success": episode.success, "ticks": episode.ticks,
        "dead_loop": episode.dead_loop, "presses": presses,
        "moments": [dataclasses.asdict(moment) for moment in moments], "pictures": [],
    }  # fmt: skip


def _write(
    tools: Tools, iteration: int, entry: dict[str, Any], views: Views, moments: list[Moment]
) -> None:
    """Writes the pictures of one episode and notes them in `entry`."""
    name, ticks = entry["which"], entry["ticks"]
    outcome = "succeeded" if entry["success"] else "failed"
    how = f"{outcome} after {ticks} ticks" + " in a dead loop" * entry["dead_loop"]
    last, crosshair = moments[-1].tick, bool(moments[0].crosshair)
    at_end = "at its end" if last == ticks else "near its end"
    first, end = (strip.single(views[tick], crosshair) for tick in (0, last))
    pictures = {
        "before": (first, f"the typical {name} ({how}) at its start"),
        "after": (end, f"the typical {name} {at_end}, tick {last}"),
    }
    if tools.critic.vision == "strip":
        title = f"TYPICAL {name.upper()} of {tools.task.name}: {how}"
        drawn = strip.strip(title, [views[m.tick] for m in moments], moments)
        pictures["strip"] = (drawn, f"{len(moments)} moments of the typical {name}")
    for part, (data, words) in pictures.items():
        file = f"{name}_{part}.png"
        write_atomically(tools.folder.iteration(iteration, FOLDER, file), data)
        entry["pictures"].append({"file": file, "words": words})
