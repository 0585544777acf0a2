"""What a policy sees and does in a world with a spec, in words for prompts."""

from rlgpt_jax.agents.rl_words import given_reward
from rlgpt_jax.agents.setting import Setting
from rlgpt_jax.envs.spec import Field, WorldSpec


def of_policy(setting: Setting) -> dict[str, str]:
    """What prompts tell of the policy besides its memory."""
    spec, paid = spec_of(setting), given_reward(setting.given.reward)
    return dict(
        paid=f"It is rewarded: {paid}.", sees=sees(setting), acts=acts(spec),
        at_first=_at_first(spec),
    )  # fmt: skip


def spec_of(setting: Setting) -> WorldSpec:
    """The spec of the run's world, which must have one."""
    assert setting.spec is not None, "a world without a spec"
    return setting.spec


def sees(setting: Setting) -> str:
    """What the policy has at every decision, in one line."""
    names = [field.name for field in spec_of(setting).fields]
    return f"{', '.join(names)}, and which macro it started last, if any"


def acts(spec: WorldSpec) -> str:
    """Its own actions."""
    action = spec.continuous
    if action is None:
        return f"one of {', '.join(a.name for a in spec.choices)}."
    ranges = ", ".join(f"{a.name} ({a.low:g} to {a.high:g})" for a in action.arguments)
    return f"{action.name} with any {ranges}: {action.meaning}"


def _at_first(spec: WorldSpec) -> str:
    """How likely its choices are before it has learned, see `rl.primitives.Primitives.weight`."""
    if spec.continuous is None:
        return "every action and each macro about equally likely"
    macros = 2 * len(spec.continuous.arguments)
    return f"its own action, with any values, about as likely as {macros} macros together"


def unread(setting: Setting) -> str:
    """What the policy sees and macros cannot read."""
    fields = [f for f in spec_of(setting).fields if not may_read(setting, f)]
    if not fields:
        return ""
    return f"The policy also sees {', '.join(f'{f.name} ({f.meaning})' for f in fields)}."


def may_read(setting: Setting, field: Field) -> bool:
    """Whether macros of this run have a field."""
    return field.level == "paper" or setting.sensors == "full"
