"""What code and policy see: one choice, told beside every number.

The paper's agent saw a picture of 64 x 64 pixels and a few numbers; its code had the numbers.
Rays tell what stands where, so code that reads them needs little learning.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, get_args

from experiments.values import ConfigError, parse_value
from rlgpt_jax.rl.interface import PICTURE

Sight = Literal["rays", "blind_code", "pixels"]
WORDS: dict[str, str] = {
    "rays": "macros and policy see the rays",
    "blind_code": "the policy sees the rays, macros do not",
    "pixels": "the policy sees pictures of 64 x 64 pixels in the place of the rays, macros neither",
}
# The same in a world with a spec.
SPEC_WORDS = {
    "rays": "macros and policy see all fields of the observation",
    "blind_code": "the policy sees all fields of the observation, macros those of level paper",
}
# Fields that come with pixels. One body for actor and critic is half the cost, and pictures are
# most of it.
PIXELS: dict[str, Any] = {
    "observation": ("compass", "inventory", "status", PICTURE),
    "network": {"image_size": (64, 64), "shared": True},
    "ppo": {"num_epochs": 2, "learning_rate": 5e-4},
}


def seeing(config: Any, sight: str) -> Any:
    """A configuration with another sight, and the fields that come with it or go."""
    if (sight == "pixels") == (config.sight == "pixels"):
        return dataclasses.replace(config, sight=sight)
    changes = {}
    for name, value in PIXELS.items():
        now, default = getattr(config, name), type(config).__dataclass_fields__[name].default
        if isinstance(value, dict):
            back = {field: getattr(default, field) for field in value}
            changes[name] = dataclasses.replace(now, **(value if sight == "pixels" else back))
        else:
            changes[name] = value if sight == "pixels" else default
    return dataclasses.replace(config, sight=sight, **changes)


def chosen(config: Any, assignments: Sequence[tuple[str, str]]) -> Any:
    """The configuration with the sight that overrides name, before their other fields.

    Raises:
      ConfigError: no such sight, or not in this world.
    """
    for path, text in assignments:
        if path == "sight":
            sight = parse_value(text, Sight, "--config.sight")
            try:
                config = seeing(config, sight)
            except ValueError as error:
                raise ConfigError(str(error)) from error
    return config


def check(config: Any) -> None:
    """Refuses a sight that is not what the policy sees."""
    if config.sight not in get_args(Sight):
        raise ValueError(f"sight={config.sight!r}; choose from {', '.join(get_args(Sight))}.")
    if (PICTURE in config.observation) != (config.sight == "pixels"):
        raise ValueError(
            f"sight={config.sight} and observation={','.join(config.observation)} do not go "
            f"together: {PICTURE} is what the policy sees with sight=pixels, and only then. Set "
            "sight, which sets observation, network and ppo for it; other fields can follow."
        )
