"""How well the trusted skills do in the embedded world, each by its own criterion.

A scenario is a macro that brings about a case, calls the skill and tells by its last
action what came of it: sneak() for success, jump() where the case did not arise, else
noop(). An episode that solves its task counts as a success.
"""

import dataclasses
from typing import Any

import numpy as np

from rlgpt_jax.envs.base import JUMP
from rlgpt_jax.macros.language import parse_macro
from rlgpt_jax.macros.sensors import pack_view
from rlgpt_jax.macros.skills import skills
from rlgpt_jax.macros.vm.bytecode import TRAPPED, Program, link, trap_message
from rlgpt_jax.macros.vm.host import interpret_host

SNEAKED, JUMPED = 2, 1  # values of the column JUMP


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A case for one skill."""

    task: str
    case: str  # in words
    body: str  # sets `ok`, and `arose = 0` where there was no such case


SCENARIOS = {
    "look_level": Scenario("harvest_log", "after looking 45 degrees down", """
obs = yield turn(pitch=45)
obs = yield from look_level(obs)
ok = abs(obs.pitch) < 8
"""),
    "face": Scenario("harvest_log", "to compass direction 90", """
obs = yield from face(obs, 90)
ok = abs((obs.yaw - 90 + 180) % 360 - 180) < 8
"""),
    "walk": Scenario("harvest_milk", "20 ticks on plains: more than 3 blocks", """
obs = yield from walk(obs, 20)
ok = hypot(obs.x - x, obs.z - z) > 3
"""),
    "walk_to": Scenario("harvest_milk", "6.7 blocks away on plains, 100 ticks: within 0.7", """
obs = yield from walk_to(obs, x + 6, z + 3)
ok = hypot(obs.x - x - 6, obs.z - z - 3) < 0.7
"""),
    "climb_out": Scenario("harvest_log", "out of a hole that it has dug", """
obs = yield turn(pitch=90)
for _ in range(60):
    if obs.y < y - 0.9:
        break
    obs = yield attack()
arose = obs.y < y - 0.9
obs = yield turn(pitch=-90)
obs = yield from climb_out(obs)
ok = obs.y > y - 0.2
"""),
    "pillar_up": Scenario("craft_iron_axe_with_stone_pickaxe", "2 blocks of dirt", """
obs = yield from pillar_up(obs, "dirt", 2)
ok = obs.y > y + 1.9
"""),
    "place_ahead": Scenario(
        "harvest_milk_with_crafting_table_and_iron_ingot", "a crafting table, then near", """
obs = yield from place_ahead(obs, "crafting_table")
ok = obs.near("crafting_table")
"""),
    "craft_up_to": Scenario("get_furnace_nearby_with_logs", "8 planks from logs", """
obs = yield from craft_up_to(obs, "planks", 8)
ok = obs.count("planks") >= 8
"""),
    "collect": Scenario("harvest_milk", "a bucket that it has thrown down ahead, 120 ticks", """
obs = yield equip("bucket")
obs = yield turn(pitch=45)
obs = yield drop()
arose = obs.count("bucket") == 0
obs = yield turn(pitch=-45)
obs = yield from collect(obs, "bucket", 120)
ok = obs.count("bucket") == 1
"""),
    "scan_for": Scenario("harvest_log", "a log, in a forest", """
obs = yield from scan_for(obs, "log")
ok = obs.sees("log")
"""),
    "go_to": Scenario("harvest_log", "a log that scan_for has found: within 2.5", """
obs = yield from scan_for(obs, "log")
arose = obs.sees("log")
obs = yield from go_to(obs, "log")
ok = obs.nearest("log").distance <= 2.5
"""),
    "aim_at": Scenario("harvest_log", "a log that go_to has reached", """
obs = yield from scan_for(obs, "log")
obs = yield from go_to(obs, "log", 3)
arose = obs.nearest("log").distance <= 3
obs = yield from aim_at(obs, "log")
ok = obs.rays[66].block == "log"
"""),
    "mine_ahead": Scenario("harvest_log", "the block under the feet", """
obs = yield turn(pitch=90)
obs = yield from mine_ahead(obs)
for _ in range(10):
    obs = yield noop()
ok = obs.y < y - 0.9
"""),
    "mine": Scenario("harvest_log", "a log that scan_for has found", """
obs = yield from scan_for(obs, "log")
arose = obs.sees("log")
obs = yield from mine(obs, "log")
ok = obs.count("log") > 0
"""),
    "use_on": Scenario("harvest_milk", "a bucket on a cow that scan_for has found", """
obs = yield from scan_for(obs, "cow")
arose = obs.sees("cow")
obs = yield from use_on(obs, "cow")
ok = obs.count("milk_bucket") > 0
"""),
}  # fmt: skip
END = """
if not arose:
    yield jump()
elif ok:
    yield sneak()
else:
    yield noop()
"""


@dataclasses.dataclass(frozen=True)
class Measured:
    """What came of one scenario."""

    successes: int
    arose: int  # episodes in which the case arose
    episodes: int
    mean_ticks: float  # of the scenario, in all episodes
    mistakes: tuple[str, ...]


def program(skill: str) -> Program:
    """The scenario of a skill, at the lowest sensor level that has the skill."""
    level = "paper" if skill in skills.sources("paper") else "full"
    body = f"x, y, z, arose = obs.x, obs.y, obs.z, 1{SCENARIOS[skill].body}{END}"
    text = "def scenario(obs):\n" + "".join(f"    {line}\n" for line in body.split("\n") if line)
    found = parse_macro(text, "scenario", level, skills.sources(level))
    assert isinstance(found, Program), found.describe()
    return found


def measure(world: Any, scenario: Program) -> Measured:
    """Starts a scenario once in every lane of a host world."""
    num = world.num_envs
    obs, busy = world.reset(0), np.zeros(num, bool)
    state, macros = interpret_host.init_state(num), link([scenario])
    last = np.zeros(num, np.int32)
    ticks, is_open = np.zeros(num, np.int32), np.ones(num, bool)
    solved, mistakes = np.zeros(num, bool), []
    limit = 1000  # ticks: the tasks' episodes may be longer
    while is_open.any():
        state, out = interpret_host.tick(
            macros, state, pack_view(obs), is_open.astype(np.int32), busy, limit
        )
        ended = is_open & (out.ended > 0)
        mistakes += [
            trap_message(int(out.trap_code[i]), int(out.trap_line[i]))
            for i in np.flatnonzero(ended & (out.ended == TRAPPED))
        ]
        last[ended & (out.ended == TRAPPED)] = 0
        is_open &= ~ended
        last[is_open & ~busy] = out.action[is_open & ~busy, JUMP]
        ticks += is_open
        step = world.step(out.action)
        done = np.asarray(step.terminated | step.truncated)
        solved |= is_open & done & np.asarray(step.info["success"])
        last[is_open & done] = 0
        is_open &= ~done
        state = interpret_host.cut(state, done)
        obs, busy = step.obs, np.asarray(step.info["busy"]) & ~done
    succeeded = solved | (last == SNEAKED)
    arose = num - int((~succeeded & (last == JUMPED)).sum())
    return Measured(int(succeeded.sum()), arose, num, float(ticks.mean()), tuple(mistakes))
