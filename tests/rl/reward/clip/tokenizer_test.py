"""Texts become CLIP's tokens; the published list of merges is not here, so a small one is."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from rlgpt_jax.rl.reward.clip import tokenizer
from tests.rl.reward.clip import small

MERGES = [("l", "o"), ("lo", "w</w>"), ("e", "r</w>"), ("lo", "w"), ("low", "er</w>"), ("1", "2")]


@pytest.fixture
def tokens() -> tokenizer.Tokenizer:
    return tokenizer.Tokenizer(MERGES)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Milk a COW,  now!", "milk|a|cow|,|now|!"),
        ("it's we'll 'tis", "it|'s|we|'ll|'t|is"),
        ("8 iron_ingots 42nd", "8|iron|_|ingots|4|2|nd"),
        ("\n cafe\u0301 \t½ über", "café|½|über"),
        ("wow!!'s", "wow|!!'|s"),
        ("", ""),
    ],
)
def test_words_are_split_by_what_their_letters_are(text: str, words: str) -> None:
    assert "|".join(tokenizer.words_of(text)) == words


def test_pairs_are_merged_in_the_order_of_the_list(tokens: tokenizer.Tokenizer) -> None:
    ids = {pair: 512 + i for i, pair in enumerate(MERGES)}
    assert tokens.tokens("low") == [ids["lo", "w</w>"]]
    assert tokens.tokens("lower") == [ids["low", "er</w>"]]
    # No pair crosses words, and digits stand alone.
    apart = [token for word in ("lo", "1", "2") for token in tokens.tokens(word)]
    assert tokens.tokens("lo 12") == apart
    assert tokens.tokens("lolo") == [ids["l", "o"], ord("l") - 33, 256 + ord("o") - 33]


def test_the_vocabulary_begins_with_the_bytes(tokens: tokenizer.Tokenizer) -> None:
    assert tokens.tokens("!") == [256] and tokens.tokens("~") == [256 + 93]
    assert len(set(tokenizer.BYTE_LETTERS.values())) == 256
    assert (tokens.start, tokens.end, tokens.vocabulary) == (518, 519, 520)
    assert tokens.tokens("é") == [127, 256 + 102]  # its two bytes in UTF-8, 195 and 169


def test_a_row_is_start_text_end_and_zeros_and_long_texts_are_cut(
    tokens: tokenizer.Tokenizer,
) -> None:
    rows = tokens.encode(["low", "low " * 50, ""], 6)
    assert rows.dtype == np.int32
    assert rows.tolist() == [
        [518, 513, 519, 0, 0, 0], [518, 513, 513, 513, 513, 519], [518, 519, 0, 0, 0, 0],
    ]  # fmt: skip


@pytest.mark.parametrize("zipped", [False, True])
def test_either_published_form_of_the_list_is_read(tmp_path: Path, zipped: bool) -> None:
    path = small.write_merges(tmp_path / "merges.txt")
    if zipped:  # the longer list, as the CLIP repository has it
        data = path.read_bytes() + b"more more\n" * 10
        path = tmp_path / "bpe_simple_vocab_16e6.txt.gz"
        path.write_bytes(gzip.compress(data))
    tokens = tokenizer.load(path)
    assert (tokens.vocabulary, tokens.start, tokens.end) == (49408, 49406, 49407)
    assert tokens.tokens("the") == [512 + 6]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "there is no file"),
        (b"#version: 0.2\ni n\nt h\n", "has 2 pairs"),
        (b"#version\n" + b"a b\n" * 48894, "beginning with a b and a b"),
        (b"\xff\xfe\x00", "is not a text of merges"),
        (b"\x1f\x8bxx", "is not a text of merges"),
        (gzip.compress(b"", mtime=0)[:10] + bytes(20), "is not a text of merges"),  # damaged within
    ],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "merges.txt"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(tokenizer.MergesError, match=words):
        tokenizer.load(path)
