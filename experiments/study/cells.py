"""What can be measured: cells, each a configuration in one variant, run with several seeds.

A preset names the cells that answer one question. A cell whose conversation was never
recorded is left out and listed with the reason; answers to other prompts never stand in.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from experiments import flags
from experiments.config_tree import differences
from experiments.configs.base import Config
from experiments.sweep.estimate import num_sub_tasks, transcript_of
from experiments.values import ConfigError

Overrides = tuple[tuple[str, str], ...]

# Variants of a configuration. They need no conversation of their own: `pure_rl` asks
# nobody, the others replay the configuration's.
VARIANTS: dict[str, Overrides] = {
    "rl_gpt": (("loop.mode", "rl_gpt"),),
    # Every iteration's networks start from nothing, with the ticks of one iteration: what
    # then rises with the iterations is not the training of the ones before.
    "cold": (("loop.mode", "rl_gpt"), ("loop.warm_start", "false")),
    # Nobody plans either: a long task is learned whole.
    "pure_rl": (("loop.planner", "false"), ("loop.mode", "pure_rl")),
    # The same with what the agents have set of the training: masks, reward, episodes of the best
    # iteration of `rl_gpt` with the same seed, which `Run` names.
    "agents_setup": (("loop.planner", "false"), ("loop.mode", "pure_rl")),
    "pure_code": (("loop.mode", "pure_code"),),
}
WORDS = {
    "rl_gpt": "agents and PPO, networks go on",
    "cold": "agents and PPO, every iteration trained from nothing",
    "pure_rl": "PPO alone, same ticks per iteration, networks go on",
    "agents_setup": "PPO alone with the agents' set-up, same ticks",
    "pure_code": "the coded parts alone",
    # Parts of the runs of `rl_gpt`, in the same episodes: no variants to run.
    "its code": "its best code alone",
    "its policy": "its best policy",
}
# Tasks of the study, in the order of tables. The first three ship with the project longest.
TASK_CONFIGS = (
    "harvest_log", "harvest_milk", "harvest_wool", "harvest_beef_with_diamond_sword",
    "craft_stick", "craft_wooden_pickaxe",
)  # fmt: skip
SEEING = ("harvest_milk_seeing",)  # the critic sees frames
COLD = ("harvest_log", "harvest_milk")
BASE = "harvest_log"  # of which the paper's structures and designs are compared
STRUCTURES = ("one", "slow_fast", "slow_fast_critic")  # values of loop.agents
DESIGNS = ("reward", "action", "both")  # values of loop.design
AGENT_FIELDS = ("agents", "design", "decompose")  # of the loop: what the agents are
PRESETS = ("iterations", "controls", "ablation", "structures", "design", "paper")


@dataclasses.dataclass(frozen=True, order=True)
class Cell:
    """A configuration in one variant."""

    config: str
    variant: str

    @property
    def name(self) -> str:
        return f"{flags.stem_of(self.config)} {self.variant}"

    @property
    def overrides(self) -> Overrides:
        """Flags of the variant; learning a long task whole has the ticks of all its parts."""
        own = VARIANTS[self.variant]
        config = flags.load_config(self.config)
        if self.variant != "pure_rl" or not config.loop.planner:
            return own
        ticks = config.loop.ticks_per_iteration * num_sub_tasks(config)
        least = config.rl.ppo.num_envs * config.task_record.horizon
        return (*own, ("loop.ticks_per_iteration", str(max(ticks, least))))


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A cell that cannot be run."""

    cell: Cell
    reason: str


def cells_of(preset: str, configs: Sequence[str] = ()) -> list[Cell]:
    """The cells of a preset, in the order of its tables; `configs` narrows the tasks.

    Raises:
      ConfigError: no such preset.
    """
    tasks = tuple(configs) or TASK_CONFIGS
    if preset == "iterations":
        named = tuple(configs) or TASK_CONFIGS + SEEING
        cells = [Cell(name, "rl_gpt") for name in named]
        # A configuration with a critic that sees has the pure RL of its plain task.
        cells += [Cell(name, "pure_rl") for name in tasks if name not in SEEING]
        return cells + [Cell(name, "cold") for name in COLD if name in tasks]
    if preset == "controls":
        return [Cell(name, variant) for name in tasks if name not in SEEING for variant in VARIANTS]
    if preset == "ablation":
        names = [name for name in tasks if name not in SEEING]
        cells = [Cell(n, v) for n in names for v in ("rl_gpt", "pure_rl", "pure_code")]
        return cells + [Cell(without_sp(name), "rl_gpt") for name in names]
    if preset in ("structures", "design"):
        return [Cell(name, "rl_gpt") for _, name in compared(preset)]
    if preset == "paper":
        parts = ("iterations", "ablation", "structures", "design")
        every = [c for name in parts for c in cells_of(name, configs)]
        return list(dict.fromkeys(every))
    raise ConfigError(f"--preset={preset}: choose from {', '.join(PRESETS)}.")


def compared(preset: str) -> list[tuple[str, str]]:
    """(value, configuration) of the rows of the paper's tables of structures and designs."""
    field, values = ("agents", STRUCTURES) if preset == "structures" else ("design", DESIGNS)
    return [(value, sister(BASE, field, value)) for value in values]


def without_sp(config: str) -> str:
    """The configuration whose slow agent is not pushed to split further (the paper's SP)."""
    return sister(config, "decompose", False)


@functools.cache
def sister(config: str, field: str, value: Any) -> str:
    """The configuration that differs from `config` in one field of its agents.

    Names are free; what counts is the task and what the agents are. Of several the one that
    differs least in all else. A name that is not there stands for a missing one.
    """
    missing = f"{config} with loop.{field}={value}"
    if config not in flags.config_names():
        return missing
    own = flags.load_config(config)
    wanted = {name: getattr(own.loop, name) for name in AGENT_FIELDS} | {field: value}
    found = []
    for name in flags.config_names():
        other = flags.load_config(name)
        if other.task == own.task and _agents(other) == wanted:
            found.append((len(differences(own, other)), name))
    return min(found)[1] if found else missing


def _agents(config: Config) -> dict[str, Any]:
    return {name: getattr(config.loop, name) for name in AGENT_FIELDS}


def usable(
    cells: Sequence[Cell], is_smoke: bool, assignments: Sequence[tuple[str, str]]
) -> tuple[list[Cell], list[Skipped]]:
    """Cells that can be run, and the others with the reason."""
    good: list[Cell] = []
    left: list[Skipped] = []
    for cell in cells:
        try:
            config = flags.load_config(cell.config)
        except ConfigError:  # a sister that is missing
            left.append(Skipped(cell, "not recorded: there is no such configuration"))
            continue
        try:
            if cell.variant == "agents_setup" and config.loop.planner:
                left.append(Skipped(cell, "every sub-task of a planner has a set-up of its own"))
                continue
            needs = config.loop.planner or cell.variant != "pure_rl"
            if needs and not assignments and not transcript_of(config).is_file():
                left.append(Skipped(cell, f"not recorded: there is no {config.llm.transcript}"))
                continue
            resolve(cell, is_smoke, assignments)
        except ConfigError as error:
            left.append(Skipped(cell, str(error)))
        else:
            good.append(cell)
    return good, left


def resolve(cell: Cell, is_smoke: bool, assignments: Sequence[tuple[str, str]]) -> Config:
    """The settings that a run of this cell has.

    Raises:
      ConfigError: no such configuration, a bad value, or no conversation for it.
    """
    return flags.resolve(cell.config, None, is_smoke, [*assignments, *cell.overrides])
