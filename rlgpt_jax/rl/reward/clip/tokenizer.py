"""CLIP's tokens: byte pairs, merged in the order of a list that its authors published.

The list is not part of this repository. Two forms of it are read: `merges.txt` of
openai/clip-vit-base-patch16 and `bpe_simple_vocab_16e6.txt[.gz]` of the CLIP repository. The
vocabulary follows from it: 256 bytes, the same at the end of a word, one token per merge, start
and end.
"""

import functools
import gzip
import itertools
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from rlgpt_jax.rl.reward.clip.faults import MineClipError

NUM_MERGES = 48894  # longer lists are read up to here, as CLIP did
END_OF_WORD = "</w>"
_FIRST = (("i", "n"), ("t", "h"))  # of the published list, to know it by
_CONTRACTIONS = ("'re", "'ve", "'ll", "'s", "'t", "'m", "'d")


class MergesError(MineClipError):
    """A file that is no list of merges: what it is and what is needed."""


def _byte_letters() -> dict[int, str]:
    """A visible letter for every byte: itself, or one from 256 on where it is not visible."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in visible]
    letters = {byte: chr(byte) for byte in visible}
    return letters | {byte: chr(256 + i) for i, byte in enumerate(others)}


BYTE_LETTERS = _byte_letters()  # in the order of the vocabulary


class Tokenizer:
    """Turns text into the tokens of the text tower."""

    def __init__(self, merges: Sequence[tuple[str, str]]):
        """`merges` are pairs of tokens, the earlier the sooner they are joined."""
        letters = list(BYTE_LETTERS.values())
        words = [*letters, *(x + END_OF_WORD for x in letters), *(a + b for a, b in merges)]
        self._ids = {word: i for i, word in enumerate(words)}
        self._ranks = {pair: i for i, pair in enumerate(merges)}
        self.start = len(words)
        self.end = len(words) + 1  # the highest, by which the text tower finds it
        self.vocabulary = len(words) + 2  # number of tokens
        self._word = functools.cache(self._merged)

    def encode(self, texts: Sequence[str], length: int) -> np.ndarray:
        """int32[D, length]: start, the text's tokens, end, then zeros; longer texts are cut."""
        tokens = np.zeros((len(texts), length), np.int32)
        for row, text in zip(tokens, texts, strict=True):
            found = [self.start, *self.tokens(text)[: length - 2], self.end]
            row[: len(found)] = found
        return tokens

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text without start and end."""
        found: list[int] = []
        for word in words_of(text):
            found += self._word("".join(BYTE_LETTERS[byte] for byte in word.encode()))
        return found

    def _merged(self, word: str) -> list[int]:
        parts = [*word[:-1], word[-1] + END_OF_WORD]
        while len(parts) > 1:
            pairs = list(itertools.pairwise(parts))
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            parts = _joined(parts, best)
        return [self._ids[part] for part in parts]


def _joined(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """Every place where the pair stands, from the left, as one part."""
    out: list[str] = []
    at = 0
    while at < len(parts):
        joins = tuple(parts[at : at + 2]) == pair
        out.append("".join(pair) if joins else parts[at])
        at += 2 if joins else 1
    return out


def words_of(text: str) -> Iterator[str]:
    """Runs of letters, single digits, runs of other marks, English contractions; lower case."""
    text = " ".join(unicodedata.normalize("NFC", text).lower().split())
    at = 0
    while at < len(text):
        contraction = next((c for c in _CONTRACTIONS if text.startswith(c, at)), None)
        kind = _kind(text[at])
        end = at + 1
        if contraction:
            end = at + len(contraction)
        elif kind in ("letter", "mark"):
            while end < len(text) and _kind(text[end]) == kind:
                end += 1
        if kind != "space":
            yield text[at:end]
        at = end


def _kind(letter: str) -> str:
    if letter.isspace():
        return "space"
    return {"L": "letter", "N": "digit"}.get(unicodedata.category(letter)[0], "mark")


def load(path: Path) -> Tokenizer:
    """Reads a list of merges.

    Raises:
      MergesError: there is no such file, or it is not CLIP's list.
    """
    if not path.is_file():
        raise MergesError(
            f"there is no file {path}. Give the path of CLIP's merges: merges.txt of "
            "openai/clip-vit-base-patch16, or bpe_simple_vocab_16e6.txt.gz of the CLIP repository."
        )
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        lines = data.decode().splitlines()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise MergesError(f"{path} is not a text of merges ({error}).") from error
    pairs = [tuple(line.split()) for line in lines[1 : NUM_MERGES + 1]]
    merges = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    if len(merges) < NUM_MERGES or tuple(merges[:2]) != _FIRST:
        raise MergesError(
            f"{path} has {len(merges)} pairs of tokens, beginning with "
            f"{' and '.join(map(' '.join, merges[:2])) or 'nothing'}; CLIP's list has {NUM_MERGES} "
            "and begins with 'i n' and 't h' after a line with its version."
        )
    return Tokenizer(merges)
