"""Macros that call others: linked texts."""

import pytest

from rlgpt_jax.macros.language import link_macro, parse_macro
from rlgpt_jax.macros.linked import split, without
from rlgpt_jax.macros.refusal import Refusal
from rlgpt_jax.macros.vm.bytecode import Program

GO = "def go(obs):\n    for _ in range(3):\n        obs = yield forward()"
DIG = "def dig(obs):\n    obs = yield from go(obs)\n    obs = yield attack()\n"
FETCH = "def fetch(obs):\n    obs = yield from dig(obs)\n    obs = yield from go(obs)\n"


def linked(source: str, name: str, **others: str) -> str:
    text = link_macro(source, name, others)
    assert isinstance(text, str), text
    return text


def test_a_linked_text_compiles_alone_and_again():
    dig = linked(DIG, "dig", go=GO)
    fetch = linked(FETCH, "fetch", go=GO, dig=dig)
    for text, name in ((dig, "dig"), (fetch, "fetch")):
        program = parse_macro(text, name)
        assert isinstance(program, Program) and program.name == name, program
    assert split(fetch)[0] == FETCH and list(split(fetch)[1]) == ["dig", "go"]
    # Written back by its author as it was shown, it is linked anew.
    assert linked(fetch, "fetch", go=GO, dig=dig) == fetch
    assert isinstance(parse_macro(FETCH, "fetch"), Refusal)


def test_a_macro_that_only_calls_another_is_short_and_is_shown_once():
    text = linked("def alias(obs):\n    yield from go(obs)\n", "alias", go=GO)
    assert text.count("def ") == 2
    assert without(text, {"go": GO}) == "def alias(obs):\n    yield from go(obs)\n"
    assert without(text, {"go": "def go(obs): ..."}) == text


def test_what_calls_nothing_stays_as_it_is():
    own = "def dig(obs):\n    def go(o):\n        return o\n    obs = go(obs)\n    yield attack()"
    assert linked(own, "dig", go=GO) == own, "a name of the author's own"
    assert linked("def dig(obs:", "dig", go=GO) == "def dig(obs:"


@pytest.mark.parametrize(
    ("source", "name", "others", "words"),
    [
        (DIG, "dig", {"go": ""}, "go is a part of the plan without accepted code"),
        (
            "def go(obs):\n    yield from dig(obs)\n", "go",
            {"dig": linked(DIG, "dig", go=GO)}, "dig calls an earlier version of go",
        ),
        (
            FETCH, "fetch", {"go": GO.replace("3", "4"), "dig": linked(DIG, "dig", go=GO)},
            "two versions of go would be called",
        ),
    ],
    ids=["no code", "cycle", "versions"],
)  # fmt: skip
def test_what_cannot_be_linked_is_refused_with_its_line(source, name, others, words):
    refusal = link_macro(source, name, others)
    assert isinstance(refusal, Refusal) and words in refusal.reason
    assert refusal.line in (2, 3) and refusal.instead


def test_a_refusal_of_two_versions_names_the_two_that_call_them():
    dig, mine = linked(DIG, "dig", go=GO), linked(MINE, "mine", go=OTHER_GO)
    refusal = link_macro(BOTH, "both", {"dig": dig, "mine": mine})
    assert isinstance(refusal, Refusal) and "what mine calls is older" in refusal.reason
    assert refusal.instead == "call dig or mine, not both"
    refusal = link_macro(BOTH.replace("mine", "go"), "both", {"dig": dig, "go": OTHER_GO})
    assert isinstance(refusal, Refusal) and "what dig calls is older" in refusal.reason
    assert refusal.instead == "call dig or go, not both"


def test_a_library_may_hold_linked_texts():
    dig = linked(DIG, "dig", go=GO)
    program = parse_macro(
        "def twice(obs):\n    obs = yield from dig(obs)\n    obs = yield from dig(obs)\n",
        "twice",
        library={"dig": dig},
    )
    assert isinstance(program, Program), program


BOTH = "def both(obs):\n    obs = yield from dig(obs)\n    obs = yield from mine(obs)\n"
MINE = DIG.replace("dig", "mine")
OTHER_GO = GO.replace("forward", "back")


def code_of(source: str, name: str, **library: str) -> bytes:
    program = parse_macro(source, name, library=library)
    assert isinstance(program, Program), program
    return program.code.tobytes() + program.constants.tobytes()


def test_two_macros_of_a_library_may_share_a_part_and_not_its_name_alone():
    dig, mine = linked(DIG, "dig", go=GO), linked(MINE, "mine", go=GO)
    other = linked(MINE, "mine", go=OTHER_GO)
    assert code_of(BOTH, "both", dig=dig, mine=mine)
    for library, owners in (
        ({"dig": dig, "mine": other}, {"dig", "mine"}),
        ({"dig": dig, "mine": MINE, "go": OTHER_GO}, {"dig", "go"}),
    ):
        refusal = parse_macro(BOTH, "both", library=library)
        assert isinstance(refusal, Refusal) and refusal.line == 0, library
        told, _, named = refusal.reason.partition(" would be called, that of ")
        assert told == "two different functions go" and set(named.split(" and that of ")) == owners


def test_what_a_macro_was_linked_with_is_its_own_beside_any_library():
    dig, other = linked(DIG, "dig", go=GO), linked(MINE, "mine", go=OTHER_GO)
    alone = code_of(dig, "dig")
    assert code_of(dig, "dig", mine=other, go=OTHER_GO) == alone
    assert code_of(linked(DIG, "dig", go=OTHER_GO), "dig") != alone
    call = "def x(obs):\n    obs = yield from dig(obs)\n"
    assert code_of(call, "x", dig=dig, mine=other, go=OTHER_GO) == code_of(call, "x", dig=dig)
    # A function of the library without sections calls the library's, whoever calls it.
    own = linked("def x(obs):\n    obs = yield from go(obs)\n    obs = yield from mine(obs)\n",
                 "x", go=GO)  # fmt: skip
    refusal = parse_macro(own, "x", library={"mine": MINE, "go": OTHER_GO})
    assert isinstance(refusal, Refusal) and "that of this code and that of go" in refusal.reason
    helper = "def go(o):\n    return o\n" + call
    assert code_of(helper, "x", dig=dig, go=OTHER_GO), "a helper of the author's own"
