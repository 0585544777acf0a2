"""From the JSON block of an answer to an RL interface, with all checks."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from rlgpt_jax.agents import rl_fields as check
from rlgpt_jax.agents.parse import Wrong
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.agents.rl_fields import Range
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl import interface
from rlgpt_jax.rl.interface import RewardTerms, RLInterface, TrainingTask

# Parts of the JSON block that each design may set.
PARTS = {
    "reward": ("task", "observation", "reward", "training"),
    "action": ("actions", "training"),
    "both": ("task", "observation", "actions", "reward", "training"),
}
FIELDS: dict[str, tuple[str, ...]] = {
    "task": ("goal_item", "goal_quantity", "horizon", "mob_range", "start_items"),
    "actions": ("primitives", "macros", "turn"),
    "reward": ("success", "step_cost", "distance", "items", "exploration"),
    "training": ("ticks", "stop_at_success", "network"),
}
# The same in a world with a spec.
SPEC_FIELDS = FIELDS | {
    "task": ("horizon",),
    "actions": ("primitives", "macros"),
    "reward": ("success", "step_cost", "environment", "progress"),
}
# Primitives of which a policy needs one at least.
NEEDED = {"walking": ("forward", "back", "left", "right"), "turning": ("turn_left", "turn_right")}


def parts_of(setting: Setting) -> tuple[str, ...]:
    """Parts of the JSON block that the run's agent may set."""
    parts = PARTS[setting.design]
    return tuple(p for p in parts if p != "observation") if setting.spec else parts


def fields_of(setting: Setting) -> Mapping[str, tuple[str, ...]]:
    """The fields of the parts that are objects."""
    return SPEC_FIELDS if setting.spec else FIELDS


def interface_of(value: Any, state: PromptState, reasoning: str = "") -> RLInterface:
    """The interface in a JSON value; `state.plan` is the plan that the macros are named in.

    Raises:
      Wrong: it cannot be used.
    """
    design, allowed = state.setting.design, parts_of(state.setting)
    record = check.fields(value, ("reasoning", *PARTS["both"]), "The object")
    for part in PARTS["both"]:
        if part not in allowed and check.is_set(record.get(part)):
            why = "" if part in PARTS[design] else f", which designs {_DESIGNS[design]}"
            raise Wrong(
                f'"{part}" cannot be set in this run{why}. Leave it out; {", ".join(allowed)} may '
                "be set."
            )
    known = fields_of(state.setting)
    parts = {part: check.fields(record.get(part), known[part], part) for part in known}
    actions, training = parts["actions"], parts["training"]
    stop = training.get("stop_at_success")
    if design == "action" and stop is not None:
        raise Wrong(
            f'"training.stop_at_success" cannot be set in this run, which designs '
            f"{_DESIGNS[design]}. Leave it out; training.ticks and training.network may be set."
        )
    limits = check.ranges(state.setting)
    ticks, most = training.get("ticks"), int(limits["training.ticks"].high)
    # More than there are means all: a conversation is also replayed with a smaller budget.
    ticks = most if type(ticks) is int and ticks > most else ticks
    return RLInterface(
        ticks=limits["training.ticks"].check(ticks, "training.ticks"),
        task=_task(parts["task"], state.setting, limits),
        observation=_observation(record.get("observation"), state.setting),
        primitives=_primitives(actions.get("primitives"), state.setting.spec),
        macros=_offered(actions.get("macros"), state),
        turn=check.one_of(actions.get("turn"), interface.TURNS, "actions.turn"),
        reward=_reward(parts["reward"], state.setting, limits),
        stop_at_success=limits["training.stop_at_success"].check(stop, "training.stop_at_success"),
        network=check.one_of(training.get("network"), interface.NETWORKS, "training.network"),
        reasoning=reasoning,
    )


_DESIGNS = {
    "reward": "rewards and no actions",
    "action": "actions and takes task, observation and reward as they are",
}


def _task(record: dict[str, Any], setting: Setting, limits: Mapping[str, Range]) -> TrainingTask:
    def number(field: str) -> Any:
        return limits[f"task.{field}"].check(record.get(field), f"task.{field}")

    item = record.get("goal_item")
    if item is not None:
        check.name(item, check.ITEMS, "task.goal_item")
    if setting.nearby and item is None and record.get("goal_quantity") is not None:
        raise Wrong(
            "task.goal_quantity has no meaning here: success is a station that was placed. "
            "Leave it out, or give a task.goal_item to be held."
        )
    if record.get("mob_range") is not None and not setting.given.mobs:
        raise Wrong(
            "task.mob_range cannot be set: no mobs are put around the agent in this task. "
            "Leave it out."
        )
    start_items = check.numbers(
        record.get("start_items"),
        "quantity",
        limits["task.start_items"],
        "task.start_items",
        check.MAX_START_ITEMS,
    )
    return TrainingTask(
        item, number("goal_quantity"), number("horizon"), number("mob_range"), start_items
    )


def _observation(value: Any, setting: Setting) -> tuple[str, ...] | None:
    """All parts but those of the run's own that the answer does not name; None is all."""
    parts = setting.given.choosable
    found = check.names(value, parts, "observation", len(parts))
    if found is None:
        return None
    if not found:
        raise Wrong(
            "observation is empty, so the policy would be blind. Name at least one of "
            f"{', '.join(parts)}, or leave it out for all."
        )
    return tuple(part for part in interface.OBSERVATION_PARTS if part in found or part not in parts)


def _primitives(value: Any, spec: WorldSpec | None) -> tuple[str, ...] | None:
    names = spec.primitives if spec else interface.PRIMITIVES
    allowed = names if spec else ("nothing", *names)
    found = check.names(value, allowed, "actions.primitives", len(allowed))
    if found is None:
        return None
    if spec and not found:
        raise Wrong(
            "actions.primitives is empty, so the policy could do nothing by itself. Name at least "
            f"one of {', '.join(allowed)}, or leave primitives out for all."
        )
    for what, needed in () if spec else NEEDED.items():
        if not set(found) & set(needed):
            raise Wrong(
                f"actions.primitives is {list(found)}, without any {what}; a policy needs at "
                f"least one of {', '.join(needed)}. Add one, or leave primitives out for all."
            )
    return tuple(name for name in names if name in found)


def coded(state: PromptState) -> dict[str, str]:
    """Kind by name of everything coded that a plan or a library has."""
    library = {name: "macro" for name, _ in state.setting.offered}
    return {s.name: s.kind for s in state.plan.coded} | library


def macros_of(state: PromptState) -> list[str]:
    """Names of the macros that may be offered to the policy or not."""
    return [name for name, kind in coded(state).items() if kind == "macro"]


OTHERS = {
    "code": "runs at the start of every episode and cannot be chosen",
    "lead": "is always offered",
}


def _offered(value: Any, state: PromptState) -> tuple[str, ...] | None:
    kinds, macros = coded(state), macros_of(state)
    for name in value if isinstance(value, list) else ():
        kind = kinds.get(name) if isinstance(name, str) else None
        if kind in OTHERS:
            raise Wrong(
                f'actions.macros names {name}, which has kind "{kind}": it {OTHERS[kind]}. '
                "Leave it out of the list."
            )
    return check.names(value, macros, "actions.macros", len(macros))


def _reward(record: dict[str, Any], setting: Setting, limits: Mapping[str, Range]) -> RewardTerms:
    """The terms. Those that the world has not are not in `record`."""

    def number(field: str, value: Any) -> Any:
        return limits[f"reward.{field}"].check(value, f"reward.{field}")

    sensed = [field.name for field in setting.spec.fields] if setting.spec else []
    progress = check.numbers(
        record.get("progress"), "weight", limits["reward.progress"], "reward.progress",
        interface.MAX_ITEMS, sensed,
    )  # fmt: skip
    distance = check.fields(record.get("distance"), ("targets", "per_block"), "reward.distance")
    terms = RewardTerms(
        success=number("success", record.get("success")),
        step_cost=number("step_cost", record.get("step_cost")),
        distance=number("distance.per_block", distance.get("per_block")),
        targets=check.names(
            distance.get("targets"), check.TARGETS, "reward.distance.targets", interface.MAX_TARGETS
        ) or (),
        items=check.numbers(
            record.get("items"), "reward", limits["reward.items"], "reward.items",
            interface.MAX_ITEMS,
        ) or (),
        exploration=number("exploration", record.get("exploration")),
        environment=number("environment", record.get("environment")),
        progress=progress or (),
    )  # fmt: skip
    given = dataclasses.asdict(setting.given.reward)
    total = {
        field: value if value not in (None, ()) else given[field]
        for field, value in dataclasses.asdict(terms).items()
    }
    pays = [total[field] or 0 for field in ("success", "exploration", "environment")]
    pays += [reward for _, reward in total["items"]]
    nears = total["distance"] and total["targets"]
    if max(pays) <= 0 and not nears and not any(weight for _, weight in total["progress"]):
        terms_that_pay = (
            "success or environment, or progress with weights"
            if setting.spec
            else "success, distance with targets, items or exploration"
        )
        raise Wrong(
            "reward: no term is above 0, so nothing could be learned. Give a positive "
            f"{terms_that_pay}."
        )
    return terms
