from rlgpt_jax.agents.prompt_state import Fate
from rlgpt_jax.loop.spaces import Language, changed_slots, make_space, place
from rlgpt_jax.rl.interface import RLInterface


def fate(name, ticks=1, kind="macro"):
    source = f"def {name}(obs):\n" + "    yield noop()\n" * ticks
    return Fate(name, kind, source=source)


def names(slots):
    return [f.name for f in slots]


def test_code_that_stays_keeps_its_slot():
    old = place([fate("a"), fate("b"), fate("c")], ())
    new = place([fate("x"), fate("c"), fate("b", 2)], old)
    assert names(new) == ["x", "b", "c"]
    assert changed_slots(new, old) == (1, 2)  # c is untouched, b has new code


def test_a_slot_beyond_the_new_number_moves_and_an_emptied_one_counts_as_changed():
    old = place([fate("a"), fate("b")], ())
    new = place([fate("b"), Fate("gone", "macro")], old)
    assert names(new) == ["b"] and changed_slots(new, old) == (1, 2)


def test_the_script_follows_the_plan_and_not_the_slots():
    old = place([fate("b", kind="code"), fate("a", kind="code")], ())
    fates = [fate("a", kind="code"), fate("b", kind="code"), fate("m")]
    space = make_space(place(fates, old), fates, False, Language(tick_limit=50))
    assert space.names[:3] == ("b", "a", "m") and space.script == (2, 1)
    assert space.offered[:3] == (False, False, True) and not space.repeat_script
    assert space.tick_limit == 50


def test_pure_code_scripts_everything_and_offers_nothing():
    fates = [fate("m"), fate("c", kind="code")]
    space = make_space(place(fates, ()), fates, True, Language(tick_limit=50))
    assert space.script == (1, 2) and space.repeat_script and not any(space.offered)


def test_what_leads_is_offered_in_the_order_of_the_plan_whatever_the_interface_offers():
    old = place([fate("b", kind="lead"), fate("a", kind="lead")], ())
    fates = [fate("a", kind="lead"), fate("m"), fate("b", kind="lead"), fate("c", kind="code")]
    space = make_space(
        place(fates, old), fates, False, Language(tick_limit=50), interface=RLInterface(macros=())
    )
    assert [space.names[slot - 1] for slot in space.lead] == ["a", "b"]
    assert [space.names[i] for i, offered in enumerate(space.offered) if offered] == ["b", "a"]
    alone = make_space(place(fates, old), fates, True, Language(tick_limit=50))
    assert [alone.names[slot - 1] for slot in alone.script] == ["a", "m", "b", "c"]
    assert not alone.lead and not any(alone.offered)


def test_without_code_there_are_primitives_alone():
    space = make_space((), [Fate("a", "macro")], False, Language(tick_limit=50))
    assert not space.uses_macros


def test_an_interface_says_how_far_primitives_turn():
    fates = [fate("m")]
    for wanted, degrees in ((None, 30), (15, 15)):
        interface = RLInterface(turn=wanted)
        for slots in ((), place(fates, ())):
            space = make_space(slots, fates, False, Language(tick_limit=50), interface=interface)
            assert space.turn == degrees
