"""A world in which what can be crafted on the way to the goal is crafted, without being asked.

As soon as the search over basic skills (`envs/plan/skill_graph.py`) says that crafting comes next,
its fixed program (`crafting.py`) acts in the place of the policy. Such ticks are
told as busy, so that PPO learns from none of them. A station that is needed, or is the goal, is put
down as well. After a program that has changed nothing in the inventory a lane is left alone for
`REST` ticks.
"""

import functools
from typing import Any

import jax
import numpy as np

from rlgpt_jax.envs.base import HostEnvironment, Observation, Step
from rlgpt_jax.envs.names import NAME_ID
from rlgpt_jax.envs.plan.skill_graph import Missing, graph_of, search, skills_of
from rlgpt_jax.envs.tasks.table import Task
from rlgpt_jax.loop.baselines.crafting import names_of, source_of
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS, Program, link
from rlgpt_jax.macros.vm.host import interpret_host
from rlgpt_jax.rl.actions import HybridSpace
from rlgpt_jax.rl.rollout import macro_step

REST = 100  # ticks


def space_of(task: Task) -> HybridSpace:
    """The programs of `names_of`, in its order."""
    graph, names, programs = graph_of(task), names_of(task), list[Program]()
    skills = {skill.name: skill for skill in skills_of(task)}
    for name in names:
        program = parse_macro(source_of(skills[name], graph), name)
        assert not isinstance(program, Refusal), program
        programs.append(program)
    slots = (*names, *[""] * (MAX_MACROS - len(names)))
    return HybridSpace(macros=link(programs), names=slots, offered=tuple(map(bool, slots)))


class Autocraft:
    """A `HostEnvironment` around another one."""

    def __init__(self, env: HostEnvironment, task: Task):
        """Wraps worlds of a task. Raises what `names_of` raises."""
        self._env: Any = env
        self.num_envs, self.goal_names = env.num_envs, env.goal_names
        self._graph, self._space = graph_of(task), space_of(task)
        self._ids = np.array([NAME_ID[name] for name in self._graph.items], np.int32)
        self._first = functools.cache(self._search)
        self._obs: Any = None
        self._start()

    def __getattr__(self, name: str) -> Any:
        # What only some worlds have (a state for renderers, their size).
        if name.startswith("__") or name == "_env":
            raise AttributeError(name)
        return getattr(self._env, name)

    def _start(self) -> None:
        """The first tick of an episode is the policy's."""
        num = self.num_envs
        self._macros: Any = interpret_host.init_state(num)
        self._chosen, self._rest = np.zeros((2, num), np.int32)  # program to begin; ticks left
        self._busy = np.zeros(num, bool)  # the world ignores the next action
        self._had = np.zeros((num, len(self._ids)), np.int32)  # when the program was chosen

    def reset(self, seed: int) -> Observation:
        self._start()
        self._obs = self._env.reset(seed)
        return self._obs

    def step(self, action: np.ndarray) -> Step:
        """One tick: a program's action where one runs or begins, elsewhere the given one."""
        action, ended = np.asarray(action, np.int32), np.zeros(self.num_envs, bool)
        crafts = (self._macros.slot > 0) | (self._chosen > 0)
        if crafts.any():
            self._macros, act = macro_step.act(
                self._space, self._macros, self._obs, self._chosen, action, self._busy
            )
            action = np.where(crafts[:, None], act.action, action)
            ended = act.macro.ended > 0
        step = self._env.step(action)
        done = np.asarray(step.terminated) | np.asarray(step.truncated)
        self._obs, self._macros = step.obs, interpret_host.cut(self._macros, done)
        self._busy = np.asarray(step.info["busy"]) & ~done
        held = self._held(step.obs)
        idle = ended & (held == self._had).all(axis=1)
        self._rest = np.where(idle, REST, np.maximum(self._rest - 1, 0)).astype(np.int32)
        self._rest[done] = 0
        free = (self._macros.slot == 0) & (self._rest == 0) & ~done
        self._chosen = self._next(step.obs, held, free)
        self._had = np.where((self._chosen > 0)[:, None], held, self._had)
        crafts = (self._macros.slot > 0) | (self._chosen > 0)
        return step._replace(info={**step.info, "busy": self._busy | crafts})

    def _held(self, obs: Observation) -> np.ndarray:
        """int32[N, I]: pieces of every item that matters."""
        match = np.asarray(obs.slot_name)[:, :, None] == self._ids
        return (match * np.asarray(obs.slot_quantity)[:, :, None]).sum(axis=1, dtype=np.int32)

    def _next(self, obs: Observation, held: np.ndarray, free: np.ndarray) -> np.ndarray:
        """int32[N]: slot of the program that comes next in the lanes `free` bool[N], 0 for none."""
        slots = np.zeros(self.num_envs, np.int32)
        for lane in np.flatnonzero(free):
            table, furnace = bool(obs.near_table[lane]), bool(obs.near_furnace[lane])
            slots[lane] = self._first(tuple(held[lane].tolist()), table, furnace)
        return slots

    def _search(self, held: tuple[int, ...], table: bool, furnace: bool) -> int:
        stations = {"crafting_table": table, "furnace": furnace}
        near = frozenset(name for name, is_near in stations.items() if is_near)
        counts = dict(zip(self._graph.items, held, strict=True))
        try:
            first = search(self._graph, counts, near)[0]
        except Missing:
            return 0
        return self._space.names.index(first) + 1 if first in self._space.names else 0

    def save(self) -> Any:
        own = (self._macros, self._chosen, self._rest, self._busy, self._had)
        return {"world": self._env.save(), "autocraft": jax.tree.map(np.copy, own)}

    def load(self, saved: Any) -> Observation:
        self._obs = self._env.load(saved["world"])
        # Copies: the interpreter works in place.
        self._macros, *rest = jax.tree.map(np.copy, saved["autocraft"])
        self._chosen, self._rest, self._busy, self._had = rest
        return self._obs
