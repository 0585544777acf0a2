"""One game: a lane of the embedded world in which missions are started and steps taken."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rlgpt_jax.envs import base
from rlgpt_jax.envs.base import Observation
from rlgpt_jax.envs.view.sight import Sight
from rlgpt_jax.envs.voxel.host import HostVoxel
from tests.doubles.minecraft import controls, info
from tests.doubles.minecraft.chat import Chat, CommandError
from tests.doubles.minecraft.edits import Edits
from tests.doubles.minecraft.lands import Lands
from tests.doubles.minecraft.lidar import AXES
from tests.doubles.minecraft.mission import Mission
from tests.doubles.minecraft.stats import Before, Stats


class Game:
    """What a Minecraft with the mod is to its client. Not safe from two threads at once."""

    def __init__(self, lands: Lands, seed: int = 0, lidar: str = "view"):
        """Opens a game in which no mission runs yet.

        Args:
          lands: the worlds there are.
          seed: of the worlds of missions that name none, and of what commands draw.
          lidar: what rays count from, one of `lidar.AXES`.

        Raises:
          ValueError: there is no such lidar.
        """
        if lidar not in AXES:
            raise ValueError(f"no lidar {lidar!r}. Try: {', '.join(AXES)}.")
        self.lands = lands
        self.host: HostVoxel | None = None
        self.mission: Mission
        self.refused: list[str] = []  # what this world cannot do, of the last step or mission
        self._lidar, self._rng = lidar, np.random.default_rng(seed)
        self._land: tuple[str, float] | None = None
        self._stats, self._total_time = Stats(), 0
        self._obs: Observation  # of the last tick
        self._spawn = np.zeros(3)
        self._held: frozenset[str] = frozenset()  # keys that are down
        self._dead = self._died = False  # until the next life; in the last tick
        self._whole_turns = 0  # that the yaw has made

    def begin(self, mission: Mission) -> None:
        """Starts a mission: a world, a player, what is carried."""
        self.mission, self.refused = mission, []
        land = self.lands.biome_of(mission.biome), mission.break_speed
        if self.host is not None and land == self._land and not mission.force_reset:
            self._join()
            return
        if self.host is None or land != self._land:
            self._land, self.host = land, self.lands.world(*land)
        self.host.image_size = None  # nothing is drawn before the player stands there
        self._stats, self._total_time = Stats(), 0
        self.host.reset(self._seed(mission.world_seed))
        self._spawn = self.host.field("player.position")[0].astype(np.float64)
        self._join()

    def step(self, lines: str) -> None:
        """Does what the lines of a step say, and one tick."""
        host = self._running()
        turn, self.refused = controls.read_turn(lines, self._held)
        self._held = turn.keys
        whole = controls.bins(turn)
        action = controls.to_action(turn, self._obs.slot_name[0])
        # The embedded world waits after slow actions, the game does not.
        busy = bool(host.field("player.busy")[0]) and (action != base.NOOP).any()
        if turn.chat or self._dead or whole is None or busy or not self.mission.time_passes:
            with self._edit() as edits:
                self._prepare(edits, turn, whole is None)
            action = controls.to_action(turn, self._obs.slot_name[0])
        fields = {name: host.field(name) for name in Before.FIELDS}
        yaw = float(host.field("player.yaw")[0])
        step = host.advance(action[None])
        self._obs, self._total_time = step.obs, self._total_time + 1
        yaw += float(action[base.YAW] - base.CAMERA_CENTRE) * base.CAMERA_STEP
        self._whole_turns += round((yaw - float(step.obs.yaw[0])) / 360.0)
        after = Before((name, host.field(name)) for name in Before.FIELDS)
        harm = np.array([step.obs.damage[0], step.obs.damage_kind[0]])
        self._stats.count(Before(fields), after, turn, action, harm)
        self._died = bool(step.obs.life[0] <= 0.0)
        if self._died and not self._dead:
            with self._edit(last=True) as edits:
                edits.die()
        self._dead = self._died

    def pixels(self) -> bytes:
        """RGB, three bytes a pixel, the bottom row first."""
        self._running()
        assert self._obs.rgb is not None
        return self._obs.rgb[0, ::-1].tobytes()

    def info(self) -> bytes:
        """The JSON beside the picture."""
        return json.dumps(self.facts()).encode()

    def facts(self) -> dict[str, Any]:
        """What `info` tells."""
        host, mission = self._running(), self.mission
        sight = self.sight()
        yaw = float(self._obs.yaw[0]) + 360.0 * self._whole_turns
        told = self._stats.tree | info.body(sight, yaw, self._died) | info.inventory(sight)
        ways = (way for name, way in told["stat"].items() if name.endswith("_one_cm"))
        told["distance_travelled_cm"] = sum(ways)
        told["world_time"] = int(self._obs.time_of_day[0])
        told["total_time"] = self._total_time
        if mission.grid:
            told |= info.grid(sight, mission.grid)
        if mission.rays:
            told |= info.rays(sight, host.state, mission.rays, self._lidar)
        return told

    def sight(self) -> Sight:
        """What there is to be seen now."""
        host, obs = self._running(), self._obs
        noop = np.array([base.NOOP], np.int32)
        return Sight(obs, obs, noop, host, self.lands.params.sea_level + 1)

    def _running(self) -> HostVoxel:
        if self.host is None:
            raise RuntimeError("no mission runs: call begin(mission) first.")
        return self.host

    def _seed(self, asked: str) -> int:
        """Of the world: the mission's, a number or a word, or a new one."""
        if not asked:
            return int(self._rng.integers(2**31))
        number = asked.lstrip("-").isdigit()
        return (int(asked) if number else zlib.crc32(asked.encode())) % 2**31

    def _join(self) -> None:
        """The player enters the world as the mission wants it."""
        mission = self.mission
        self._held = frozenset()
        self._dead = self._died = False
        self._whole_turns = 0
        with self._edit(last=True) as edits:
            edits.respawn(self._spawn)
            fields = edits.fields
            for stack in mission.inventory:
                if not edits.put(stack):
                    self.refused.append(f"item {stack.name}")
            for name, value in (("life", mission.life), ("food", mission.food)):
                if value is not None:
                    getattr(fields.player, name)[:] = value
            fields.world_time[:] = (mission.start_time or 0) % 24_000
            if mission.placement:
                edits.stand(np.array(mission.placement[:3]), *mission.placement[3:])

    def _prepare(self, edits: Edits, turn: controls.Turn, free_turn: bool) -> None:
        """What happens before the tick that the world's own action cannot say."""
        fields = edits.fields
        fields.player.busy[:] = 0
        if self._dead:
            edits.respawn(self._spawn)
            self._dead, self._whole_turns = False, 0
        if not self.mission.time_passes:
            fields.world_time[:] -= 1
        chat = Chat(edits, self._spawnable, self._rng)
        for command in turn.chat:
            try:
                chat.run(command)
            except CommandError as problem:
                self.refused.append(str(problem))
        if chat.teleported:
            self._whole_turns = 0
        if fields.player.life[0] <= 0.0 and not self._dead:
            self._stats.die()
            self._dead = True
        if free_turn:
            self._turn_freely(fields, turn)

    def _turn_freely(self, fields: Any, turn: controls.Turn) -> None:
        player = fields.player
        yaw = float(player.yaw[0]) + turn.yaw
        player.yaw[0] = (yaw + 180.0) % 360.0 - 180.0
        self._whole_turns += round((yaw - float(player.yaw[0])) / 360.0)
        player.pitch[0] = np.clip(player.pitch[0] + turn.pitch, -90.0, 90.0)

    @property
    def _spawnable(self) -> np.ndarray:
        host = self._running()
        return np.asarray(host.env.default_params.pool.spawnable)[int(host.field("pool_index")[0])]

    @contextmanager
    def _edit(self, last: bool = False) -> Iterator[Edits]:
        """Opens the world for changes; draws it anew only if no tick follows (`last`)."""
        host = self._running()
        edits = Edits(
            host.save(), np.asarray(host.env.default_params.pool.blocks), self.lands.summoned
        )
        yield edits
        host.image_size = self.mission.image_size if last else None
        self._obs = host.load(edits.close())
        host.image_size = self.mission.image_size
