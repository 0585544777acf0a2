"""The CLIP reward: its formula, its window, and that each frame is encoded once."""

import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip import reward as reward_module
from rlgpt_jax.rl.reward.clip.model import apply
from rlgpt_jax.rl.reward.clip.reward import ClipReward, Scorer
from tests.rl.reward.clip import small

WINDOW = 4
TEXTS = np.random.default_rng(1).normal(size=(5, 16)).astype(np.float32)
NOBODY = np.zeros(2, bool)
BOTH = np.arange(2)


def pictures(count: int, seed: int = 0) -> np.ndarray:
    """uint8[count, 16, 24, 3], each of another colour, so that they differ much."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 60, (count, 16, 24, 3)) + rng.integers(0, 196, (count, 1, 1, 3))
    return noise.astype(np.uint8)


def by_formula(video: np.ndarray) -> float:
    """max(P(prompt) - 1 / D, 0) of a video uint8[WINDOW, ...] in one pass."""
    weights = small.weights()
    call = lambda *x: np.asarray(apply(weights.sizes, weights.params, *x))  # noqa: E731
    logits = call("logits", call("temporal", call("image", video)[None]), TEXTS)[0].astype(float)
    odds = np.exp(logits - logits.max())
    return max(odds[0] / odds.sum() - 1 / len(TEXTS), 0.0)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer(small.weights(), TEXTS, block=4)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Frames of each call of the image encoder, those that fill a block included."""
    return small.count_frames(monkeypatch, reward_module)


def test_the_reward_is_that_of_the_last_frames_after_black_ones(
    scorer: Scorer, encoded: list[int]
) -> None:
    film = pictures(6)
    black = np.zeros((WINDOW - 1, 16, 24, 3), np.uint8)
    whole = np.concatenate([black, film])
    clip = ClipReward(scorer, 1, WINDOW)
    clip.begin(np.array([0]), film[:1])
    found = [
        clip.step(np.array([0]), frame[None], np.array([False]), frame[None])[0]
        for frame in film[1:]
    ]
    expected = [by_formula(whole[i + 1 : i + 1 + WINDOW]) for i in range(5)]
    assert len(set(expected)) > 2
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert encoded == [1] * 6


def test_probabilities_sum_to_one_and_a_prompt_less_likely_than_chance_earns_nothing(
    scorer: Scorer,
) -> None:
    windows = np.random.default_rng(2).normal(size=(9, WINDOW, 16)).astype(np.float32)
    probabilities = scorer.probabilities(windows)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-5)
    reward = scorer.reward(windows)
    low = probabilities[:, 0] < 1 / 5
    assert low.any() and not low.all()
    assert (reward[low] == 0).all() and (reward[~low] > 0).all()


def test_blocks_and_their_filling_change_nothing(scorer: Scorer) -> None:
    film = pictures(7)
    one_by_one = np.concatenate([scorer.frames(frame[None]) for frame in film])
    np.testing.assert_allclose(scorer.frames(film), one_by_one, atol=1e-5)


def test_where_an_episode_ended_the_ring_begins_anew_and_elsewhere_it_goes_on(
    scorer: Scorer, encoded: list[int]
) -> None:
    film = pictures(12).reshape(6, 2, 16, 24, 3)
    clip, other = (ClipReward(scorer, 2, WINDOW) for _ in range(2))
    clip.begin(BOTH, film[0])
    for frame in film[1:3]:
        clip.step(BOTH, frame, NOBODY, frame)
    # Lane 0 ends: its last frame is scored in the old episode, film[5] opens the new one.
    last = clip.step(BOTH, film[3], np.array([True, False]), film[5])
    np.testing.assert_allclose(last, [by_formula(film[:4, n]) for n in BOTH], atol=1e-5)
    begun = [*encoded]
    other.begin(np.array([0]), film[5, :1])
    np.testing.assert_array_equal(clip.save()["ring"][0], other.save()["ring"][0])
    after = clip.step(BOTH, film[4], NOBODY, film[4])
    black = np.zeros((2, 16, 24, 3), np.uint8)
    fresh = np.stack([*black, film[5, 0], film[4, 0]])
    np.testing.assert_allclose(after, [by_formula(fresh), by_formula(film[1:5, 1])], atol=1e-5)
    assert begun == [4, 4, 4, 4, 1]  # blocks of both lanes, and the first frame after the end


def test_a_part_of_the_lanes_may_step_alone(scorer: Scorer) -> None:
    film = pictures(8).reshape(4, 2, 16, 24, 3)
    together, apart = (ClipReward(scorer, 2, WINDOW) for _ in range(2))
    together.begin(BOTH, film[0])
    for lane in (1, 0):
        apart.begin(np.array([lane]), film[0, lane : lane + 1])
    for frame in film[1:]:
        expected = together.step(BOTH, frame, NOBODY, frame)
        found = [
            apart.step(np.array([n]), frame[n : n + 1], NOBODY[:1], frame[n : n + 1])[0]
            for n in (0, 1)
        ]
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_between_the_frames_that_are_looked_at_the_reward_stays(
    scorer: Scorer, encoded: list[int]
) -> None:
    film = pictures(7, seed=3)
    clip = ClipReward(scorer, 1, WINDOW, every=3)
    lane, going = np.array([0]), np.array([False])
    clip.begin(lane, film[:1])
    found = [clip.step(lane, frame[None], going, frame[None])[0] for frame in film[1:]]
    black = np.zeros((2, 16, 24, 3), np.uint8)
    third = by_formula(np.stack([*black, film[0], film[3]]))
    sixth = by_formula(np.stack([black[0], film[0], film[3], film[6]]))
    np.testing.assert_allclose(found, [0, 0, third, third, third, sixth], atol=1e-5)
    assert encoded == [1] * 3


def test_a_saved_ring_goes_on_with_the_same_bits(scorer: Scorer) -> None:
    film = pictures(8).reshape(4, 2, 16, 24, 3)
    clip = ClipReward(scorer, 2, WINDOW, every=2)
    clip.begin(BOTH, film[0])
    clip.step(BOTH, film[1], NOBODY, film[1])
    saved = clip.save()
    expected = [clip.step(BOTH, frame, NOBODY, frame) for frame in film[2:]]
    other = ClipReward(scorer, 2, WINDOW, every=2)
    other.load(saved)
    found = [other.step(BOTH, frame, NOBODY, frame) for frame in film[2:]]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"rings of \(2, 4, 16\), this run has \(3, 4, 16\)"):
        ClipReward(scorer, 3, WINDOW).load(saved)
