"""Why a request is refused, as JSON: a word for programs, what was wrong, what is allowed, what to do."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Any, Final

from microagg.errors import (
    InvalidAnswers,
    MicroaggError,
    NotReady,
    SecondRelease,
    StoreFull,
    StoreUnavailable,
    SurveyClosed,
    UnknownAnswer,
    UnknownSurvey,
)
from microagg.survey.body import BodyTooLarge, BodyTooSlow, MalformedBody, NotJson, TooManyBytes
from microagg.survey.limits import whole_seconds

LOG = logging.getLogger("microagg.survey")

STORE_PAUSE = 2.0
"""Seconds that a client is asked to wait when the store does not answer."""


class NoToken(MicroaggError):
    """A request has no token, or a wrong one."""


class NotAllowed(MicroaggError):
    """A token does not allow what was asked."""


class TooFast(MicroaggError):
    """A client sends more than its rate."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__("this client sends more answers a second than it may.")


@dataclass(frozen=True)
class Refusal:
    """How one kind of error is answered."""

    status: int
    error: str
    allowed: str
    do: str


AGAIN: Final = "Nothing was acknowledged. Send it again, with the same keys, after the seconds in Retry-After."

REFUSALS: Final[dict[type[MicroaggError], Refusal]] = {
    NoToken: Refusal(
        401,
        "token",
        "Every call needs the header 'Authorization: Bearer TOKEN' with the token of this service.",
        "Use the token that was shown when the service started, or the one in its token file.",
    ),
    NotAllowed: Refusal(
        403, "not_allowed", "This token may send answers and nothing else.", "Use the operator's token for this call."
    ),
    UnknownSurvey: Refusal(
        404, "unknown_survey", "GET /surveys lists the surveys there are.", "Check the name in the address."
    ),
    UnknownAnswer: Refusal(
        404, "unknown_answer", "An answer is set aside by the key that it came with.", "Check the key."
    ),
    BodyTooSlow: Refusal(408, "too_slow", "A body must arrive in one go.", "Send it again in smaller parts."),
    SurveyClosed: Refusal(
        409,
        "closed",
        "Answers are taken, and a survey can be closed, while it is open.",
        "GET /surveys/NAME/status tells how the survey stands.",
    ),
    NotReady: Refusal(
        409,
        "not_ready",
        "A release exists when the survey is closed and its stages are done.",
        "GET /surveys/NAME/status tells how far it is, and when the release is expected.",
    ),
    SecondRelease: Refusal(
        409, "released", "A survey is released once.", "Download the release that was published: it stays the same."
    ),
    BodyTooLarge: Refusal(
        413, "too_large", "A request has a limited number of bytes and of answers.", "Send several smaller batches."
    ),
    NotJson: Refusal(415, "not_json", "Bodies are JSON in UTF-8.", "Add the header 'Content-Type: application/json'."),
    MalformedBody: Refusal(
        422,
        "malformed",
        'A body is one answer {field: value, ...} or a batch {"answers": [...], "keys": [...]}.',
        "Correct the body and send it again; none of its answers was taken.",
    ),
    InvalidAnswers: Refusal(
        422,
        "invalid_answers",
        "GET /surveys/NAME tells the fields and their rules.",
        "Correct the answers named in 'problems' and send the batch again; none of its answers was taken.",
    ),
    TooFast: Refusal(429, "too_fast", "Each client has a limited number of answers a second.", AGAIN),
    StoreUnavailable: Refusal(503, "unavailable", "Answers are taken while the store can make them durable.", AGAIN),
    StoreFull: Refusal(503, "full", "Answers are taken while the store has room for them.", AGAIN),
    TooManyBytes: Refusal(503, "busy", "Bodies that are on their way have a limited number of bytes in all.", AGAIN),
    MicroaggError: Refusal(
        409,
        "conflict",
        "GET /surveys/NAME/status tells what the survey's state allows.",
        "See what was wrong, and try again when it is mended.",
    ),
}
"""How each error is answered; an error of another kind as the nearest of its parents."""

FAULT: Final = {
    "error": "fault",
    "wrong": "the service failed at this request.",
    "allowed": "This is a fault of the service, not of the request; nothing was acknowledged.",
    "do": "Send it again, with the same keys; if it fails again, tell the operator.",
}


def refuse(problem: MicroaggError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Give status, body and headers that answer an error.

    >>> status, body, headers = refuse(TooFast(2.5))
    >>> status, body["error"], headers
    (429, 'too_fast', {'Retry-After': '3'})
    """
    refusal = next(REFUSALS[kind] for kind in type(problem).__mro__ if kind in REFUSALS)
    body: dict[str, Any] = {
        "error": refusal.error,
        "wrong": str(problem),
        "allowed": refusal.allowed,
        "do": refusal.do,
    }
    if isinstance(problem, InvalidAnswers):
        body["problems"] = [asdict(each) for each in problem.problems]
    headers = {}
    if isinstance(problem, TooFast):
        headers["Retry-After"] = whole_seconds(problem.seconds)
    elif isinstance(problem, StoreUnavailable | StoreFull | TooManyBytes):
        headers["Retry-After"] = whole_seconds(STORE_PAUSE)
    elif isinstance(problem, NoToken):
        headers["WWW-Authenticate"] = "Bearer"
    return refusal.status, body, headers
