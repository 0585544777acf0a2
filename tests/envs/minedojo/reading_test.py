"""Answers that no worker gives are refused in one way, and our own mistakes are not hidden."""

import numpy as np
import pytest

from rlgpt_jax.envs.minedojo.convert import observation, read
from rlgpt_jax.envs.minedojo.link import LinkClosed
from tests.envs.contract_worlds import embedded
from tests.envs.minedojo.convert_test import seen_by_the_client
from tests.envs.minedojo.doubles import LOG

FACTS = {"inventory": [["log", 2]], "deaths": 1, "is_dead": False}


@pytest.fixture(scope="module")
def arrays() -> dict[str, np.ndarray]:
    embedded().arrange()
    return seen_by_the_client()[0]


def test_an_answer_is_read(arrays):
    seen = read({"facts": FACTS, "success": True}, arrays, LOG, None, None)
    assert seen.success and seen.facts["inventory"] == [("log", 2)] and seen.facts["deaths"] == 1
    np.testing.assert_array_equal(seen.obs.position, observation(arrays, FACTS, 0, None).position)
    assert not read({"facts": FACTS}, arrays, LOG, None, None).success


@pytest.mark.parametrize(
    "header",
    [{}, {"facts": 3}, {"facts": {}}, {"facts": FACTS | {"inventory": [["log"]]}},
     {"facts": FACTS | {"inventory": [["log", "many"]]}}, {"facts": FACTS | {"deaths": "some"}},
     {"facts": FACTS | {"world_time": "noon"}}],
)  # fmt: skip
def test_facts_that_make_no_sense_are_the_worker_s_fault(arrays, header):
    with pytest.raises(LinkClosed, match="makes no sense"):
        read(header, arrays, LOG, None, None)


def test_an_observation_that_makes_no_sense_is_the_worker_s_fault(arrays):
    for bad in ({}, arrays | {"life_stats/life": np.zeros(2)}):
        with pytest.raises(LinkClosed, match="makes no sense"):
            read({"facts": FACTS}, bad, LOG, None, None)
