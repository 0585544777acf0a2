"""The sentences of the CLIP reward, the shipped ones and a user's, and their features on disk."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.envs.tasks.tasks import TASKS
from rlgpt_jax.rl.reward.clip import prompts, texts
from rlgpt_jax.rl.reward.clip.config import MineClipConfig
from rlgpt_jax.rl.reward.clip.tokenizer import Tokenizer
from tests.rl.reward.clip import small


def test_the_shipped_sentences_are_of_tasks_that_exist_and_31_negatives() -> None:
    shipped = prompts.load()
    assert len(shipped.negatives) == 31  # 32 texts with the prompt, as in the released code
    assert set(shipped.tasks) <= set(TASKS)
    for sentence in (*shipped.tasks.values(), *shipped.negatives):
        assert re.fullmatch(r"[a-z ]{10,80}", sentence)  # far from the 77 tokens there are
    assert not set(shipped.tasks.values()) & set(shipped.negatives)


def test_the_prompt_is_the_users_else_the_tasks_else_its_words(tmp_path: Path) -> None:
    milk = prompts.load().tasks["harvest_milk"]
    sentences = prompts.sentences(MineClipConfig(), "harvest_milk", "words of the task")
    assert sentences == (milk, *prompts.load().negatives)
    assert prompts.sentences(MineClipConfig(), "no_such_task", "words")[0] == "words"
    mine = MineClipConfig(prompt="swim across the ocean")
    first, *others = prompts.sentences(mine, "harvest_milk", "")
    assert first == "swim across the ocean" and first not in others and len(others) == 30
    lines = tmp_path / "negatives.txt"
    lines.write_text("fight a zombie\n\nfind, and keep, a bone \n")
    own = MineClipConfig(negatives=str(lines))
    assert prompts.sentences(own, "harvest_milk", "") == (
        milk, "fight a zombie", "find, and keep, a bone"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ({"tasks": {}}, '"tasks" and "negatives" alone'),
        ({"tasks": [], "negatives": ["a"]}, '"tasks" must be an object'),
        ({"tasks": {"a": " b"}, "negatives": ["c"]}, "' b' is not a sentence"),
        ({"tasks": {}, "negatives": [3]}, "3 is not a sentence"),
        ({"tasks": {}, "negatives": []}, "at least one negative"),
        ({"tasks": {}, "negatives": ["a", "a"]}, "each of them once"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, data: object, words: str) -> None:
    path = tmp_path / "prompts.json"
    if data is not None:
        path.write_text(data if isinstance(data, str) else json.dumps(data))
    with pytest.raises(prompts.PromptsError, match=words):
        prompts.sentences(MineClipConfig(prompts=str(path)), "harvest_milk", "")


def test_the_prompt_as_the_only_negative_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "negatives.txt"
    path.write_text("milk\n")
    with pytest.raises(prompts.PromptsError, match="the only negative is the rewarded sentence"):
        prompts.sentences(MineClipConfig(negatives=str(path), prompt="milk"), "", "")
    path.write_text("\n")
    with pytest.raises(prompts.PromptsError, match="at least one negative"):
        prompts.read_negatives(path)


@pytest.mark.slow
def test_features_of_texts_come_back_from_their_file_in_any_order(tmp_path: Path) -> None:
    weights = small.weights(small.sizes(vocabulary=515))
    tokens = Tokenizer([("m", "i")])
    features = texts.encode(weights, tokens, ["milk a cow", "swim", "dig"])
    assert np.abs(features[0] - features[1]).max() > 1e-2
    path = tmp_path / "texts.npz"
    texts.save(path, ["milk a cow", "swim", "dig"], features, weights.digest)
    config = MineClipConfig(texts=str(path))
    found = texts.features_of(config, weights, ["dig", "milk a cow"])
    np.testing.assert_array_equal(found, features[[2, 0]])
    with pytest.raises(texts.TextsError, match='no features of "fly" and 1 more sentences'):
        texts.load(path, weights, ["fly", "dig", "run"])
    with pytest.raises(texts.TextsError, match="made with other weights"):
        texts.load(path, weights._replace(digest="1" * 64), ["dig"])
    with pytest.raises(texts.TextsError, match="holds no features of texts"):
        texts.load(tmp_path / "none.npz", weights, ["dig"])


def test_another_vocabulary_than_that_of_the_weights_is_refused() -> None:
    with pytest.raises(texts.TextsError, match="gives 515 tokens, the weights have 50"):
        texts.encode(small.weights(), Tokenizer([("m", "i")]), ["milk"])
