"""The body of a request: read within its limits, and told apart into answers and their keys."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, NoReturn, Self

from microagg.errors import MicroaggError
from microagg.survey.limits import Held, Limits

if TYPE_CHECKING:
    from starlette.requests import Request

LARGE = 1 << 18
"""Bytes from which on a body is large: few of those are held at a time, and they are checked beside the event loop."""


class BodyTooLarge(MicroaggError):
    """The body of a request is larger than the service takes."""


class BodyTooSlow(MicroaggError):
    """The body of a request did not arrive in time."""


class TooManyBytes(MicroaggError):
    """More bytes of bodies are on their way than the service holds."""


class NotJson(MicroaggError):
    """The body of a request is not declared as JSON."""


class MalformedBody(MicroaggError):
    """The body of a request is not one answer and not a batch of them."""


def check_head(request: Request, limits: Limits) -> bool:
    """Look at what a request says of its body, before anything of it is read.

    Returns
    -------
    bool
        Whether it may be large: it says so, or does not say.

    Raises
    ------
    NotJson, BodyTooLarge
        The content type is another one, or there are too many bytes.
    """
    headers = request.headers
    content_type = headers.get("content-type", "")
    if content_type != "application/json" and content_type.partition(";")[0].strip().lower() != "application/json":
        raise NotJson("the body is not declared as JSON.")
    declared = headers.get("content-length", "")
    if not declared.isdecimal():
        return True
    if int(declared) > limits.body:
        raise _too_large(limits)
    return int(declared) >= LARGE


class Hold:
    """What one request holds of the room for bodies, given back when the block ends."""

    def __init__(self, held: Held, client: str) -> None:
        self._held, self._client, self._size = held, client, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.give(self._client, self._size)

    def take(self, n_bytes: int) -> None:
        """Hold so many bytes more; TooManyBytes where there is no room for them."""
        if not self._held.take(self._client, n_bytes):
            raise TooManyBytes("more is being sent than the service can hold.")
        self._size += n_bytes


async def read_body(request: Request, limits: Limits, hold: Hold) -> bytes:
    """Read a body of at most `limits.body` bytes; of a larger one no more than that is ever held.

    It must have arrived in `limits.body_seconds`, and keep up `limits.body_rate` after `limits.head_seconds`: who sends
    nothing for so long is not waited for. The server reads the rest of a refused body and throws it away, so that its
    sender gets to see the refusal.

    Raises
    ------
    BodyTooLarge, BodyTooSlow, TooManyBytes
        There are too many bytes, they take too long, or there is no room for them now.
    """
    chunks: list[bytes] = []
    size = 0
    loop = asyncio.get_running_loop()
    begin = loop.time()

    def limit() -> float:
        return begin + min(limits.body_seconds, limits.head_seconds + size / limits.body_rate)

    try:
        async with asyncio.timeout_at(limit()) as watch:
            async for chunk in request.stream():
                size += len(chunk)
                if size > limits.body:
                    raise _too_large(limits)
                hold.take(len(chunk))
                chunks.append(chunk)
                watch.reschedule(limit())
    except TimeoutError:
        raise BodyTooSlow(
            f"the body must arrive within {limits.body_seconds:g} seconds, with {limits.body_rate:,.0f} bytes a second "
            f"or more after the first {limits.head_seconds:g}; this one did not."
        ) from None
    return b"".join(chunks)


def _too_large(limits: Limits) -> BodyTooLarge:
    return BodyTooLarge(f"the body has more than {limits.body:,} bytes.")


def parse_answers(body: bytes, key: str | None, limits: Limits) -> tuple[list[Any], list[str] | None]:
    """Read one answer, or a batch `{"answers": [...], "keys": [...]}`, and the keys that came with it.

    Parameters
    ----------
    body : bytes
        JSON in UTF-8.
    key : str or None
        The header Idempotency-Key, which belongs to a single answer.
    limits : Limits
        Says how many answers there may be.

    Raises
    ------
    MalformedBody, BodyTooLarge
        The message never repeats what was sent.

    Examples
    --------
    >>> parse_answers(b'{"age": 31}', "a-1", Limits())
    ([{'age': 31}], ['a-1'])
    >>> parse_answers(b'{"answers": [{"age": 31}, {"age": 45}]}', None, Limits())
    ([{'age': 31}, {'age': 45}], None)
    >>> parse_answers(b'[31]', None, Limits())
    Traceback (most recent call last):
    microagg.survey.body.MalformedBody: the body must be one answer, an object of fields, or {"answers": [...]}.
    """
    content = _decode(body)
    if not isinstance(content, dict):
        raise MalformedBody('the body must be one answer, an object of fields, or {"answers": [...]}.')
    answers, keys = content.get("answers"), content.get("keys")
    # No field holds a list, so a list under this name is a batch even where a field is called "answers".
    if not isinstance(answers, list):
        return [content], None if key is None else [key]
    if len(content) > 1 + ("keys" in content):
        raise MalformedBody('a batch has the members "answers" and "keys", and no other.')
    if key is not None:
        raise MalformedBody(
            'the header Idempotency-Key belongs to a single answer; give a batch one key for each answer, in "keys".'
        )
    if not answers:
        raise MalformedBody('"answers" must hold at least one answer.')
    if len(answers) > limits.answers:
        raise BodyTooLarge(f"a batch must have at most {limits.answers:,} answers. Send several smaller batches.")
    if keys is not None and (not isinstance(keys, list) or len(keys) != len(answers)):
        raise MalformedBody('"keys" must be a list with one key for each answer.')
    return answers, keys


def parse_set_aside(body: bytes) -> tuple[str, str]:
    """Read the key of an answer to set aside, and the reason.

    >>> parse_set_aside(b'{"key": "a-1", "reason": "a test"}')
    ('a-1', 'a test')
    """
    content = _decode(body)
    if (
        not isinstance(content, dict)
        or not isinstance(content.get("key"), str)
        or not isinstance(content.get("reason", ""), str)
        or content.keys() - {"key", "reason"}
    ):
        raise MalformedBody('the body must be {"key": KEY} or {"key": KEY, "reason": TEXT}.')
    return content["key"], content.get("reason", "")


def _decode(body: bytes) -> Any:
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except json.JSONDecodeError as problem:
        # The message of the decoder names what it expected and where, never what it found.
        raise MalformedBody(
            f"the body must be JSON: {problem.msg.lower()} at line {problem.lineno}, column {problem.colno}."
        ) from None
    except UnicodeDecodeError:
        raise MalformedBody("the body must be JSON in UTF-8.") from None
    except RecursionError:
        raise MalformedBody("the body must be JSON of flat answers; this one is nested too deeply.") from None
    except ValueError:
        raise MalformedBody("the body must be JSON with finite numbers of a reasonable length.") from None


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
