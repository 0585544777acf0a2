"""The fast agent's RL interface: what it wants of the training of one iteration.

The question, the JSON block of the answer, its checks, and words for it. Nothing that
passes the checks can break a training run; what is left out stays as the run has it.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rlgpt_jax.agents import parse as blocks
from rlgpt_jax.agents import render as sections
from rlgpt_jax.agents.llm.base import Message
from rlgpt_jax.agents.prompt_state import PromptState
from rlgpt_jax.agents.prompts import Prompts
from rlgpt_jax.agents.rl_fields import ranges
from rlgpt_jax.agents.rl_read import coded, interface_of, parts_of
from rlgpt_jax.agents.rl_words import describe as describe
from rlgpt_jax.agents.rl_words import given_items, given_reward
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.spec import WorldSpec
from rlgpt_jax.rl import interface
from rlgpt_jax.rl.interface import DEFAULT, RLInterface


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
        place=prompts.fill("shared.place"),
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
        example_task=prompts.fill("rl_setup.example_task"),
        example=prompts.fill(
            "rl_setup.example_action" if design == "action" else "rl_setup.example"
        ),
    )


def limits(state: PromptState, prompts: Prompts) -> str:
    """The fields with units, ranges and consequences: all that can be set."""
    setting, given = state.setting, state.setting.given
    told = {path: str(limit) for path, limit in ranges(setting).items()}
    macros = [name for name, kind in coded(state).items() if kind == "macro"]
    offered = ", ".join(macros) or ("none in this plan" if state.plan.coded else "your own")
    seen, not_seen = ("observation", "observation_picture")[:: -1 if given.image_size else 1]
    stop = prompts.fill(
        "rl_setup.stop", episodes=str(interface.STOP_EPISODES), least=f"{interface.STOP_LEAST:.0%}"
    )
    own = _spec_limits(setting, setting.spec, told) if setting.spec else _limits(setting, told)
    reward = dict(
        given=given_reward(given.reward), successes=told["reward.success"],
        step_costs=told["reward.step_cost"], horizon=str(setting.horizon),
        max_items=str(interface.MAX_ITEMS), gamma=f"{given.gamma:g}",
        far=f"{1 / max(1e-6, 1 - given.gamma):.0f}",
    )  # fmt: skip
    values: dict[str, dict[str, str]] = {
        "task": dict(horizon=str(setting.horizon), horizons=told["task.horizon"]) | own["task"],
        seen: dict(parts=", ".join(given.choosable)),
        "actions": {"macros": offered} | own["actions"],
        "reward": reward | own["reward"],
        "training": dict(
            ticks=told["training.ticks"], most=f"{setting.ticks_per_iteration:,}",
            update=f"{given.ticks_per_update:,}", network=given.network,
            stop="" if setting.design == "action" else "\n" + stop,
        ),
    }  # fmt: skip
    parts = {
        name: prompts.fill(f"rl_setup.{name}", **fields)
        if name.removesuffix("_picture") in parts_of(setting) else ""
        for name, fields in values.items()
    }  # fmt: skip
    return prompts.fill("rl_setup.limits", **parts, **{not_seen: ""})


def _limits(setting: Setting, told: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What only Minecraft has: by part, what fills its text."""
    given = setting.given
    mobs = f"{', '.join(given.mobs)}, within {given.mob_range} blocks" if given.mobs else "none"
    return {
        "task": dict(
            goal=f"{setting.goal_quantity} {setting.goal_item}", mobs=mobs,
            quantities=told["task.goal_quantity"], start_items=given_items(given.start_items),
        ),
        "actions": dict(
            primitives=", ".join(interface.PRIMITIVES), turn=str(given.turn),
            turns=" or ".join(map(str, interface.TURNS)),
        ),
        "reward": dict(
            distances=told["reward.distance.per_block"], items=told["reward.items"],
            explorations=told["reward.exploration"], max_targets=str(interface.MAX_TARGETS),
        ),
    }  # fmt: skip


def _spec_limits(
    setting: Setting, spec: WorldSpec, told: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """The same of a world with a spec."""
    idle = "what it is when nothing is done" if spec.continuous else "unused"
    return {
        "task": {},
        "actions": dict(primitives=", ".join(spec.primitives), left_out=idle),
        "reward": dict(
            environments=told["reward.environment"],
            progresses=told["reward.progress"],
            fields=", ".join(f"{f.name} ({f.meaning})" for f in spec.fields),
        ),
    }


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

    spec = state.setting.spec
    task = dict(
        goal_item={"type": ["string", "null"]},
        goal_quantity=number("task.goal_quantity", "integer"),
        horizon=number("task.horizon", "integer"),
        mob_range=number("task.mob_range", "integer"),
        start_items=counted("quantity", "integer"),
    )
    if spec:
        task = {"horizon": task["horizon"]}
    pays = dict(
        environment=number("reward.environment"), progress=counted("weight", "number")
    ) if spec else dict(
        distance=blocks.object_schema(
            targets=blocks.list_schema(blocks.TEXT),
            per_block=number("reward.distance.per_block"),
        ),
        items=blocks.list_schema(
            blocks.object_schema(name=blocks.TEXT, reward={"type": "number"})
        ),
        exploration=number("reward.exploration"),
    )  # fmt: skip
    turns = {} if spec else {"turn": one(interface.TURNS, "integer")}
    parts = {
        "task": blocks.object_schema(**task),
        "observation": some(state.setting.given.choosable),
        "actions": blocks.object_schema(
            primitives=some(spec.primitives if spec else interface.PRIMITIVES),
            macros=some(macros),
            **turns,
        ),
        "reward": blocks.object_schema(
            success=number("reward.success"), step_cost=number("reward.step_cost"), **pays
        ),
        "training": blocks.object_schema(
            ticks=number("training.ticks", "integer"),
            network=one(interface.NETWORKS, "string"),
            **(
                {}
                if state.setting.design == "action"
                else {"stop_at_success": number("training.stop_at_success")}
            ),
        ),
    }
    allowed = {name: parts[name] for name in parts_of(state.setting)}
    return blocks.object_schema(reasoning=blocks.TEXT, **allowed)
