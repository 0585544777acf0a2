"""The fast agent's RL interface: what it wants of the training of one iteration.

The question, the JSON block of the answer, its checks, and words for it. Nothing that
passes the checks can break a training run; what is left out stays as the run has it.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents import rl_fields as check
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import PromptState, Refusal, Setting
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.rl_fields import Wrong
from rlgpt_jax.agents.rl_words import describe as describe
from rlgpt_jax.agents.rl_words import given_items, given_reward
from rlgpt_jax.rl.interface import (
    DEFAULT,
    MAX_ITEMS,
    MAX_TARGETS,
    OBSERVATION_PARTS,
    PRIMITIVES,
    STOP_EPISODES,
    STOP_LEAST,
    RewardTerms,
    RLInterface,
    TrainingTask,
)

# Parts of the JSON block that each design may set.
PARTS = {
    "reward": ("task", "observation", "reward", "training"),
    "action": ("actions", "training"),
    "both": ("task", "observation", "actions", "reward", "training"),
}
FIELDS = {
    "task": ("goal_item", "goal_quantity", "horizon", "mob_range", "start_items"),
    "actions": ("primitives", "macros"),
    "reward": ("success", "step_cost", "distance", "items", "exploration"),
    "training": ("ticks", "stop_at_success"),
}
MOVES = ("forward", "back", "left", "right")
TURNS = ("turn_left", "turn_right")


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for the RL interface of `state.plan`, with what was set before.

    Reads `setting` (with `given`), `plan`, `fates` (may be empty while code is written),
    `memory` and `refused`.
    """
    setting = state.setting
    feedback = prompts.fill("rl_setup_first")
    if state.memory:
        feedback = prompts.fill(
            "rl_setup_again",
            iteration=str(state.iteration + 1),
            num_iterations=str(setting.num_iterations),
            history=sections.history(state),
            critic=f"The critic says to you: {state.to_rl}" if state.to_rl else "",
        )
    text = prompts.fill(
        "rl_setup",
        world=sections.world(setting, prompts),
        policy=sections.policy(setting, prompts),
        plan=sections.plan(state.plan),
        fates=sections.fates(state.fates),
        form=form(state, prompts),
        feedback=feedback,
    )
    return sections.messages(text, state, prompts)


def form(state: PromptState, prompts: Prompts) -> str:
    """The fields with units, ranges and consequences, and an example; for any prompt."""
    setting, given = state.setting, state.setting.given
    limits = {path: str(limit) for path, limit in check.ranges(setting).items()}
    macros = [name for name, kind in _macros(state).items() if kind == "macro"]
    values = {
        "task": dict(
            goal=f"{setting.goal_quantity} {setting.goal_item}", horizon=str(setting.horizon),
            horizons=limits["task.horizon"], quantities=limits["task.goal_quantity"],
            mobs=_mobs(setting), start_items=given_items(given.start_items),
        ),
        "observation": dict(parts=", ".join(OBSERVATION_PARTS)),
        "actions": dict(
            primitives=", ".join(PRIMITIVES),
            macros=", ".join(macros) or ("none in this plan" if state.plan.coded else "your own"),
        ),
        "reward": dict(
            given=given_reward(given.reward), successes=limits["reward.success"],
            step_costs=limits["reward.step_cost"], distances=limits["reward.distance.per_block"],
            explorations=limits["reward.exploration"], items=limits["reward.items"],
            horizon=str(setting.horizon), max_targets=str(MAX_TARGETS), max_items=str(MAX_ITEMS),
            gamma=f"{given.gamma:g}", far=f"{1 / max(1e-6, 1 - given.gamma):.0f}",
        ),
        "training": dict(
            ticks=limits["training.ticks"], most=f"{setting.ticks_per_iteration:,}",
            update=f"{given.ticks_per_update:,}",
        ),
    }  # fmt: skip
    stop = prompts.fill("rl_setup_stop", episodes=str(STOP_EPISODES), least=f"{STOP_LEAST:.0%}")
    parts = [prompts.fill(f"rl_setup_{p}", **values[p]) for p in PARTS[setting.design]]
    is_action = setting.design == "action"
    return prompts.fill(
        "rl_setup_form",
        design=prompts.fill(f"rl_setup_design_{setting.design}"),
        parts="\n\n".join(parts) + ("" if is_action else "\n" + stop),
        example=prompts.fill("rl_setup_example_action" if is_action else "rl_setup_example"),
    )


def parse(text: str, state: PromptState) -> RLInterface | Refusal:
    """The interface in the JSON block of an answer."""
    value = blocks.json_object(text)
    if isinstance(value, Refusal):
        return value
    return read(value, state, blocks.reasoning(text, value))


def read(value: Any, state: PromptState, reasoning: str = "") -> RLInterface | Refusal:
    """The interface in a JSON value, for an answer that holds it beside other things.

    `state.plan` must be the plan that the macros are named in.
    """
    try:
        return _read(value, state, reasoning)
    except Wrong as wrong:
        return Refusal(str(wrong))


def fallback(state: PromptState, reason: str) -> RLInterface:
    """The interface when no answer could be used: the run's own training."""
    note = f"The fast agent's answers could not be used: {reason}"
    return dataclasses.replace(DEFAULT, note=note)


def schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of the answer: every field is there, null keeps the run's own."""
    limits = {path: f"{limit}" for path, limit in check.ranges(state.setting).items()}
    macros = [name for name, kind in _macros(state).items() if kind == "macro"]

    def number(path: str, kind: str = "number") -> dict[str, Any]:
        return {"type": [kind, "null"], "description": limits[path]}

    def some(values: Sequence[str]) -> dict[str, Any]:
        return {"type": ["array", "null"], "items": blocks.choice_schema(values)}

    def counted(field: str, kind: str) -> dict[str, Any]:
        entry = blocks.object_schema(name=blocks.TEXT, **{field: {"type": kind}})
        return {"type": ["array", "null"], "items": entry}

    parts = {
        "task": blocks.object_schema(
            goal_item={"type": ["string", "null"]},
            goal_quantity=number("task.goal_quantity", "integer"),
            horizon=number("task.horizon", "integer"),
            mob_range=number("task.mob_range", "integer"),
            start_items=counted("quantity", "integer"),
        ),
        "observation": some(OBSERVATION_PARTS),
        "actions": blocks.object_schema(primitives=some(PRIMITIVES), macros=some(macros)),
        "reward": blocks.object_schema(
            success=number("reward.success"),
            step_cost=number("reward.step_cost"),
            distance=blocks.object_schema(
                targets=blocks.list_schema(blocks.TEXT),
                per_block=number("reward.distance.per_block"),
            ),
            items=blocks.list_schema(
                blocks.object_schema(name=blocks.TEXT, reward={"type": "number"})
            ),
            exploration=number("reward.exploration"),
        ),
        "training": blocks.object_schema(
            ticks=number("training.ticks", "integer"),
            **(
                {} if state.setting.design == "action"
                else {"stop_at_success": number("training.stop_at_success")}
            ),
        ),
    }
    allowed = {name: parts[name] for name in PARTS[state.setting.design]}
    return blocks.object_schema(reasoning=blocks.TEXT, **allowed)


def _read(value: Any, state: PromptState, reasoning: str) -> RLInterface:
    design = state.setting.design
    record = check.fields(value, ("reasoning", *PARTS["both"]), "The object")
    for part in PARTS["both"]:
        if part not in PARTS[design] and check.is_set(record.get(part)):
            raise Wrong(
                f'"{part}" cannot be set in this run, which designs {_DESIGNS[design]}. Leave '
                f"it out; {', '.join(PARTS[design])} may be set."
            )
    parts = {part: check.fields(record.get(part), FIELDS[part], part) for part in FIELDS}
    stop = parts["training"].get("stop_at_success")
    if design == "action" and stop is not None:
        raise Wrong(
            f'"training.stop_at_success" cannot be set in this run, which designs '
            f"{_DESIGNS[design]}. Leave it out; training.ticks may be set."
        )
    limits = check.ranges(state.setting)
    ticks = limits["training.ticks"].check(parts["training"].get("ticks"), "training.ticks")
    interface = RLInterface(
        task=_task(parts["task"], state.setting),
        observation=_observation(record.get("observation")),
        primitives=_primitives(parts["actions"].get("primitives")),
        macros=_offered(parts["actions"].get("macros"), state),
        reward=_reward(parts["reward"], state.setting),
        ticks=None if ticks is None else int(ticks),
        stop_at_success=limits["training.stop_at_success"].check(stop, "training.stop_at_success"),
        reasoning=reasoning,
    )
    return interface


_DESIGNS = {
    "reward": "rewards and no actions",
    "action": "actions and takes task, observation and reward as they are",
}


def _task(record: dict[str, Any], setting: Setting) -> TrainingTask:
    limits = check.ranges(setting)

    def whole(field: str) -> int | None:
        value = limits[f"task.{field}"].check(record.get(field), f"task.{field}")
        return None if value is None else int(value)

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
        record.get("start_items"), "quantity", limits["task.start_items"], "task.start_items",
        check.MAX_START_ITEMS,
    )
    return TrainingTask(
        item, whole("goal_quantity"), whole("horizon"), whole("mob_range"), start_items
    )


def _observation(value: Any) -> tuple[str, ...]:
    found = check.names(value, OBSERVATION_PARTS, "observation", len(OBSERVATION_PARTS))
    if found is None:
        return OBSERVATION_PARTS
    if not found:
        raise Wrong(
            "observation is empty, so the policy would be blind. Name at least one of "
            f"{', '.join(OBSERVATION_PARTS)}, or leave it out for all."
        )
    return tuple(part for part in OBSERVATION_PARTS if part in found)


def _primitives(value: Any) -> tuple[str, ...] | None:
    allowed = ("nothing", *PRIMITIVES)
    found = check.names(value, allowed, "actions.primitives", len(allowed))
    if found is None:
        return None
    for what, needed in (("walking", MOVES), ("turning", TURNS)):
        if not set(found) & set(needed):
            raise Wrong(
                f"actions.primitives is {list(found)}, without any {what}; a policy needs at "
                f"least one of {', '.join(needed)}. Add one, or leave primitives out for all."
            )
    return tuple(name for name in PRIMITIVES if name in found)


def _macros(state: PromptState) -> dict[str, str]:
    """Kind by name of everything coded that a plan or a library has."""
    library = {name: "macro" for name, _ in state.setting.offered}
    return {s.name: s.kind for s in state.plan.coded} | library


def _mobs(setting: Setting) -> str:
    given = setting.given
    if not given.mobs:
        return "none"
    return f"{', '.join(given.mobs)}, within {given.mob_range} blocks"


def _offered(value: Any, state: PromptState) -> tuple[str, ...] | None:
    if isinstance(value, list):
        kinds = _macros(state)
        for name in value:
            if isinstance(name, str) and kinds.get(name) == "code":
                raise Wrong(
                    f'actions.macros names {name}, which has kind "code": it runs at the start '
                    "of every episode and cannot be chosen. Leave it out of the list."
                )
    macros = [name for name, kind in _macros(state).items() if kind == "macro"]
    return check.names(value, macros, "actions.macros", len(macros))


def _reward(record: dict[str, Any], setting: Setting) -> RewardTerms:
    limits = check.ranges(setting)

    def number(field: str, value: Any) -> float | None:
        return limits[f"reward.{field}"].check(value, f"reward.{field}")

    distance = check.fields(record.get("distance"), ("targets", "per_block"), "reward.distance")
    terms = RewardTerms(
        success=number("success", record.get("success")),
        step_cost=number("step_cost", record.get("step_cost")),
        distance=number("distance.per_block", distance.get("per_block")),
        targets=check.names(
            distance.get("targets"), check.TARGETS, "reward.distance.targets", MAX_TARGETS
        ) or (),
        items=check.numbers(
            record.get("items"), "reward", limits["reward.items"], "reward.items", MAX_ITEMS
        ) or (),
        exploration=number("exploration", record.get("exploration")),
    )  # fmt: skip
    given = setting.given.reward
    total = {
        field: value if value not in (None, ()) else getattr(given, field)
        for field, value in vars(terms).items()
    }
    pays = max(total["success"] or 0, total["exploration"] or 0, *(r for _, r in total["items"]))
    if pays <= 0 and not (total["distance"] and total["targets"]):
        raise Wrong(
            "reward: no term is above 0, so nothing could be learned. Give a positive success, "
            "distance with targets, items or exploration."
        )
    return terms
