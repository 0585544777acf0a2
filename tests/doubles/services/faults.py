"""What can go wrong between a run and a model, and how it must end."""

import dataclasses
from typing import Any, Literal

from tests.doubles.services.server import Fault
from tests.doubles.services.wire import Answer

CUT_SHORT = '{"sub_actions": [{"name": "fi'
WRONG_SCHEMA = '{"verdict": ["neither", "a text"], "more": 1}'
UNICODE = "Größe \u2028 \u0000 日本語 \U0001f42e e\u0301 \ufeff end"
LONG = "milk the cow \u00e9\n" * 14_000  # about 200 KB


@dataclasses.dataclass(frozen=True)
class Row:
    """Faults of one batch of three requests, in the order in which these arrive."""

    name: str
    faults: tuple[Fault, ...]
    # survived: the run goes on by itself; stopped: one line, and it goes on when resumed.
    ends: Literal["survived", "stopped"] = "survived"
    says: str = ""  # what the one line must hold
    waits_for_timeout: bool = False
    refuses: bool = False  # nobody listens
    unreadable: bool = False  # one answer may be kept as it came

    @property
    def answer(self) -> Answer | None:
        """The strange answer that must be recorded as it is."""
        return self.faults[0].answer if self.faults else None


def _status(status: int, *headers: tuple[str, str]) -> Fault:
    return Fault(str(status), status=status, headers=headers)


def _answer(text: str, stop: str = "end") -> tuple[Fault, ...]:
    return (Fault("answer", answer=Answer(text, stop)),)


def _changed(**values: Any) -> tuple[Fault, ...]:
    return (Fault("changed", changed=tuple(values.items())),)


def _parts(old: Any) -> Any:
    return [{"type": "text", "text": old}] if isinstance(old, str) else old


FAULTS = (
    Row("429 with retry-after-ms", (_status(429, ("retry-after-ms", "40")),)),
    Row("429 with retry-after", (_status(429, ("retry-after", "0.04")),)),
    Row("429 without retry-after", (_status(429),)),
    Row("408", (_status(408),)),
    Row("409", (_status(409),)),
    Row("500", (_status(500),)),
    Row("503", (_status(503),)),
    Row("529", (_status(529),)),
    Row("error inside of the stream", (Fault("event", event_status=529),)),
    Row("time-out, silence", (Fault("silent", drop="silent"),), waits_for_timeout=True),
    Row("time-out, a byte now and then", (Fault("trickle", drop="trickle"),),
        waits_for_timeout=True),
    Row("connection dropped before headers", (Fault("before", drop="before"),)),
    Row("connection dropped in the body", (Fault("body", drop="body"),)),
    Row("answer that ends early without a word", (Fault("quiet", drop="quiet"),)),
    Row("page of a proxy with status 200", (Fault("page", page="<html>Sign in</html>"),)),
    Row("three faults at once", (_status(500), Fault("body", drop="body"), _status(429))),
    Row("four faults, one after the other",
        (_status(503), _status(529), _status(500), _status(429))),
    Row("truncated output", _answer("def find_cow(obs):\n    for", "max_tokens")),
    Row("refusal", _answer("I cannot help with that.", "refusal")),
    Row("malformed JSON", _answer(CUT_SHORT)),
    Row("empty answer", _answer("")),
    Row("wrong schema", _answer(WRONG_SCHEMA)),
    Row("unicode", _answer(UNICODE)),
    Row("200 KB", _answer(LONG)),
    Row("no usage in usage", _changed(usage={})),
    Row("usage of nulls and texts",
        _changed(input_tokens=None, output_tokens="x", prompt_tokens=[], completion_tokens=-1)),
    Row("no model", _changed(model=None)),
    Row("half a surrogate pair for a model", _changed(model="m\ud800")),
    Row("a list for a reason to stop", _changed(finish_reason=["stop"], stop_reason=["end"])),
    Row("content as a list of parts", _changed(content=_parts)),
    Row("choices as an object", _changed(choices={"0": 1}, content={"0": 1}, output={"0": 1}),
        unreadable=True),
    Row("200,000 brackets", (Fault("brackets", raw=b"[" * 200_000),), unreadable=True),
    Row("a number", (Fault("number", raw=b"42"),), unreadable=True),
    Row("429 with retry-after in the year 99999",
        (_status(429, ("retry-after", "Fri, 31 Dec 99999 23:59:59 GMT")),)),
    Row("429 with retry-after past the deadline", (_status(429, ("retry-after", "3600")),),
        "stopped", "wait 3600 s, which is past llm.deadline_seconds=30"),
    Row("500 until no retry is left", (_status(500),) * 40, "stopped",
        "6 tries (llm.max_retries=5)"),
    Row("400", (_status(400),), "stopped", "Check llm.model"),
    Row("401", (_status(401),), "stopped",
        "Put a valid key into the environment variable PEER_KEY"),
    Row("403", (_status(403),), "stopped", "choose another llm.model"),
    Row("404", (_status(404),), "stopped", "Is llm.model=model-a a name"),
    Row("413", (_status(413),), "stopped", "The prompt is too long"),
    Row("refused connection", (), "stopped", "the server runs at llm.base_url", refuses=True),
)  # fmt: skip
