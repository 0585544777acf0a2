"""A small conversation with a peer, one kind of fault in its middle, and what came of it.

Five questions in three batches through a transcript, as a run asks them. If the fault stops
it, it is started again without the fault; every answer that the peer gave whole must then
be in the transcript, and none may have been given twice.
"""

import dataclasses
from pathlib import Path

from experiments.providers.check import png
from rlgpt_jax.agents.llm import transcript
from rlgpt_jax.agents.llm.base import UNREADABLE, Image, Message, ProviderError, Request
from rlgpt_jax.agents.llm.calls import Limits
from rlgpt_jax.agents.llm.connect import connect
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.transcript import Recorded, Transcript
from tests.doubles.services import WIRES
from tests.doubles.services.faults import Row
from tests.doubles.services.server import Peer, Seen
from tests.doubles.services.wire import Answer

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["ok", "revise"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
BATCHES = (("iter0/slow",), ("iter0/fast/a", "iter0/fast/b", "iter0/fast/c"), ("iter0/critic",))
TIMEOUT_SECONDS = 0.8  # where a row waits for it; else nothing is that slow
MAX_RETRIES = 5


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of one row with one provider."""

    survived: bool  # without being started again
    words: str  # of the error that stopped it; "" if none did
    finished: bool  # all five questions have an answer in a transcript that is whole
    as_sent: bool  # each answer is the peer's, with its reason to stop
    requests: int  # that reached the peer
    lost: int  # answers that the peer gave whole and that are not in the transcript
    twice: int  # answers that the peer gave although it had given one before

    @property
    def stopped_well(self) -> bool:
        return not self.survived and bool(self.words) and "\n" not in self.words


def run(provider: str, stream: bool, row: Row, folder: Path) -> Outcome:
    """One row; `folder` takes the transcript."""
    path = folder / "transcript.jsonl"
    with Peer(WIRES[provider], _answer) as peer:
        endpoint = Endpoint(
            provider, "model-a", peer.key, "PEER_KEY", peer.url, stream=stream, json_schema=True
        )
        limits = Limits(
            timeout_seconds=TIMEOUT_SECONDS if row.waits_for_timeout else 20.0,
            deadline_seconds=30.0, max_retries=MAX_RETRIES, first_wait=0.005, longest_wait=0.02,
        )  # fmt: skip
        words, lost = "", 0
        try:
            _talk(endpoint, limits, path, peer, row)
        except ProviderError as error:
            words = str(error)
            lost = _lost(peer, path)
            peer.faults.clear()
            if row.refuses:
                peer.open()
            _talk(endpoint, limits, path, peer)
        lost += _lost(peer, path)
        exchanges = transcript.read(path)
        keys = [exchange.request.key for exchange in exchanges]
        strange = [e for e in exchanges if row.answer and e.answer.text == row.answer.text]
        plain = [e for e in exchanges if e.answer.text == '{"verdict": "ok"}']
        if row.unreadable:
            strange = [e for e in exchanges if e.answer.stop == UNREADABLE and e.answer.text][:1]
        as_sent = len(plain) + len(strange) == len(exchanges) and (
            row.answer is None or [e.answer.stop for e in strange] == [row.answer.stop]
        )
        return Outcome(
            survived=not words, words=words,
            finished=sorted(keys) == sorted(key for batch in BATCHES for key in batch),
            as_sent=as_sent, requests=len(peer.seen), lost=lost, twice=peer.answered_twice,
        )  # fmt: skip


def _talk(
    endpoint: Endpoint, limits: Limits, path: Path, peer: Peer, row: Row | None = None
) -> None:
    asker = Recorded(connect(endpoint, limits), Transcript(path))
    for number, batch in enumerate(BATCHES):
        if row is not None and number == 1:
            peer.faults.extend(row.faults)
            if row.refuses:
                peer.close()
        asker.complete([_request(key) for key in batch])


def _request(key: str) -> Request:
    pictures = (Image("frame", png((9, 9, 9))),) if key == "iter0/critic" else ()
    text = f"What of {key}? Größe \u2028 ok"
    return Request(key, "critic", (Message("user", text, pictures),), SCHEMA)


def _answer(seen: Seen) -> Answer:
    return Answer('{"verdict": "ok"}')


def _lost(peer: Peer, path: Path) -> int:
    """A prompt may be that of several keys; here it is not."""
    exchanges = transcript.read(path) if path.exists() else []
    kept = {exchange.request.messages[0].text for exchange in exchanges}
    return len({seen.prompt for seen in peer.seen if seen.answered} - kept)
