"""The body of a request: read within its limits, and told apart into answers and their keys."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, NoReturn

from microagg.errors import MicroaggError
from microagg.survey.limits import Limits

if TYPE_CHECKING:
    from starlette.requests import Request

DRAINED = 16
"""How many times the limit of a body is read and thrown away, so that the sender hears why it was refused.

A connection that is closed while its sender still writes breaks before the answer can be read."""


class BodyTooLarge(MicroaggError):
    """The body of a request is larger than the service takes."""


class BodyTooSlow(MicroaggError):
    """The body of a request did not arrive in time."""


class NotJson(MicroaggError):
    """The body of a request is not declared as JSON."""


class MalformedBody(MicroaggError):
    """The body of a request is not one answer and not a batch of them."""


async def read_body(request: Request, limits: Limits) -> bytes:
    """Read a body of at most `limits.body` bytes; of a larger one no more than that is ever held.

    Raises
    ------
    NotJson, BodyTooLarge, BodyTooSlow
        The content type is another one; there are too many bytes; they take too long.
    """
    headers = request.headers
    content_type = headers.get("content-type", "")
    if content_type != "application/json" and content_type.partition(";")[0].strip().lower() != "application/json":
        raise NotJson("the body must be JSON, with the header 'Content-Type: application/json'.")
    declared = headers.get("content-length")
    too_large = BodyTooLarge(
        f"the body must be at most {limits.body:,} bytes. Send the answers in several smaller batches."
    )
    if declared is not None and declared.isdecimal() and int(declared) > limits.body:
        # Who asks first, with Expect: 100-continue, has sent nothing yet and needs no draining.
        if "expect" not in headers:
            await _drain(request, limits, int(declared))
        raise too_large
    try:
        async with asyncio.timeout(limits.body_seconds):
            chunks: list[bytes] = []
            size = 0
            async for chunk in request.stream():
                size += len(chunk)
                if size > limits.body:
                    chunks.clear()
                    if size > DRAINED * limits.body:
                        break
                else:
                    chunks.append(chunk)
    except TimeoutError:
        raise BodyTooSlow(
            f"the body must arrive within {limits.body_seconds:g} seconds. Send smaller batches."
        ) from None
    if size > limits.body:
        raise too_large
    return b"".join(chunks)


async def _drain(request: Request, limits: Limits, declared: int) -> None:
    if declared > DRAINED * limits.body:
        return
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for _ in request.stream():
                pass
    except TimeoutError:
        return


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
