"""Overrides are typed, and each mistake names what would have been right."""

import dataclasses
from typing import Literal

import pytest

from experiments.config_tree import differences, from_dict, leaf_values
from experiments.overrides import override
from experiments.values import ConfigError


@dataclasses.dataclass(frozen=True)
class Inner:
    learning_rate: float = 3e-4
    num_envs: int = 64
    num_minibatches: int = 4
    clip: bool = True
    layers: tuple[int, ...] = (256, 256)
    window: tuple[int, int] = (1, 2)
    limit: float | None = None

    def __post_init__(self) -> None:
        if self.num_envs % self.num_minibatches:
            raise ValueError(f"num_minibatches={self.num_minibatches} must divide num_envs.")


@dataclasses.dataclass(frozen=True)
class Outer:
    name: str = "x"
    mode: Literal["rl_gpt", "pure_rl"] = "rl_gpt"
    ppo: Inner = Inner()


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("ppo.learning_rate", "1e-3", 1e-3),
        ("ppo.learning_rate", "1", 1.0),
        ("ppo.num_envs", "32", 32),
        ("ppo.num_envs", "1_024", 1024),
        ("ppo.num_envs", "2e5", 200000),
        ("ppo.clip", "false", False),
        ("ppo.clip", "YES", True),
        ("ppo.layers", "64", (64,)),
        ("ppo.layers", "(64, 32)", (64, 32)),
        ("ppo.layers", "64,32,16", (64, 32, 16)),
        ("ppo.layers", "()", ()),
        ("ppo.window", "3,4", (3, 4)),
        ("ppo.limit", "2.5", 2.5),
        ("ppo.limit", "none", None),
        ("name", "a=b", "a=b"),
        ("mode", "pure_rl", "pure_rl"),
    ],
)
def test_a_value_is_read_as_the_fields_type(path: str, text: str, value: object) -> None:
    changed = override(Outer(), [(path, text)])
    for name in path.split("."):
        changed = getattr(changed, name)
    assert changed == value and type(changed) is type(value)


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("ppo.learning_rte", "1", "Did you mean --config.ppo.learning_rate?"),
        ("learning_rate", "1", "Did you mean --config.ppo.learning_rate?"),
        ("pp.num_envs", "1", "Did you mean --config.ppo.num_envs?"),
        ("zzz", "1", "Fields: name, mode, ppo."),
        ("ppo", "1", "is a group of fields. Set one of: --config.ppo.learning_rate"),
        ("name.x", "1", "--config.name is a single value"),
        ("ppo.learning_rate", "fast", "needs a number, for example 3e-4"),
        ("ppo.learning_rate", "nan", "needs a number"),
        ("ppo.num_envs", "1.5", "needs a whole number"),
        ("ppo.num_envs", "", "needs a whole number"),
        ("ppo.clip", "maybe", "needs true or false"),
        ("ppo.window", "1,2,3", "needs 2 values with commas between them, 3 were given"),
        ("ppo.window", "1,x", "needs a whole number"),
        ("mode", "pure_lr", "Did you mean pure_rl? Choose from: "),
        ("ppo.num_envs", "65", "--config.ppo.num_envs=65: num_minibatches=4 must divide"),
    ],
)
def test_a_mistake_is_one_error_with_the_nearest_choice(path: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        override(Outer(), [(path, text)])
    assert words in str(caught.value) and f"--config.{path}" in str(caught.value)


def test_values_valid_only_together_may_come_in_any_order() -> None:
    pairs = [("ppo.num_envs", "6"), ("ppo.num_minibatches", "3")]
    for order in (pairs, pairs[::-1]):
        assert override(Outer(), order).ppo.num_envs == 6


def test_the_last_of_two_values_for_one_field_counts() -> None:
    assert override(Outer(), [("name", "a"), ("name", "b")]).name == "b"


def test_a_configuration_survives_its_json_form() -> None:
    config = override(Outer(), [("ppo.layers", "1,2"), ("ppo.limit", "3")])
    assert from_dict(Outer, dataclasses.asdict(config)) == config
    with pytest.raises(ConfigError, match=r"no field 'nam'.*Did you mean name"):
        from_dict(Outer, {"nam": 1})


def test_differences_name_path_and_both_values() -> None:
    changed = override(Outer(), [("ppo.num_envs", "8")])
    assert differences(Outer(), changed) == ["ppo.num_envs: 64 -> 8"]
    assert differences(Outer(), Outer()) == []
    assert "ppo.window" in leaf_values(Outer())
