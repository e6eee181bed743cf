"""What the interface says of itself: the parts of the OpenAPI document that are written by hand.

Answers are checked by the survey's own definition, not by models of the web framework, so their shape is told here.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

TITLE: Final = "Survey service"
DESCRIPTION: Final = (
    "Takes the answers of surveys, one by one or in batches, tells how a survey stands and when its release is "
    "expected, closes it, and hands out the k-anonymous release. Every call but the pages, this description and the "
    "health check needs the header 'Authorization: Bearer TOKEN'. An answer is durable when its receipt arrives. "
    "An answer that is sent again with the same key counts once: give each answer a key, and send it again whenever "
    "no receipt came. Errors are JSON objects: 'error', a word for programs, 'wrong', 'allowed' and 'do'."
)
SECURITY: Final[Schema] = {"bearer": {"type": "http", "scheme": "bearer"}}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_TIME: Final[Schema] = {"type": ["string", "null"], "format": "date-time"}
_NUMBER: Final[Schema] = {"type": ["number", "null"]}
_STAGE: Final[Schema] = {"type": "string", "enum": ["waiting", "running", "done", "failed", "skipped"]}
_STATE: Final[Schema] = {"type": "string", "enum": ["open", "closing", "closed", "released", "failed"]}

SCHEMAS: Final[dict[str, Schema]] = {
    "Answer": {
        "type": "object",
        "description": "One answer: the fields of the survey and their values; more is refused, or ignored where the "
        "survey is defined so. Truth values may be 1 and 0.",
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    },
    "Batch": _object(
        {"answers": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Answer"}}},
        {"keys": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 200}}},
    )
    | {"additionalProperties": False},
    "SetAside": _object({"key": {"type": "string", "minLength": 1, "maxLength": 200}}, {"reason": _TEXT})
    | {"additionalProperties": False},
    "Receipt": _object({"accepted": _COUNT, "repeated": _COUNT}),
    "Error": _object({"error": _TEXT, "wrong": _TEXT, "allowed": _TEXT, "do": _TEXT}),
    "InvalidAnswers": _object(
        {"error": _TEXT, "wrong": _TEXT, "allowed": _TEXT, "do": _TEXT},
        {
            "problems": {
                "type": "array",
                "items": _object({"index": _COUNT, "field": {"type": ["string", "null"]}, "rule": _TEXT}),
            }
        },
    ),
    "Surveys": _object({"surveys": {"type": "array", "items": _object({"name": _TEXT})}}),
    "Survey": _object({"definition": {"type": "object"}}),
    "Status": _object(
        {
            "name": _TEXT,
            "state": _STATE,
            "k": _COUNT,
            "received": _COUNT,
            "set_aside": {
                "type": "array",
                "description": "Answers that were left out of the release, when, and the reason that was given.",
                "items": _object({"key": _TEXT, "when": _TIME, "reason": _TEXT}),
            },
            "arrivals": {
                "type": "array",
                "description": "Moments and how many answers there were then.",
                "items": {"type": "array", "prefixItems": [_TIME, _COUNT]},
            },
            "plan": {
                "type": ["object", "null"],
                "description": "When the base stage starts and ends, the survey closes, the release is expected.",
                "properties": {
                    "n_base": _COUNT,
                    "n_rest": _COUNT,
                    "start": _TIME,
                    "base_ends": _TIME,
                    "closes": _TIME,
                    "ready": _TIME,
                    "one_run": _NUMBER,
                },
            },
            "stages": {
                "type": "array",
                "items": _object(
                    {
                        "name": _TEXT,
                        "state": {"type": "string", "enum": ["waiting", "running", "done", "failed", "skipped"]},
                    },
                    {
                        "progress": _NUMBER,
                        "started": _TIME,
                        "ended": _TIME,
                        "n_records": {"type": ["integer", "null"]},
                        "loss": _NUMBER,
                        "message": {"type": ["string", "null"]},
                    },
                ),
            },
            "message": _TEXT,
            "opened": _TIME,
            "closes": _TIME,
            "moves": {
                "type": "array",
                "description": "When the closing was moved, and to when; the last one counts.",
                "items": _object({"moved": _TIME, "closes": _TIME}),
            },
            "closed": _TIME,
            "published": _TIME,
            "expected": {"type": ["integer", "null"]},
            "sha256": {"type": ["string", "null"]},
            "notes": {
                "type": "array",
                "description": "What the report says of how the release was made.",
                "items": _TEXT,
            },
        }
    ),
    "Health": _object({"status": {"type": "string", "enum": ["ok"]}, "version": _TEXT}),
}

INVALID: Final = 422
"""The refusal that lists problems."""

_MEANINGS: Final = {
    401: "No token, or not one of this service.",
    403: "This token may send answers and nothing else.",
    404: "There is no survey of this name, or no answer of this key.",
    408: "The body did not arrive in time.",
    409: "The survey's state does not allow it: it is closed, or its release is not ready.",
    413: "The body is too large, or has too many answers.",
    415: "The body is not declared as JSON.",
    422: "The body is not an answer, or answers break the rules of the survey; none of them was taken.",
    429: "This client sends too fast; Retry-After says how many seconds to wait.",
    500: "A fault of the service; nothing was acknowledged.",
    503: "The store does not answer or is full; nothing was acknowledged. Retry-After says when to try again.",
}
_RETRY: Final[Schema] = {
    "Retry-After": {"description": "Seconds to wait before trying again.", "schema": {"type": "integer", "minimum": 1}}
}


def call(
    summary: str, *refused_with: int, status: int = 200, body: str, meaning: str, extra: Schema | None = None
) -> dict[str, Any]:
    """Describe a call as the framework takes it.

    Parameters
    ----------
    summary : str
        What it does, in a few words.
    *refused_with : int
        Status codes of refusals; 401 among them means that it needs a token.
    status : int
        The code when all is well.
    body : str
        One of `SCHEMAS`, or a media type.
    meaning : str
        What it means when all is well.
    extra : dict, optional
        What else the document says of it.

    Examples
    --------
    >>> described = call("List the surveys", 401, 503, body="Surveys", meaning="Their names.")
    >>> sorted(described["responses"])
    [200, 401, 503]
    """
    responses = {status: _response(body, meaning)}
    for code in refused_with:
        responses[code] = _response("InvalidAnswers" if code == INVALID else "Error", _MEANINGS[code])
        if code in {429, 503}:
            responses[code]["headers"] = _RETRY
    guarded: Schema = {"security": [{"bearer": []}]} if 401 in refused_with else {}
    return {
        "summary": summary,
        "status_code": status,
        "responses": responses,
        "openapi_extra": guarded | (extra or {}),
    }


def _response(body: str, meaning: str) -> Schema:
    if body in SCHEMAS:
        return {
            "description": meaning,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{body}"}}},
        }
    return {"description": meaning, "content": {body: {"schema": _TEXT}}}


_TAKES_ANSWERS: Final[Schema] = {
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The key of a single answer, 1 to 200 printable ASCII characters: sent again with it, the "
            "answer counts once.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        }
    ],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"oneOf": [{"$ref": "#/components/schemas/Answer"}, {"$ref": "#/components/schemas/Batch"}]},
                "examples": {
                    "one": {"summary": "One answer", "value": {"age": 31, "income": 1200.0, "city": "Turin"}},
                    "batch": {
                        "summary": "A batch, with a key for each answer",
                        "value": {"answers": [{"age": 31}, {"age": 45}], "keys": ["a-1", "a-2"]},
                    },
                },
            }
        },
    },
}
_OPERATOR: Final = (401, 403, 429, 500, 503)
_OF_ONE: Final = (401, 403, 404, 429, 500, 503)
_RELEASED: Final = (401, 403, 404, 409, 429, 500, 503)

ANSWERS: Final = call(
    "Send answers",
    *(401, 404, 408, 409, 413, 415, 422, 429, 500, 503),
    status=201,
    body="Receipt",
    meaning="The answers are durable.",
    extra=_TAKES_ANSWERS,
)
LIST: Final = call("List the surveys", *_OPERATOR, body="Surveys", meaning="Their names.")
DESCRIBE: Final = call("Fields and rules of a survey", *_OF_ONE, body="Survey", meaning="The definition.")
STATUS: Final = call("How a survey stands", *_OF_ONE, body="Status", meaning="Arrivals, plan and stages.")
CLOSE: Final = call(
    "Close a survey", *_OF_ONE, body="Status", meaning="It is closed, now or before; this is how it stands."
)
SET_ASIDE: Final = call(
    "Leave an answer out of the release",
    *(401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503),
    body="Status",
    meaning="The answer was set aside, now or before; this is how the survey stands.",
    extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/SetAside"},
                    "examples": {
                        "one": {
                            "summary": "The key of the answer, and a reason",
                            "value": {"key": "a-1", "reason": "sent by a test"},
                        }
                    },
                }
            },
        }
    },
)
RELEASE: Final = call(
    "Download the release",
    *_RELEASED,
    body="application/octet-stream",
    meaning="The released file, CSV or Parquet; the same one every time.",
)
REPORT: Final = call("Download the report", *_RELEASED, body="text/html", meaning="The report of the release.")
HEALTH: Final = call(
    "Whether the service can take answers", 429, 500, 503, body="Health", meaning="It can: the store answers."
)
PAGE: Final = call("The page that shows surveys as they run", body="text/html", meaning="The page.")
DOCS: Final = call("This description as a page", 500, body="text/html", meaning="The page.")


def complete(document: Schema) -> Schema:
    """Add to a generated document what the framework does not know, and take out what it only supposes.

    It supposes that any call with a name in its path may answer 422 with a body of the framework's own.
    """
    document["components"] = {"schemas": SCHEMAS, "securitySchemes": SECURITY}
    for methods in document["paths"].values():
        for operation in methods.values():
            supposed = operation["responses"].get(str(INVALID))
            if supposed and "HTTPValidationError" in str(supposed):
                del operation["responses"][str(INVALID)]
    return document
