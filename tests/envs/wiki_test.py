"""Names as the wiki has them."""

from rlgpt_jax.envs import wiki
from rlgpt_jax.envs.tasks import own_task
from rlgpt_jax.envs.voxel.rules.blocks.blocks import TABLE

NAMES = {*own_task.ITEMS, *TABLE}


def test_names_of_today_are_other_names_of_what_there_is():
    assert set(wiki.TODAY.values()) <= NAMES
    assert not set(wiki.TODAY) & NAMES


def test_a_name_is_known_in_plain_writing_and_others_stay():
    for given, name in (("poppy", "red_flower"), ("Oak Planks", "planks"), ("block_of_iron",
                        "iron_block"), ("stick", "stick"), ("popy", "popy"), (5, 5)):  # fmt: skip
        assert wiki.known(given, NAMES) == name
