"""A configuration that compares with another differs from it in what its name says."""

import pytest

from experiments import checks, flags
from experiments.config_tree import leaf_values
from experiments.configs import base
from experiments.configs.baselines import AUTOCRAFT, PLAN4MC
from experiments.values import ConfigError
from rlgpt_jax.envs.tasks.tasks import get_task

BEEF = "harvest_beef_with_diamond_sword"


def changed(name: str, other: str) -> dict[str, object]:
    """Fields of `name` that differ from those of `other`, but for where answers are."""
    mine, theirs = (leaf_values(flags.load_config(config)) for config in (name, other))
    assert mine.pop("llm.transcript") != theirs.pop("llm.transcript")
    return {path: value for path, value in mine.items() if theirs[path] != value}


@pytest.mark.parametrize(
    ("name", "other", "fields"),
    [
        ("harvest_milk_rays", "harvest_milk", {"sight": "rays"}),
        ("harvest_wool_rays", "harvest_wool", {"sight": "rays"}),
        ("craft_stick_rays", "craft_stick", {"sight": "rays"}),
        (f"{BEEF}_rays", BEEF, {"sight": "rays"}),
        ("harvest_milk_seeing", "harvest_milk", {"critic.vision": "strip"}),
        ("harvest_log_one_agent", "harvest_log", {"loop.agents": "one"}),
        ("harvest_log_slow_fast", "harvest_log", {"loop.agents": "slow_fast"}),
    ],
)
def test_a_variant_changes_one_thing(name: str, other: str, fields: dict) -> None:
    assert changed(name, other) == fields


@pytest.mark.parametrize("name", ["craft_stick", "harvest_beef_with_diamond_sword"])
def test_a_long_task_lives_through_whole_episodes(name: str) -> None:
    config = flags.load_config(name)
    assert get_task(config.task).horizon == 3000
    checks.check_budget(config)
    episodes = config.loop.ticks_per_iteration / config.ppo.num_envs / 3000
    assert episodes > 3
    assert config.loop.eval_episodes % config.ppo.num_envs == 0  # no lane plays for nothing
    default = base.for_task("harvest_log").ppo
    assert config.ppo.num_envs == default.num_envs
    assert config.ppo.unroll_length == 2 * default.unroll_length  # macros of up to 400 ticks


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("loop.mode", "rl_gpt"), *AUTOCRAFT), "leave out loop.mode=rl_gpt"),
        ((*PLAN4MC, *AUTOCRAFT), "leave out loop.planner"),
        ((("loop.mode", "pure_rl"), *AUTOCRAFT, ("driver", "device")), "leave out driver=device"),
        ((*PLAN4MC, ("set_up", "runs/other")), "loop.planner=true splits it"),
    ],
)
def test_baselines_are_refused_where_they_do_not_fit(changes, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        flags.resolve("craft_stick_paper", None, False, changes)


def test_a_baseline_has_the_ticks_and_worlds_of_its_configuration() -> None:
    plain = leaf_values(flags.load_config("craft_stick_paper"))
    for changes in (PLAN4MC, (("loop.mode", "pure_rl"), *AUTOCRAFT)):
        mine = leaf_values(flags.resolve("craft_stick_paper", None, False, changes))
        other = {path for path in mine if mine[path] != plain[path]}
        assert other == {path for path, _ in changes}
