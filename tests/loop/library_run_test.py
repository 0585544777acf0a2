"""A run with a library: offered macros, called macros, prompts, saving, resuming."""

import json
import shutil

import pytest

from rlgpt_jax.agents import render
from rlgpt_jax.loop import two_loop
from rlgpt_jax.loop.config import LoopConfig
from rlgpt_jax.loop.library import saving, store
from rlgpt_jax.loop.library.offer import NOTHING, free_slots, make_offer
from rlgpt_jax.loop.library.store import Entry, LibraryError
from rlgpt_jax.loop.record import read_json, write_json
from rlgpt_jax.macros.vm.bytecode import MAX_MACROS
from tests.loop.script import CONFIG, RL, Script, block, plan, tools

NUDGE = 'def nudge(obs):\n    """Two steps on."""\n    yield forward()\n    yield forward()\n'
LOOK = "def look(obs):\n    if obs.sees('cow'):\n        yield noop()\n"
LIBRARY = (
    Entry("look", LOOK, "harvest_milk", "full"), Entry("nudge", NUDGE, instruction="Step on."),
)  # fmt: skip
# A macro of the run that calls one of the library, and a plan that takes its name first.
WALK = block(
    "python",
    "def walk(obs):\n    x = obs.z\n    obs = yield from nudge(obs)\n"
    "    if obs.z > x:\n        obs = yield forward()\n",
)
SCRIPT = {"iter0/fast/walk/try0": WALK, "iter0/fast/walk/try1": WALK}


def offer(**changes):
    return make_offer(LIBRARY, CONFIG, "paper", **changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One run with the library: its tools, its model and what it returned."""
    script = Script(**SCRIPT)
    given = tools(tmp_path_factory.mktemp("library"), script, offer=offer())
    settings = {"task": "corridor", "seed": 0, "sight": "blind_code"}
    write_json(given.folder.path("config.json"), {"name": "corridor", "config": settings})
    store.copy(LIBRARY, given.folder.path(saving.COPY))
    return given, script, two_loop.run(CONFIG, given)


def test_macros_that_fit_the_sensors_are_offered_and_the_others_are_named():
    assert [fate.name for fate in offer().macros] == ["nudge"]
    assert any("look: refused at sensor level paper" in words for words in offer().left_out)
    full = make_offer(LIBRARY, CONFIG, "full")
    assert [fate.name for fate in full.macros] == ["look", "nudge"] and not full.left_out


def test_offered_macros_have_the_first_slots_beside_those_of_the_plan(whole):
    _, _, run = whole
    for iteration in run.iterations:
        space = iteration.stage.space
        assert space.names[:3] == ("nudge", "pause", "walk") and space.offered[0]
    assert run.iterations[0].stage.space.script == (2,)
    assert run.iterations[1].stage.changed == (2,)  # only pause has new code
    assert "nudge" in run.iterations[0].report.macro_ends


def test_new_code_may_call_the_library(whole):
    given, _, run = whole
    report = read_json(given.folder.macro(0, "walk", "try0.trial.json"))["report"]
    assert report["trap_messages"] == {} and report["mean_ticks"] > 2


def test_prompts_tell_of_the_library_where_it_matters(whole):
    _, script, _ = whole
    line = "- nudge(obs): Two steps on."
    for key in ("iter0/slow", "iter0/fast/walk/try0", "iter0/trial_critic/try0"):
        assert line in script.prompts[key]
    for key in ("iter0/slow", "iter0/critic", "iter1/slow", "iter1/critic"):
        assert f"{render.LIBRARY}\n  - nudge: Two steps on." in script.prompts[key]


def test_without_a_library_prompts_are_the_same_bytes(tmp_path):
    assert make_offer((), CONFIG, "paper") == NOTHING
    setting = two_loop.make_setting(CONFIG, tools(tmp_path, Script()))
    assert "Functions that exist already" not in setting.api
    assert setting.reserved == two_loop.reserved(None) and setting.offered == ()
    with_one = two_loop.make_setting(CONFIG, tools(tmp_path, Script(), offer=offer()))
    assert with_one.api.startswith(setting.api) and with_one.api != setting.api


def test_a_plan_cannot_take_a_name_of_the_library(tmp_path):
    taken = plan(("nudge", "macro", "Go."), ("find", "learn", "Find."))
    script = Script(**SCRIPT, **{"iter0/slow": taken})
    script.answers["iter0/slow/again"] = plan(("find", "learn", "Find."))
    script.answers["iter0/critic"] = script.answers["iter1/critic"] = block(
        "json", json.dumps({"failure": "", "sub_actions": [], "advice": ""})
    )
    given = tools(tmp_path, script, offer=offer())
    state = two_loop.PromptState(two_loop.make_setting(CONFIG, given))
    made = two_loop.make_plan(CONFIG, given, state)
    assert [s.name for s in made.sub_actions] == ["find"]
    assert "'nudge' is already the name" in script.prompts["iter0/slow/again"]


def test_slots_that_are_left_and_who_gets_them():
    many = [Entry(f"go_{i}", NUDGE.replace("nudge", f"go_{i}")) for i in range(9)]
    given = make_offer(many, CONFIG, "paper")
    assert [f.name for f in given.macros] == ["go_0", "go_1", "go_2", "go_3"]
    assert "go_8: not offered to the policy: 4 slots are free in mode rl_gpt" in given.left_out
    assert len(given.functions) == 9  # all may be called
    chosen = make_offer(many, CONFIG, "paper", chosen=("go_8", "go_1"))
    assert [f.name for f in chosen.macros] == ["go_8", "go_1"] and not chosen.left_out
    pure_rl = LoopConfig(mode="pure_rl")
    assert len(make_offer(many, pure_rl, "paper").macros) == free_slots(pure_rl) == MAX_MACROS
    assert not make_offer(many, LoopConfig(mode="pure_code"), "paper").macros
    for wrong in (("go_9",), tuple(f"go_{i}" for i in range(5))):
        with pytest.raises(LibraryError, match="macros.offer names"):
            make_offer(many, CONFIG, "paper", chosen=wrong)


def test_a_macro_with_state_outside_of_functions_is_offered_but_cannot_be_called():
    counter = "n = 0\ndef count(obs):\n    global n\n    n += 1\n    yield forward()\n"
    given = make_offer([Entry("count", counter)], CONFIG, "paper")
    assert [f.name for f in given.macros] == ["count"] and not given.functions
    assert "count: cannot be called: " in given.left_out[0]


def test_pure_rl_learns_with_a_library_and_asks_nobody(tmp_path):
    config = LoopConfig(mode="pure_rl", num_iterations=1, ticks_per_iteration=128, eval_episodes=8)
    given = tools(tmp_path, None, offer=make_offer(LIBRARY, config, "paper"), rl=RL)
    run = two_loop.run(config, given)
    assert run.iterations[0].stage.space.names[0] == "nudge"


def test_a_run_is_saved_with_its_record(whole, tmp_path):
    given, _, run = whole
    store.add(tmp_path, LIBRARY)
    assert store.add(tmp_path, saving.entries_of(given.folder.root)) == [
        ("nudge", "nudge"),
        ("pause", "pause"),
        ("walk", "walk"),
        ("pause", "pause_2"),
    ]
    found = {e.name: e for e in store.load(tmp_path)}
    assert set(found) == {"look", "nudge", "pause", "pause_2", "walk"}
    rows = found["walk"].record
    assert [(r["iteration"], r["role"]) for r in rows] == [(0, "plan"), (1, "plan")]
    report = run.iterations[0].report
    assert rows[0]["activations"] == sum(report.macro_ends["walk"].values())
    assert rows[0]["evaluation"]["success_rate"] == report.success_rate
    # Of the others the episode was over before the macro could start.
    assert 0 < rows[0]["trial"]["num_episodes"] <= CONFIG.trial_episodes
    assert [r["role"] for r in found["nudge"].record] == ["library", "library"]
    assert found["walk"].instruction == "Go on."  # not "keep"
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    store.add(tmp_path, saving.entries_of(given.folder.root))  # a second time changes nothing
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_what_a_saved_macro_calls_is_saved_with_it(whole, tmp_path):
    given, _, _ = whole
    store.add(tmp_path, saving.entries_of(given.folder.root, [1]))
    entries = store.load(tmp_path)
    again = make_offer(entries, CONFIG, "paper")
    assert {f.name for f in again.macros} == {"nudge", "pause", "walk"} and not again.left_out
    with pytest.raises(LibraryError, match="finished iterations are"):
        saving.entries_of(given.folder.root, [7])


def test_the_best_iteration_is_the_one_that_the_run_ends_with(tmp_path):
    halves = {"best_iteration": 1, "coded_parts": {"iteration": 0}}
    for ends_with, best in (("policy", 1), ("coded_parts", 0)):
        write_json(tmp_path / "result.json", halves | {"ends_with": ends_with})
        assert saving.best_iteration(tmp_path) == best
    write_json(tmp_path / "result.json", {"sub_tasks": []})
    with pytest.raises(LibraryError, match="long task"):
        saving.best_iteration(tmp_path)


@pytest.mark.slow  # `two_loop_test.py` resumes by default
def test_a_resumed_run_gives_the_same_bits(whole, tmp_path):
    given, _, run = whole
    for name in ("transcript.jsonl", "iterations/0/plan.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(given.folder.path(name), tmp_path / name)
    # The macros' trials, the networks and the evaluations are made again.
    again = two_loop.run(CONFIG, tools(tmp_path, Script(**SCRIPT), offer=offer()))
    for one, other in zip(run.iterations, again.iterations, strict=True):
        assert one.report == other.report
    assert given.folder.path("metrics.csv").read_bytes() == (
        (tmp_path / "metrics.csv").read_bytes()
    )
