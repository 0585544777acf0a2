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
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.rl_fields import ranges
from rlgpt_jax.agents.rl_read import fields_of, interface_of, macros_of, parts_of
from rlgpt_jax.agents.rl_words import describe as describe
from rlgpt_jax.agents.rl_words import given_items, given_reward
from rlgpt_jax.rl import interface
from rlgpt_jax.rl.interface import DEFAULT, RLInterface


def render(state: PromptState, prompts: Prompts) -> tuple[Message, ...]:
    """The question for the RL interface of `state.plan`, with what was set before.

    Reads `setting` (with `given`), `plan`, `fates` (may be empty while code is written),
    `memory` and `refused`.
    """
    feedback = prompts.fill("rl_setup.first")
    if state.memory:
        feedback = prompts.fill(
            "rl_setup.again",
            iteration=str(state.iteration + 1),
            num_iterations=str(state.setting.num_iterations),
            history=sections.history(state),
            critic=f"The critic says to you: {state.to_rl}" if state.to_rl else "",
        )
    return sections.question(
        "rl_setup.prompt",
        state,
        prompts,
        fates=sections.fates(state.fates),
        form=form(state, prompts),
        feedback=feedback,
    )


def form(state: PromptState, prompts: Prompts) -> str:
    """How to answer: the fields and an example; for any prompt."""
    design = state.setting.design
    return prompts.fill(
        "rl_setup.form",
        design=prompts.fill(f"rl_setup.design_{design}"),
        limits=limits(state, prompts),
        example_task=prompts.fill("rl_setup.example_task"),
        example=prompts.fill(
            "rl_setup.example_action" if design == "action" else "rl_setup.example"
        ),
    )


def limits(state: PromptState, prompts: Prompts) -> str:
    """The fields with units, ranges and consequences: all that can be set."""
    setting, given, spec = state.setting, state.setting.given, state.setting.spec
    told = {path: str(limit) for path, limit in ranges(setting).items()}
    mobs = f"{', '.join(given.mobs)}, within {given.mob_range} blocks" if given.mobs else "none"
    stop = prompts.fill(
        "rl_setup.stop", episodes=str(interface.STOP_EPISODES), least=f"{interface.STOP_LEAST:.0%}"
    )
    values = dict(
        # Episodes.
        goal=f"{setting.goal_quantity} {setting.goal_item}", mobs=mobs,
        quantities=told["task.goal_quantity"], start_items=given_items(given.start_items),
        horizon=str(setting.horizon), horizons=told["task.horizon"],
        # Observation and actions.
        parts=", ".join(given.choosable),
        primitives=", ".join(spec.primitives if spec else interface.PRIMITIVES),
        left_out="what it is when nothing is done" if spec and spec.continuous else "unused",
        macros=", ".join(macros_of(state))
        or ("none in this plan" if state.plan.coded else "your own"),
        turn=str(given.turn), turns=" or ".join(map(str, interface.TURNS)),
        # Reward.
        given=given_reward(given.reward), successes=told["reward.success"],
        step_costs=told["reward.step_cost"], distances=told["reward.distance.per_block"],
        max_targets=str(interface.MAX_TARGETS), items=told["reward.items"],
        max_items=str(interface.MAX_ITEMS), explorations=told["reward.exploration"],
        environments=told["reward.environment"], progresses=told["reward.progress"],
        fields=", ".join(f"{f.name} ({f.meaning})" for f in spec.fields) if spec else "",
        gamma=f"{given.gamma:g}", far=f"{1 / max(1e-6, 1 - given.gamma):.0f}",
        # Training.
        ticks=told["training.ticks"], most=f"{setting.ticks_per_iteration:,}",
        update=f"{given.ticks_per_update:,}", network=given.network,
        stop="" if setting.design == "action" else "\n" + stop,
    )  # fmt: skip
    seen, not_seen = ("observation", "observation_picture")[:: -1 if given.image_size else 1]
    parts = {
        name: prompts.fill_from(f"rl_setup.{name}", values)
        if name.removesuffix("_picture") in parts_of(setting)
        else ""
        for name in ("task", seen, "actions", "reward", "training")
    }
    return prompts.fill("rl_setup.limits", **parts, **{not_seen: ""})


@blocks.refusing
def parse(text: str, state: PromptState) -> RLInterface:
    """The interface in the JSON block of an answer."""
    value = blocks.json_object(text)
    return interface_of(value, state, blocks.reasoning(text, value))


def fallback(reason: str) -> RLInterface:
    """The interface when no answer could be used: the run's own training."""
    note = f"The fast agent's answers could not be used: {reason}"
    return dataclasses.replace(DEFAULT, note=note)


def schema(state: PromptState) -> dict[str, Any]:
    """JSON schema of the answer: every field is there, null keeps the run's own."""
    setting, spec = state.setting, state.setting.spec
    told = {path: str(limit) for path, limit in ranges(setting).items()}

    def number(path: str, kind: str = "number") -> dict[str, Any]:
        return {"type": [kind, "null"], "description": told[path]}

    def some(values: Sequence[str]) -> dict[str, Any]:
        return {"type": ["array", "null"], "items": blocks.choice_schema(values)}

    def one(values: Sequence[Any], kind: str) -> dict[str, Any]:
        return {"type": [kind, "null"], "enum": [*values, None]}

    def counted(field: str, kind: str) -> dict[str, Any]:
        entry = blocks.object_schema(name=blocks.TEXT, **{field: {"type": kind}})
        return {"type": ["array", "null"], "items": entry}

    fields = {
        "task": dict(
            goal_item={"type": ["string", "null"]},
            goal_quantity=number("task.goal_quantity", "integer"),
            horizon=number("task.horizon", "integer"),
            mob_range=number("task.mob_range", "integer"),
            start_items=counted("quantity", "integer"),
        ),
        "actions": dict(
            primitives=some(spec.primitives if spec else interface.PRIMITIVES),
            macros=some(macros_of(state)),
            turn=one(interface.TURNS, "integer"),
        ),
        "reward": dict(
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
            environment=number("reward.environment"),
            progress=counted("weight", "number"),
        ),
        "training": dict(
            ticks=number("training.ticks", "integer"),
            network=one(interface.NETWORKS, "string"),
            stop_at_success=number("training.stop_at_success"),
        ),
    }
    if setting.design == "action":
        del fields["training"]["stop_at_success"]
    known = fields_of(setting)
    parts = {
        part: blocks.object_schema(**{k: form for k, form in forms.items() if k in known[part]})
        for part, forms in fields.items()
    }
    parts["observation"] = some(setting.given.choosable)
    allowed = {name: parts[name] for name in parts_of(setting)}
    return blocks.object_schema(reasoning=blocks.TEXT, **allowed)
