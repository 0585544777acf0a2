"""What the two official SDKs share: a limit on a call's time, and errors in words.

Both are generated from one template, so their exceptions have the same names and fields.
Neither is imported here: that takes a second, and only the chosen one is needed.
"""

import abc
import base64
import contextlib
import email.utils
import json
import time
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, ClassVar

from rlgpt_jax.agents.llm import bodies
from rlgpt_jax.agents.llm.base import UNREADABLE, Completion, Image, Message, Request
from rlgpt_jax.agents.llm.bodies import Found, NotAnAnswer
from rlgpt_jax.agents.llm.calls import CallFailed
from rlgpt_jax.agents.llm.endpoint import Endpoint
from rlgpt_jax.agents.llm.prices import priced

CONNECT_SECONDS = 10.0
# Errors that arrive inside of a stream or an answer have a type and no status of their own.
STATUS_OF = {
    "invalid_request_error": 400, "invalid_prompt": 400, "authentication_error": 401,
    "permission_error": 403, "not_found_error": 404, "request_too_large": 413,
    "rate_limit_error": 429, "rate_limit_exceeded": 429, "api_error": 500, "server_error": 500,
    "timeout_error": 504, "overloaded_error": 529,
}  # fmt: skip
SPENT = ("insufficient_quota", "billing_error")  # no wait helps


class SdkCall(abc.ABC):
    """Asks one request, once. A format says what is asked for, and reads what comes."""

    END: ClassVar[bytes]  # that only a whole stream holds
    STREAM: ClassVar[dict[str, Any]] = {"stream": True}

    def __init__(self, sdk: ModuleType, endpoint: Endpoint, create: Callable[..., Any]):
        """`create` is of the SDK's `with_raw_response`."""
        self._sdk, self._endpoint, self._create = sdk, endpoint, create

    def __call__(self, request: Request, seconds: float) -> Completion:
        arguments = self._arguments(request)
        limit = self._sdk.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        model = arguments["model"]
        if self._endpoint.stream:
            arguments |= self.STREAM
        with failures_in_words(self._sdk, self._endpoint, model, seconds):
            answer = self._completion(self._create(**arguments, timeout=limit), model)
        return priced(answer)

    def _completion(self, raw: Any, model: str) -> Completion:
        """Reads a response, of the SDK's `with_raw_response`, to its end and judges it."""
        with contextlib.closing(raw.http_response) as response:
            body = response.read()
        streamed = "event-stream" in response.headers.get("content-type", "")
        ended = not streamed or self.END in body
        words = body.decode("utf-8-sig", "replace")
        try:
            found = (
                self._read_stream(list(bodies.events(words)), ended)
                if streamed
                else self._read(json.loads(words))
            )
        except json.JSONDecodeError as error:
            raise NotAnAnswer(f"it is no JSON: {error}") from error
        except (bodies.Unreadable, RecursionError, ValueError) as error:  # 5000 digits, say
            if not ended:
                raise NotAnAnswer("the stream ended before the answer did") from error
            found = Found(words, UNREADABLE)
        names = (response.headers.get(n) for n in ("request-id", "x-request-id"))
        endpoint, name = self._endpoint, bodies.name
        return Completion(
            bodies.hidden(found.text, endpoint), name(bodies.hidden(found.model, endpoint), model),
            endpoint.provider, 0.0, found.usage, stop=found.stop,
            request_id=name(next(filter(None, names), ""), ""),
        )  # fmt: skip

    @abc.abstractmethod
    def _arguments(self, request: Request) -> dict[str, Any]: ...

    @abc.abstractmethod
    def _read(self, data: Any) -> Found:
        """What is in the value of a body. Raises NotAnAnswer, Unreadable or CallFailed."""

    @abc.abstractmethod
    def _read_stream(self, events: list[Any], ended: bool) -> Found:
        """The same of the events of a stream, and whether its end came."""

    def _check(self, data: Any) -> None:
        """Raises the failure that a body, or an event of a stream, tells of, if it does."""
        if error := bodies.at(data, "error"):
            raise self._failure(error, str(error))

    def _failure(self, error: Any, words: str) -> CallFailed:
        """The failure that an error object inside of a stream or an answer tells of."""
        kind, words = _told(error, words)
        status = int(kind) if kind.isdigit() else STATUS_OF.get(kind, 500)
        return failure(status, words, kind, self._endpoint, self._endpoint.model)


def http_client(sdk: ModuleType) -> Any:
    """The SDK's own HTTP client, with a limit on a call as a whole.

    The timeout of an HTTP client is one of silence: a server that sends a byte now and
    then could hold a call for ever.
    """
    import httpx2

    class Limited(httpx2.SyncByteStream):
        def __init__(self, stream: httpx2.SyncByteStream, until: float):
            self._stream = stream
            self._until = until

        def __iter__(self) -> Iterator[bytes]:
            for part in self._stream:
                yield part
                if time.monotonic() > self._until:
                    raise httpx2.ReadTimeout("the answer did not end in time")

        def close(self) -> None:
            self._stream.close()

    def begin(request: httpx2.Request) -> None:
        request.extensions["began"] = time.monotonic()

    def limit(response: httpx2.Response) -> None:
        extensions = response.request.extensions
        stream = response.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        response.stream = Limited(stream, extensions["began"] + extensions["timeout"]["read"])

    return sdk.DefaultHttpxClient(event_hooks={"request": [begin], "response": [limit]})


def base64_of(image: Image) -> str:
    return base64.b64encode(image.data).decode("ascii")


def url_of(image: Image) -> str:
    return f"data:{image.media_type};base64,{base64_of(image)}"


def turn(
    message: Message, picture: Callable[[Image], dict[str, Any]], kind: str = "text"
) -> dict[str, Any]:
    """A turn of a conversation: a text, or pictures in a form of their own and then a text."""
    if not message.images:
        return {"role": message.role, "content": message.text}
    text = {"type": kind, "text": message.text}
    return {"role": message.role, "content": [*map(picture, message.images), text]}


@contextlib.contextmanager
def failures_in_words(
    sdk: ModuleType, endpoint: Endpoint, model: str, seconds: float
) -> Iterator[None]:
    """Turns whatever goes wrong in one call into `CallFailed`, one line without the key."""
    import httpx2

    where = endpoint.base_url or f"the {endpoint.provider} service"
    try:
        yield
    except CallFailed:
        raise
    except sdk.APIStatusError as error:
        raise _of_status(error, endpoint, model) from error
    except (sdk.APITimeoutError, httpx2.TimeoutException) as error:
        raise CallFailed(
            f"{where} did not answer within {seconds:.3g} s (llm.timeout_seconds).", again=True
        ) from error
    except (sdk.APIConnectionError, httpx2.TransportError) as error:
        cause = _one_line(str(error.__cause__ or error)) or type(error).__name__
        raise CallFailed(
            f"no connection to {where}, or it broke ({cause}). Check the network"
            f"{', and that the server runs at llm.base_url' if endpoint.base_url else ''}.",
            again=True,
        ) from error
    except (NotAnAnswer, sdk.APIError, ValueError) as error:
        raise CallFailed(
            f"{where} sent what is not a whole answer ({_one_line(str(error))}).", again=True
        ) from error


def _told(body: Any, words: Any) -> tuple[str, str]:
    """The kind of an error and its words, or others where it has none."""
    found = body if isinstance(body, Mapping) else {}
    kind = str(found.get("code") or found.get("type") or "")
    return kind, str(found.get("message") or words)


def _of_status(error: Any, endpoint: Endpoint, model: str) -> CallFailed:
    inner = bodies.at(error.body, "error")
    body = inner if isinstance(inner, Mapping) else error.body
    kind, words = _told(body, body or error.message)
    headers = error.response.headers
    return failure(
        error.status_code, words, kind, endpoint, model, retry_after(headers),
        headers.get("x-should-retry"),
    )  # fmt: skip


def failure(
    status: int, words: str, kind: str, endpoint: Endpoint, model: str,
    after: float | None = None, should_retry: str | None = None,
) -> CallFailed:  # fmt: skip
    """The failure of a call with an HTTP status, and what to try."""
    again = status in (408, 409, 429) or status >= 500
    again = {"true": True, "false": False}.get(should_retry or "", again) and kind not in SPENT
    if endpoint.key:
        words = words.replace(endpoint.key, "[key]")
    told = f"{status} {_one_line(words)}"
    if again:
        return CallFailed(told.rstrip(".") + ".", again=True, after=after)
    key = endpoint.key_variable
    cure = {
        401: f"Put a valid key into the environment variable {key}."
        if key
        else "This server needs a key: name its environment variable in llm.api_key_env.",
        402: "The account needs credit.",
        403: f"The key may not use {model}: choose another llm.model, or another key.",
        404: f"Is llm.model={model} a name that {endpoint.base_url or endpoint.provider} knows? "
        + ("llm.base_url often ends with /v1." if endpoint.base_url else ""),
        413: "The prompt is too long for this service.",
        429: "The quota of this key is spent.",
    }.get(status, "Check llm.model, llm.max_output_tokens and llm.json_schema.")
    for_all = status in (401, 402, 403, 404, 429)
    return CallFailed(f"{told.rstrip('.')}. {cure.strip()}", again=False, for_all=for_all)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as `retry-after-ms` or `retry-after` (seconds or a date) say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with contextlib.suppress(ValueError, KeyError):
            return max(0.0, float(headers[name]) * unit)
    with contextlib.suppress(ValueError, OverflowError):  # the year 99999
        date = email.utils.parsedate_tz(headers.get("retry-after", ""))
        return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
    return None


def _one_line(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 300 else words[:300] + "..."
