import pytest

from rlgpt_jax.envs.plan import on_paper, recipe_graph, rules
from rlgpt_jax.envs.plan.on_paper import Step

LOGS = Step("logs", "log", 3, (), land=True)
PLANKS = Step("planks", "planks", 12, (("log", 3),), land=False)
TABLE = Step("table", "crafting_table", 1, (("planks", 4),), land=False)
STICKS = Step("sticks", "stick", 4, (("planks", 2),), land=False)
PICKAXE = Step(
    "pickaxe", "wooden_pickaxe", 1, (("planks", 3), ("stick", 2), ("crafting_table", 1)), land=False
)
STONE = Step("stone", "cobblestone", 3, (("wooden_pickaxe", 1),), land=True)
BETTER = Step(
    "better", "stone_pickaxe", 1, (("cobblestone", 3), ("stick", 2), ("crafting_table", 1)), False
)
FINE = (LOGS, PLANKS, TABLE, STICKS, PICKAXE)


def refused(*steps: Step, start=(), goal="wooden_pickaxe", quantity=1) -> str:
    return rules.check(steps, start, goal, quantity)


def test_a_plan_that_counts_right_is_accepted():
    assert refused(*FINE) == ""
    at_once = Step("make", "wooden_pickaxe", 1, (("log", 3),), False)
    assert refused(LOGS, at_once) == ""


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((LOGS._replace(item="wood"),), "'wood' is no item"),
        ((LOGS._replace(item="bedrock"),), "'bedrock' cannot be had"),
        ((*FINE, LOGS._replace(name="more")), "logs and more have the same goal, log"),
        ((LOGS, PLANKS._replace(needs=(("planks", 1),))), "a cycle. Leave it out of the needs"),
        ((PLANKS,), "planks needs 3 log, which no sub-task has as its goal"),
        ((PLANKS, LOGS), "comes later, from logs. Write logs before planks"),
        (
            (PLANKS._replace(needs=(("stick", 1),)), STICKS._replace(needs=(("planks", 2),))),
            "cycle: planks needs sticks needs planks",
        ),
        ((LOGS._replace(land=False),), 'log is not crafted, so "solve": "code" cannot get it'),
        (
            (LOGS, Step("make", "wooden_pickaxe", 1, (("log", 2),), False)),
            "cannot be had from its needs: 1 log more would do",
        ),
        ((STONE._replace(needs=()),), "1 wooden_pickaxe more would do"),
        (
            (LOGS._replace(quantity=2), *FINE[1:]),
            "planks needs 3 log, but 1 of them are not left by then. To have enough, raise the "
            "goal of logs from 2 to 3",
        ),
        (
            (LOGS._replace(quantity=9), PLANKS._replace(quantity=8, needs=(("log", 2),)),
             *FINE[2:]),
            "planks, but 1 of them are not left by then, because table uses up 4",
        ),
        ((LOGS, PLANKS, STICKS), "The last sub-task must reach the task's goal, 1 wooden_pickaxe"),
        (
            (LOGS._replace(quantity=8), Step("doors", "chest", 1, (("log", 3),), False), *FINE[1:]),
            "No other sub-task needs the goal of doors",
        ),
    ],
)  # fmt: skip
def test_a_plan_that_breaks_a_rule_is_told_what_is_missing(steps, words):
    assert words in refused(*steps)


def test_a_station_that_was_put_down_is_not_there_for_the_next_sub_task():
    steps = (
        LOGS._replace(quantity=5),
        PLANKS._replace(quantity=20, needs=(("log", 5),)),
        TABLE,
        *FINE[3:],
        STONE,
        BETTER,
    )
    words = refused(*steps, goal="stone_pickaxe")
    assert "pickaxe uses up 1 (a station that is put down stays behind)" in words
    assert "raise the goal of table from 1 to 2" in words
    two = TABLE._replace(quantity=2, needs=(("planks", 8),))
    assert refused(*steps[:2], two, *steps[3:], goal="stone_pickaxe") == ""


def test_what_the_start_has_counts():
    smelt = Step("smelt", "iron_ingot", 3, (("iron_ore", 3), ("furnace", 1), ("coal", 1)), False)
    ore = Step("ore", "iron_ore", 3, (("stone_pickaxe", 1),), True)
    start = (("stone_pickaxe", 1), ("furnace", 1), ("coal", 1))
    assert refused(ore, smelt, start=start, goal="iron_ingot", quantity=3) == ""
    assert "1 coal more would do" in refused(
        ore, smelt._replace(needs=smelt.needs[:2]), start=start, goal="iron_ingot", quantity=3
    )
    assert "of which the start has 1" in refused(
        ore,
        smelt._replace(needs=(*smelt.needs[:2], ("coal", 2))),
        start=start,
        goal="iron_ingot",
        quantity=3,
    )


def test_a_station_to_be_placed_is_carried_or_made():
    place = Step("place", "crafting_table", 1, (("crafting_table", 1),), False, placed=True)
    carry = TABLE._replace(needs=(("log", 1),))
    assert refused(LOGS, carry, place, goal="crafting_table") == ""
    made = place._replace(needs=(("log", 1),))
    assert refused(LOGS, made, goal="crafting_table") == ""
    assert "1 log more would do" in refused(LOGS, place._replace(needs=()), goal="crafting_table")


def test_the_plan_is_a_graph_by_needs():
    assert rules.edges(FINE) == ((), (0,), (1,), (1,), (1, 3, 2))


def test_what_can_still_be_reached():
    near = frozenset({"crafting_table"})
    parts = {"planks": 3, "stick": 2}
    assert on_paper.reachable(PICKAXE, parts, near)
    assert not on_paper.reachable(PICKAXE, parts)
    assert on_paper.reachable(PICKAXE, parts | {"crafting_table": 1})
    assert on_paper.reachable(PICKAXE, {"log": 3})
    assert on_paper.reachable(STONE, {"wooden_pickaxe": 1})
    assert not on_paper.reachable(STONE, {"log": 9})
    assert on_paper.reachable(LOGS, {})


def test_blocks_and_mobs_that_a_goal_comes_from():
    assert on_paper.targets(LOGS) == ("log",)
    assert on_paper.targets(STONE) == ("stone",)
    assert on_paper.targets(PICKAXE) == ()
    milk = Step("milk", "milk_bucket", 1, (("bucket", 1),), True)
    assert on_paper.targets(milk) == ("cow",)
    # Sticks lie in dead bushes, but in a forest they are made of wood.
    assert on_paper.targets(STICKS._replace(land=True, needs=())) == ("log",)


def test_facts_name_every_step_to_a_diamond():
    facts = recipe_graph.describe("diamond").splitlines()
    begun = {line.partition(":")[0].removeprefix("- ") for line in facts}
    assert {"log", "planks", "stick", "crafting_table", "wooden_pickaxe", "cobblestone", "furnace",
            "stone_pickaxe", "coal", "iron_ore", "iron_ingot", "iron_pickaxe"} < begun  # fmt: skip
    assert "- planks: 4 from 1 log, in hand" in facts
    assert "- iron_pickaxe: 1 from 3 iron_ingot + 2 stick, at a crafting_table" in facts
    assert any("mine diamond_ore with iron_pickaxe" in line for line in facts)
    assert any("coal 1600, log 300, planks 300, stick 100" in line for line in facts)


def test_ingredients_come_before_what_is_made_of_them():
    depth = recipe_graph.depths()
    for item in ("diamond", "bed", "milk_bucket", "item_frame", "hopper"):
        for name in recipe_graph.closure(item):
            assert all(
                depth[need] < depth[name]
                for way in recipe_graph.best_ways(name) for need, _ in way.needs
            )  # fmt: skip
