"""Typed changes to a configuration, written as text: `ppo.learning_rate=3e-4`.

All changes are read and checked first and then made together, so values that are only
valid together may come in any order. Every mistake is a `ConfigError` that says what was
given, what is needed and the nearest valid names.
"""

import dataclasses
import difflib
import typing
from collections.abc import Sequence
from typing import Any, TypeVar

from experiments.config_tree import leaf_values, leaves
from experiments.values import ConfigError, parse_value

T = TypeVar("T")
PRIVATE = ("base_url", "api_key_env")  # what was written there may hold a key by mistake
# Names that other libraries of reinforcement learning have for fields.
OTHERS_SAY = {
    "n_steps": "unroll_length", "num_steps": "unroll_length", "n_envs": "num_envs",
    "n_epochs": "num_epochs", "update_epochs": "num_epochs", "clip_range": "clip",
    "clip_coef": "clip", "ent_coef": "entropy_cost", "vf_coef": "value_cost",
    "total_timesteps": "ticks_per_iteration", "timesteps": "ticks_per_iteration",
    "iterations": "num_iterations",
}  # fmt: skip


def override(config: T, assignments: Sequence[tuple[str, str]]) -> T:
    """Returns `config` with every `(path, text)` pair applied.

    Args:
      config: a frozen dataclass that may hold others.
      assignments: dotted paths of single values, and the text of the new value.

    Raises:
      ConfigError: if there is no such field, the text does not fit the field's type, or
        the configuration refuses the values.
    """
    changes: dict[str, Any] = {}
    for path, text in assignments:
        group = changes
        *groups, name = path.split(".")
        value = parse_value(text, _type_at(config, path), f"--config.{path}")
        for part in groups:
            group = group.setdefault(part, {})
        group[name] = value
    return _rebuilt(config, changes, "")


def _rebuilt(config: T, changes: dict[str, Any], prefix: str) -> T:
    """`config` with a tree of changes, innermost first, so that each group checks once."""
    values = {
        name: _rebuilt(getattr(config, name), value, f"{prefix}{name}.")
        if isinstance(value, dict)
        else value
        for name, value in changes.items()
    }
    try:
        return dataclasses.replace(config, **values)  # type: ignore[type-var]
    except ConfigError:
        raise
    except (ValueError, TypeError) as error:
        flags = (
            f"--config.{path}" + f"={value}" * (not path.endswith(PRIVATE))
            for path, value in leaves(changes, prefix).items()
        )
        raise ConfigError(f"{', '.join(flags)}: {error}") from error


def _type_at(config: Any, path: str) -> Any:
    """The declared type of the single value at a dotted path."""
    owner, names = config, path.split(".")
    for depth, name in enumerate(names):
        if not dataclasses.is_dataclass(owner):
            group = ".".join(names[:depth])
            raise ConfigError(
                f"--config.{path}: --config.{group} is a single value, not a group. "
                f"{_nearest(config, path)}"
            )
        if name not in {field.name for field in dataclasses.fields(owner)}:
            raise ConfigError(f"--config.{path}: no such field. {_nearest(config, path)}")
        kind = typing.get_type_hints(type(owner))[name]
        owner = getattr(owner, name)
    if dataclasses.is_dataclass(owner):
        if str in typing.get_args(kind):
            return str  # a name, in the place of a record
        inner = ", ".join(f"--config.{path}.{leaf}" for leaf in leaf_values(owner))
        raise ConfigError(f"--config.{path} is a group of fields. Set one of: {inner}.")
    return kind


def _initials(path: str) -> str:
    """ "ppo.learning_rate" -> "lr"."""
    return "".join(word[:1] for word in path.rpartition(".")[2].split("_"))


def _nearest(config: Any, path: str) -> str:
    """Suggests full paths; a right name in the wrong group is found too."""
    paths = list(leaf_values(config))
    for name, kind in typing.get_type_hints(type(config)).items():  # a name, or a record
        if record := next(filter(dataclasses.is_dataclass, typing.get_args(kind)), None):
            paths += [f"{name}.{field.name}" for field in dataclasses.fields(record)]
    group, _, last = path.rpartition(".")
    last = OTHERS_SAY.get(last, last)
    same = [p for p in paths if p.rpartition(".")[2] == last or _initials(p) == last]
    same.sort(key=lambda p: p.rpartition(".")[0] != group)
    near = same or difflib.get_close_matches(path, paths, n=3, cutoff=0.6)
    if not near:
        leaves = {p.rpartition(".")[2]: p for p in paths}
        near = [leaves[n] for n in difflib.get_close_matches(last, leaves, n=3, cutoff=0.6)]
    if near:
        return f"Did you mean {' or '.join(f'--config.{p}' for p in near[:3])}?"
    fields = [field.name for field in dataclasses.fields(config)]
    return f"Fields: {', '.join(fields)}."
