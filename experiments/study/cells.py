"""What can be measured: cells, each a configuration in one variant, run with several seeds.

A cell whose conversation was never recorded is left out and listed with the command that records
it; answers to other prompts never stand in.
"""

import dataclasses
import functools
import re
import shlex
from collections.abc import Sequence

from experiments import config_files, flags
from experiments.configs import baselines
from experiments.configs.base import Config
from experiments.configs.baselines import CONVERSATIONS as CONVERSATIONS
from experiments.configs.baselines import Overrides as Overrides
from experiments.recordings import FOLDER, num_recorded
from experiments.sweep.estimate import num_sub_tasks
from experiments.task_fields import override
from experiments.values import ConfigError
from rlgpt_jax import files
from rlgpt_jax.envs.plan import obtain
from rlgpt_jax.envs.tasks.table import Task

# Variants that need no conversation but the configuration's: those with PPO alone ask nobody, the
# others replay it; in its file `code_alone` has one of its own.
VARIANTS: dict[str, Overrides] = {
    "rl_gpt": (("loop.mode", "rl_gpt"),),
    # Every iteration's networks start from nothing, with the ticks of one iteration: what
    # then rises with the iterations is not the training of the ones before.
    "cold": (("loop.mode", "rl_gpt"), ("loop.warm_start", "false")),
    # Nobody plans either: a long task is learned whole.
    "pure_rl": (("loop.planner", "false"), ("loop.mode", "pure_rl")),
    # Where something must be crafted, which no primitive does.
    "pure_rl_autocraft": (
        ("loop.planner", "false"),
        ("loop.mode", "pure_rl"),
        *baselines.AUTOCRAFT,
    ),
    # The same with what the agents have set of the training: reward, observation, episodes of the
    # best iteration of `rl_gpt` with the same seed, which `Run` names.
    "agents_setup": (("loop.planner", "false"), ("loop.mode", "pure_rl")),
    # That, and their primitives alone: all that `rl_gpt` has but macros.
    "without_macros": (
        ("loop.planner", "false"),
        ("loop.mode", "pure_rl"),
        ("set_up_primitives", "true"),
    ),
    "pure_code": (("loop.mode", "pure_code"),),
    "code_alone": (("loop.mode", "pure_code"), ("loop.pure_code_plan", "own")),
    "mineagent": baselines.MINEAGENT,
    "mineagent_autocraft": (*baselines.MINEAGENT, *baselines.AUTOCRAFT),
    "plan4mc": baselines.PLAN4MC,
}
WITHOUT_MACROS = "without_macros"
AUTOCRAFT = "_autocraft"  # ends the variants for which is crafted what can be
SET_UPS = ("agents_setup", WITHOUT_MACROS)
MODEL = "model_"  # begins the variants whose answers are another model's: NAME_model_gpt-5
WORDS = {
    "rl_gpt": "agents and PPO, networks go on",
    "cold": "agents and PPO, every iteration trained from nothing",
    "pure_rl": "PPO alone, same ticks per iteration, networks go on",
    "pure_rl_autocraft": "PPO alone, and what can be crafted on the way is",
    "agents_setup": "PPO alone with the agents' set-up, same ticks",
    "without_macros": "PPO alone with the agents' set-up and primitives, same ticks",
    "pure_code": "the coded parts alone",
    "code_alone": "code alone, by a conversation of its own",
    "mineagent": "MineAgent: PPO alone with self-imitation",
    "mineagent_autocraft": "MineAgent, and what can be crafted on the way is",
    "plan4mc": "Plan4MC: trained skills in a searched order",
    # Parts of the runs of `rl_gpt`, in the same episodes: no variants to run.
    "its code": "its best code alone",
    "its policy": "its best policy",
}


@dataclasses.dataclass(frozen=True, order=True)
class Cell:
    """A configuration in one variant: of `VARIANTS`, of `CONVERSATIONS`, `model_...`, or a live
    model, PROVIDER:MODEL or PROVIDER:MODEL@URL."""

    config: str
    variant: str

    @property
    def name(self) -> str:
        return f"{flags.stem_of(self.config)} {self.variant}"

    @property
    def file_name(self) -> str:
        """What files and folders of it are called; a conversation has one name, whether it is
        taken as a variant of a configuration or as a configuration of its own."""
        own, variant = flags.stem_of(self.config), self.variant
        pair = config_files.derived(own)
        if variant == "rl_gpt" and pair and pair[1] in CONVERSATIONS:
            own, variant = pair
        return re.sub(r"[^\w.-]", "_", f"{own}-{variant}")

    @property
    def transcript(self) -> str:
        """Of a variant with a conversation of its own."""
        return f"{FOLDER}/{flags.stem_of(self.config)}_{self.variant}.jsonl"

    @property
    def overrides(self) -> Overrides:
        """Flags of the variant; learning a long task whole has the ticks of all its parts."""
        own = self._own()
        config = loaded(self.config)
        if ("loop.mode", "pure_rl") not in own or not config.loop.planner:
            return own
        ticks = config.loop.ticks_per_iteration * num_sub_tasks(config)
        least = config.rl.ppo.num_envs * config.task_record.horizon
        return (*own, ("loop.ticks_per_iteration", str(max(ticks, least))))

    def _own(self) -> Overrides:
        if self.variant in VARIANTS:
            return VARIANTS[self.variant]
        if ":" in self.variant:
            return (*VARIANTS["rl_gpt"], *live(self.variant))
        more = CONVERSATIONS.get(self.variant, ())
        return (*VARIANTS["rl_gpt"], *more, ("llm.transcript", self.transcript))


def live(variant: str) -> Overrides:
    """`compatible:vicuna-13b@http://localhost:8000/v1` as flags.

    Raises:
      ConfigError: it names no provider or no model.
    """
    provider, _, rest = variant.partition(":")
    model, _, url = rest.partition("@")
    if not provider or not model:
        raise ConfigError(f"--models={variant}: needs PROVIDER:MODEL or PROVIDER:MODEL@URL.")
    given = ("llm.provider", provider), ("llm.model", model)
    return (*given, ("llm.base_url", url)) if url else given


loaded = functools.cache(flags.load_config)  # which reads files


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A cell that cannot be run."""

    cell: Cell
    reason: str
    command: str = ""  # that records what is missing
    is_zero: bool = False  # since nothing that it does can succeed


def usable(
    cells: Sequence[Cell], is_smoke: bool, assignments: Sequence[tuple[str, str]]
) -> tuple[dict[Cell, Config], list[Skipped]]:
    """Cells that can be run with their settings, and the others with the reason."""
    good: dict[Cell, Config] = {}
    left: list[Skipped] = []
    for cell in dict.fromkeys(cells):
        try:
            skipped = _unrecorded(cell, assignments)
            if skipped is None:
                good[cell] = resolve(cell, is_smoke, assignments)
        except ConfigError as error:
            skipped = Skipped(cell, str(error))
        left += [skipped] if skipped else []
    return good, left


def _unrecorded(cell: Cell, assignments: Sequence[tuple[str, str]]) -> Skipped | None:
    """Why it has nothing to replay, if it needs that."""
    own, asked = loaded(cell.config), cell
    if cell.variant in SET_UPS:
        if own.loop.planner:
            return Skipped(cell, "every sub-task of a planner has a set-up of its own")
        asked = Cell(cell.config, "rl_gpt")  # whose set-up it is
    config = override(own, [*assignments, *asked.overrides])
    # Without a planner's answers nobody knows how many sub-tasks there are to learn.
    for one in (config, override(own, assignments) if own.loop.planner else config):
        if one.loop.asks and one.llm.provider == "replay" and not num_recorded(one):
            words = f"not recorded: {one.llm.transcript} holds no such conversation"
            return Skipped(cell, words, _recording(asked, own))
    return None


def _recording(cell: Cell, own: Config) -> str:
    """The command that records the conversation of a cell."""
    told = [(p, v) for p, v in cell.overrides if p != "llm.transcript"]
    changed = [f"--config.{p}={v}" for p, v in told if override(own, [(p, v)]) != own]
    words = ["python", "-m", "experiments.main", f"--config={cell.config}", *changed]
    return shlex.join([*words, "--config.llm.provider=file", "--config.llm.model=MODEL"])


def without_a_chance(cell: Cell, config: Config) -> Skipped | None:
    """What is known without a run: PPO alone never makes a thing, since no primitive crafts."""
    task, is_alone = config.task_record, config.loop.mode == "pure_rl" and not config.autocraft
    if not is_alone or config.loop.planner or config.world != "voxel":
        return None
    if not isinstance(task, Task) or not obtain.needs_crafting(task):
        return None
    words = "0, nothing crafts: no primitive does, and the goal must be made or takes a made tool"
    return Skipped(cell, words, is_zero=True)


def same_as(cell: Cell) -> Cell:
    """The cell whose run repeats this one's bits: without autocraft, if nothing is crafted."""
    plain = cell.variant.removesuffix(AUTOCRAFT)
    if plain == cell.variant:
        return cell
    # Here, since it imports jax, which those who play tell of their threads first.
    from rlgpt_jax.envs.plan.skill_graph import CRAFT, PLACE, Missing, skills_of

    task = loaded(cell.config).task_record
    if not isinstance(task, Task):
        return cell
    try:
        crafts = any(skill.kind in (CRAFT, PLACE) for skill in skills_of(task))
    except Missing:  # which the run is refused with
        return cell
    return cell if crafts else Cell(cell.config, plain)


def resolve(cell: Cell, is_smoke: bool, assignments: Sequence[tuple[str, str]]) -> Config:
    """The settings that a run of this cell has.

    Raises:
      ConfigError: no such configuration, a bad value, or no conversation for it.
    """
    return flags.resolve(cell.config, None, is_smoke, [*assignments, *cell.overrides])


def other_models(config: str) -> list[str]:
    """Variants of a configuration whose recorded answers are other models'."""
    name = flags.stem_of(config)
    found = sorted((files.CHECKOUT / FOLDER).glob(f"{name}_{MODEL}*.jsonl"))
    return [path.stem.removeprefix(f"{name}_") for path in found]
