"""What becomes of a part of the plan after its versions."""

from rlgpt_jax.agents.prompt_state import Attempt, SubAction
from rlgpt_jax.loop.attempts import fate
from tests.agents.states import FATES, LATER, STATE

REFUSED = Attempt("def f(:", refusal="line 1: no Python")


def part(name: str) -> SubAction:
    return SubAction(name, "macro", "Do it.")


def test_earlier_code_stays_in_use_where_no_new_version_is_accepted():
    (before,) = [f for f in FATES if f.source][:1]
    after = fate(part(before.name), (REFUSED, REFUSED), LATER)
    assert after.source == before.source and after.kept and not after.facts
    assert after.describe().endswith("so the earlier code stays in use. Last: line 1: no Python")


def test_without_earlier_code_the_part_is_learnt():
    after = fate(part("new"), (REFUSED,), LATER)
    assert not after.source and not after.kept and "left to PPO" in after.describe()
    assert fate(part(FATES[0].name), (REFUSED,), STATE).source == ""


def test_an_accepted_version_takes_the_place_of_earlier_code():
    accepted = Attempt("def f(obs): yield forward()", number=1)
    after = fate(part(FATES[0].name), (REFUSED, accepted), LATER)
    assert (after.source, after.used) == (accepted.source, "try1")
