"""The fast agent's RL interface: what it wants of the training of one iteration.

The question, the JSON block of the answer, its checks, and words for it. Nothing that
passes the checks can break a training run; what is left out stays as the run has it.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import PromptState, Refusal
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.rl_fields import Wrong, ranges
from rlgpt_jax.agents.rl_read import PARTS, coded, interface_of
from rlgpt_jax.agents.rl_words import describe as describe
from rlgpt_jax.agents.rl_words import given_items, given_reward
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.rl.interface import (
    DEFAULT,
    MAX_ITEMS,
    MAX_TARGETS,
    NETWORKS,
    PRIMITIVES,
    STOP_EPISODES,
    STOP_LEAST,
    TURNS,
    RLInterface,
)


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for the RL interface of `state.plan`, with what was set before.

    Reads `setting` (with `given`), `plan`, `fates` (may be empty while code is written),
    `memory` and `refused`.
    """
    setting = state.setting
    feedback = prompts.fill("rl_setup.first")
    if state.memory:
        feedback = prompts.fill(
            "rl_setup.again",
            iteration=str(state.iteration + 1),
            num_iterations=str(setting.num_iterations),
            history=sections.history(state),
            critic=f"The critic says to you: {state.to_rl}" if state.to_rl else "",
        )
    text = prompts.fill(
        "rl_setup.prompt",
        world=sections.world(setting, prompts),
        policy=sections.policy(setting, prompts),
        plan=sections.plan(state.plan),
        fates=sections.fates(state.fates),
        form=form(state, prompts),
        feedback=feedback,
    )
    return sections.messages(text, state, prompts)


def form(state: PromptState, prompts: Prompts) -> str:
    """How to answer: the fields and an example; for any prompt."""
    design = state.setting.design
    return prompts.fill(
        "rl_setup.form",
        design=prompts.fill(f"rl_setup.design_{design}"),
        limits=limits(state, prompts),
        example=prompts.fill(
            "rl_setup.example_action" if design == "action" else "rl_setup.example"
        ),
    )


def limits(state: PromptState, prompts: Prompts) -> str:
    """The fields with units, ranges and consequences: all that can be set."""
    setting, given = state.setting, state.setting.given
    told = {path: str(limit) for path, limit in ranges(setting).items()}
    macros = [name for name, kind in coded(state).items() if kind == "macro"]
    seen, not_seen = ("observation", "observation_picture")[:: -1 if given.image_size else 1]
    stop = prompts.fill("rl_setup.stop", episodes=str(STOP_EPISODES), least=f"{STOP_LEAST:.0%}")
    values = {
        "task": dict(
            goal=f"{setting.goal_quantity} {setting.goal_item}", horizon=str(setting.horizon),
            horizons=told["task.horizon"], quantities=told["task.goal_quantity"],
            mobs=_mobs(setting), start_items=given_items(given.start_items),
        ),
        seen: dict(parts=", ".join(given.choosable)),
        "actions": dict(
            primitives=", ".join(PRIMITIVES),
            macros=", ".join(macros) or ("none in this plan" if state.plan.coded else "your own"),
            turn=str(given.turn), turns=" or ".join(map(str, TURNS)),
        ),
        "reward": dict(
            given=given_reward(given.reward), successes=told["reward.success"],
            step_costs=told["reward.step_cost"], distances=told["reward.distance.per_block"],
            explorations=told["reward.exploration"], items=told["reward.items"],
            horizon=str(setting.horizon), max_targets=str(MAX_TARGETS), max_items=str(MAX_ITEMS),
            gamma=f"{given.gamma:g}", far=f"{1 / max(1e-6, 1 - given.gamma):.0f}",
        ),
        "training": dict(
            ticks=told["training.ticks"], most=f"{setting.ticks_per_iteration:,}",
            update=f"{given.ticks_per_update:,}", network=given.network,
            stop="" if setting.design == "action" else "\n" + stop,
        ),
    }  # fmt: skip
    parts = {
        name: prompts.fill(f"rl_setup.{name}", **fields)
        if name.removesuffix("_picture") in PARTS[setting.design] else ""
        for name, fields in values.items()
    }  # fmt: skip
    return prompts.fill("rl_setup.limits", **parts, **{not_seen: ""})


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
        return interface_of(value, state, reasoning)
    except Wrong as wrong:
        return Refusal(str(wrong))


def fallback(reason: str) -> RLInterface:
    """The interface when no answer could be used: the run's own training."""
    note = f"The fast agent's answers could not be used: {reason}"
    return dataclasses.replace(DEFAULT, note=note)


def schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of the answer: every field is there, null keeps the run's own."""
    limits = {path: f"{limit}" for path, limit in ranges(state.setting).items()}
    macros = [name for name, kind in coded(state).items() if kind == "macro"]

    def number(path: str, kind: str = "number") -> dict[str, Any]:
        return {"type": [kind, "null"], "description": limits[path]}

    def some(values: Sequence[str]) -> dict[str, Any]:
        return {"type": ["array", "null"], "items": blocks.choice_schema(values)}

    def one(values: Sequence[Any], kind: str) -> dict[str, Any]:
        return {"type": [kind, "null"], "enum": [*values, None]}

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
        "observation": some(state.setting.given.choosable),
        "actions": blocks.object_schema(
            primitives=some(PRIMITIVES), macros=some(macros), turn=one(TURNS, "integer")
        ),
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
            network=one(NETWORKS, "string"),
            **(
                {}
                if state.setting.design == "action"
                else {"stop_at_success": number("training.stop_at_success")}
            ),
        ),
    }
    allowed = {name: parts[name] for name in PARTS[state.setting.design]}
    return blocks.object_schema(reasoning=blocks.TEXT, **allowed)


def _mobs(setting: Setting) -> str:
    given = setting.given
    if not given.mobs:
        return "none"
    return f"{', '.join(given.mobs)}, within {given.mob_range} blocks"
