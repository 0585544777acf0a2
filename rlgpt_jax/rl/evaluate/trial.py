"""One macro as a run would start it, and facts about what it did.

The macros of the space's script run first, in their order, from the start of the episode. Then
either the macro under trial is started where they ended, or the lane is played forward into a
situation in which the macro matters (`approach.py`) and it is started there. It is started once,
and the lane is watched until it ends. The same seed gives the same episodes, so that two versions
can be compared.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.evaluate import approach
from rlgpt_jax.rl.evaluate.activation import Activation, action_words, episode_of, facts_of
from rlgpt_jax.rl.evaluate.approach import Scene, Wishes
from rlgpt_jax.rl.evaluate.lost import Lost
from rlgpt_jax.rl.evaluate.tally import ends_of
from rlgpt_jax.rl.evaluate.trial_report import TrialReport
from rlgpt_jax.rl.rollout import macro_step, on_host

PLAIN = Scene()
EPISODES_PER_LANE = 3  # that may end in play before the macro is started
SCRIPT, APPROACH, RUNNING, ENDED = range(4)  # what a lane is at


class _Start(NamedTuple):
    """Which trials go on at the same time."""

    sequence: np.random.SeedSequence
    reset: int  # the seed that the world is reset with
    lanes: np.ndarray  # int[K]  that are followed
    are_cases: bool


def _starts(seed: int, num: int, num_envs: int, cases: Sequence[tuple[int, int]]) -> list[_Start]:
    """Of `num` trials: fresh episodes, and then those of `cases`."""
    starts = []
    for chunk, begin in enumerate(range(0, num - len(cases), num_envs)):
        chunk_seed = int(np.random.SeedSequence([seed, chunk]).generate_state(1)[0])
        sequence = np.random.SeedSequence(chunk_seed)
        lanes = np.arange(min(num_envs, num - len(cases) - begin))
        starts.append(_Start(sequence, int(sequence.generate_state(1)[0] >> 1), lanes, False))
    for reset in dict.fromkeys(reset for reset, _ in cases):
        lanes = np.array([lane for other, lane in cases if other == reset])
        starts.append(_Start(np.random.SeedSequence([seed, reset]), reset, lanes, True))
    return starts


class _Chunk:
    """All lanes of the world, of which those of `start` are followed through one trial each."""

    def __init__(
        self, world: HostEnvironment, space: HybridSpace, slot: int, scene: Scene, start: _Start
    ):
        self.world, self.space, self.slot, self.followed = world, space, slot, start.lanes
        self.goals = np.array([NAME_ID[name] for name in world.goal_names], np.int32)
        second = int(start.sequence.generate_state(2)[1] >> 1)
        self.obs = world.reset(start.reset) if scene.state is None else world.load(scene.state)
        every = world.num_envs
        self.wishes = Wishes(scene, every, np.random.default_rng(start.sequence))
        self.player: approach.Search | approach.Play | None = None  # None: nobody plays
        if scene.play and scene.policy is not None:
            self.player = approach.Play(self.obs, scene.policy, world.goal_names, second)
        elif scene.play:
            rng = np.random.default_rng(second)
            self.player = approach.Search(self.obs, self.wishes, rng)
        self.busy = np.zeros(every, bool)
        self.phase = np.where(np.isin(np.arange(every), start.lanes), SCRIPT, ENDED)
        self.stage = np.zeros(every, int)  # macros of the script that have begun
        self.macros = macro_step.init_macros(space, every)
        self.lanes = [Activation(is_case=start.are_cases) for _ in range(every)]
        self.env_ticks = 0
        self.recorder = scene.recorder
        if self.recorder is not None:
            self.recorder.start(start.reset)

    def run(self, lost: Lost, ended_before: int) -> None:
        """Follows the lanes until every trial is over."""
        while (self.phase != ENDED).any():
            seen = self._look(self.obs)
            action = self._act(seen)
            follows = self.phase != ENDED
            self.env_ticks += int(follows.sum())
            step = self.world.step(action)
            ended = ended_before + len(self.followed) - int(follows.sum())
            gone = lost.add(step, follows, ended)
            self._settle(step, self._look(step.final_obs), gone)
            if self.player is not None:
                self.player.end_tick(action, step)
            done = np.asarray(step.terminated | step.truncated)
            self.macros = macro_step.cut(self.macros, done)
            self.obs, self.busy = step.obs, np.asarray(step.info["busy"]) & ~done

    def _look(self, obs: Any) -> Any:
        """`Targets`; None in a world with a spec, where nothing is said to be one."""
        return approach.look(obs, self.goals) if self.space.spec is None else None

    def _act(self, seen: Any) -> np.ndarray:
        """What every lane does in this tick, as `macro_step.Act.action`."""
        script = np.array((*self.space.script, 0 if self.player else self.slot))
        scripted = self.phase == SCRIPT
        chosen = np.where(scripted, script[np.minimum(self.stage, len(script) - 1)], 0)
        act = self._advance(chosen, self.busy)
        self._note(act, seen, self.phase == RUNNING)
        decided = scripted & act.decided
        over = decided & (self.stage >= len(script) - 1)
        self.stage += decided
        self.phase[over] = APPROACH if self.player else RUNNING
        action = act.action
        if self.player is not None:
            action = self._play(action, seen)
        else:
            self._begin(over, seen)
            self._note(act, seen, over)
        self._count(action)
        if self.recorder is not None:
            nobody = np.zeros(len(self.busy), np.int32)
            act = act._replace(action=action, decided=nobody > 0, slot=nobody)
            self.recorder.tick(self.obs, [""] * len(nobody), act, ~self.busy)
        return action

    def _play(self, action: np.ndarray, seen: Any) -> np.ndarray:
        """The actions with those of the lanes that are played or whose macro starts now."""
        assert self.player is not None
        near = self.phase == APPROACH
        played = np.array([lane.played for lane in self.lanes])
        start = near & self.wishes.are_met(self.obs, seen, played)
        move, free = self.player.act(self.obs, seen, self.busy | ~near, start)
        for lane in np.flatnonzero(near):
            self.lanes[lane].played += 1
        begins = start & free & ~self.busy
        action = np.where(near[:, None], move, action)
        if begins.any():
            begun = self._advance(np.where(begins, self.slot, 0), ~begins)
            self._begin(begins, seen)
            self._note(begun, seen, begins)
            action = np.where(begins[:, None], begun.action, action)
        return action

    def _advance(self, chosen: np.ndarray, busy: np.ndarray) -> macro_step.Act:
        nothing = np.tile(macro_step.idle_of(self.space.spec), (len(busy), 1))
        self.macros, act = macro_step.act(
            self.space, self.macros, self.obs, chosen.astype(np.int32), nothing, busy
        )
        return act

    def _begin(self, begins: np.ndarray, seen: Any) -> None:
        held = self.wishes.holds(self.obs)
        for lane in map(int, np.flatnonzero(begins)):
            self.phase[lane] = RUNNING
            materials = bool(held[lane])
            self.lanes[lane].start = facts_of(self.obs, seen, lane) | {"materials": materials}

    def _note(self, act: macro_step.Act, seen: Any, lanes: np.ndarray) -> None:
        """The lanes bool[N] whose macro has ended in this tick."""
        for lane, slot, end, trap in ends_of(act.macro, lanes):
            if slot == self.slot:
                self._end(lane, self.obs, seen, end=end, trap=trap)

    def _end(self, lane: int, obs: Any, seen: Any, **how: Any) -> None:
        """`obs` is the last of the activation."""
        facts = facts_of(obs, seen, lane)
        self.phase[lane] = ENDED
        # Only the first episode of a lane can be repeated.
        if self.recorder is not None and self.lanes[lane].ticks and self.lanes[lane].is_first:
            self.recorder.end(lane, bool(how.get("success")), False, obs)
        self.lanes[lane].end = dict(trap="", success=False, died=False) | facts | how

    def _count(self, action: np.ndarray) -> None:
        for lane in np.flatnonzero((self.phase == RUNNING) & ~self.busy):
            self.lanes[lane].actions[action_words(action[lane], self.space.spec)] += 1

    def _settle(self, step: Step, seen: Any, gone: np.ndarray) -> None:
        """What came of the tick; `gone` int[K] are lanes whose episode was lost."""
        done = np.asarray(step.terminated | step.truncated)
        moved = np.zeros((len(done), 2))
        if self.space.spec is None:
            moved = (np.asarray(step.final_obs.position) - np.asarray(self.obs.position))[:, [0, 2]]
        for i in map(int, np.flatnonzero(self.phase != ENDED)):
            lane, success = self.lanes[i], bool(step.info["success"][i])
            if i in gone:
                self._again(i, Activation(ended_before=lane.ended_before, is_first=False))
            elif self.phase[i] == RUNNING:
                lane.ticks += 1
                lane.walked += float(np.hypot(*moved[i]))
                if done[i]:
                    how = dict(end="interrupted", success=success, died=not success)
                    self._end(i, step.final_obs, seen, **how)
            elif done[i]:
                ended = [*lane.ended_before, success]
                self._again(i, Activation(ended_before=ended, is_first=False))
                # Without play the next episode would go the same way.
                if self.player is None or len(lane.ended_before) + 1 == EPISODES_PER_LANE:
                    self.phase[i] = ENDED
            else:
                lane.tick += 1

    def _again(self, lane: int, fresh: Activation) -> None:
        self.lanes[lane], self.phase[lane], self.stage[lane] = fresh, SCRIPT, 0


def trial(
    env: on_host.World,
    space: HybridSpace,
    slot: int,
    seed: int,
    num_episodes: int,
    scene: Scene = PLAIN,
) -> TrialReport:
    """Starts the macro in `slot` (1-based) once per episode and reports what came of it.

    Args:
      env: pure or host environment; it is reset. Lanes are used in chunks.
      space: its script runs before the macro; nothing of it is offered to anybody.
      scene: in a world with a spec nobody plays; with a state no more episodes than lanes.

    Raises:
      TooManyLost: workers die so often that the macro does not come to its end.
    """
    world, spec = on_host.as_host(env), space.spec
    offered = tuple(i + 1 == slot for i in range(len(space.offered)))
    space = dataclasses.replace(space, offered=offered, repeat_script=False)
    lost, lanes, env_ticks = Lost(num_episodes), list[Activation](), 0
    for start in _starts(seed, num_episodes, world.num_envs, scene.cases):
        part = _Chunk(world, space, slot, scene, start)
        scene = dataclasses.replace(scene, recorder=None)
        part.run(lost, len(lanes))
        lanes += [part.lanes[lane] for lane in start.lanes]
        env_ticks += part.env_ticks
    who = "play of the policy that was trained last" if scene.policy else "random play and search"
    # Episodes that ended before the macro could start are told where it never did.
    never = [lane.ended_before[-1] for lane in lanes if lane.start is None]
    return TrialReport(
        name=space.label(slot), goal=" or ".join(world.goal_names), goal_item=scene.goal_item,
        materials=scene.materials, before=tuple(space.label(s) for s in space.script),
        player=who if scene.play else "what led to a stored state" * (scene.state is not None),
        episodes=tuple(
            episode_of(lane, i, spec) for i, lane in enumerate(lanes) if lane.start is not None
        ),
        solved_before=sum(never), over_before=len(never) - sum(never), env_ticks=env_ticks,
        seed=seed, lost=lost.num,
    )  # fmt: skip
