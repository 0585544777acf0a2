"""The RL interface in words, for prompts and reports."""

from collections.abc import Sequence

from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl.interface import (
    CELL,
    OBSERVATION_PARTS,
    PRIMITIVES,
    RewardTerms,
    RLInterface,
    TrainingTask,
)

UNCHANGED = "Training is as the run has it."
_NETWORKS = {
    "last": "the network of the iteration before",
    "best": "the network of the iteration with the best evaluation so far",
    "fresh": "a new network",
}


def describe(interface: RLInterface, spec: WorldSpec | None = None) -> str:
    """One line for each part that is set; what is not named is as the run has it."""
    lines = {
        "Training episodes": _task(interface.task),
        "Left out of the observation": _left_out(OBSERVATION_PARTS, interface.observation),
        "Primitives left out": _left_out(
            spec.primitives if spec else PRIMITIVES, interface.primitives
        ),
        "Macros offered": "" if interface.macros is None else ", ".join(interface.macros) or "none",
        "Turns of the camera": "" if interface.turn is None else f"{interface.turn} degrees",
        "Reward": _reward(interface.reward),
        "Budget": _budget(interface),
        "Begins with": "" if interface.network is None else _NETWORKS[interface.network],
    }
    words = [f"{name}: {text}." for name, text in lines.items() if text] or [UNCHANGED]
    return "\n".join([*words, f"({interface.note})"] if interface.note else words)


def _left_out(names: Sequence[str], kept: Sequence[str] | None) -> str:
    return "" if kept is None else ", ".join(name for name in names if name not in kept)


def given_items(items: Sequence[tuple[str, int]]) -> str:
    """For example "1 bucket"."""
    return ", ".join(f"{quantity} {name}" for name, quantity in items) or "nothing"


def given_reward(terms: RewardTerms) -> str:
    """The run's own reward in words."""
    return _reward(terms) or "nothing"


def _task(task: TrainingTask) -> str:
    quantity = "" if task.goal_quantity is None else f"{task.goal_quantity} "
    goal = quantity + (task.goal_item or ("of the goal item" if quantity else ""))
    parts = [
        f"the goal is {goal}" if goal else "",
        f"at most {task.horizon} ticks" if task.horizon else "",
        f"mobs within {task.mob_range} blocks" if task.mob_range else "",
        f"start with {given_items(task.start_items)}" if task.start_items is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def _reward(terms: RewardTerms) -> str:
    targets = f" to the nearest {' or '.join(terms.targets)}" if terms.targets else ""
    parts = [
        "" if terms.success is None else f"{terms.success:g} for success",
        "" if terms.step_cost is None else f"{0 - terms.step_cost:g} per tick",
        f"{terms.distance:g} per block nearer{targets}" if terms.distance is not None
        else f"distance counts{targets}" if targets else "",
        *(f"{reward:g} per {item} gained" for item, reward in terms.items),
        "" if terms.exploration is None
        else f"{terms.exploration:g} per new cell of {CELL} x {CELL} blocks",
        "" if terms.environment is None
        else f"{terms.environment:g} times the world's own reward",
        *(_progress(*pair) for pair in terms.progress),
    ]  # fmt: skip
    return ", ".join(part for part in parts if part)


def _progress(field: str, weight: float) -> str:
    side = "above its largest" if weight > 0 else "below its smallest"
    return f"{abs(weight):g} per unit of {field} {side} value so far in the episode"


def _budget(interface: RLInterface) -> str:
    parts = [
        "" if interface.ticks is None else f"{interface.ticks:,} ticks",
        ""
        if interface.stop_at_success is None
        else f"ends early when {interface.stop_at_success:.0%} of the last training episodes "
        "succeed",
    ]
    return ", ".join(part for part in parts if part)
