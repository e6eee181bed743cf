"""Converts values of a report to what JSON can hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def plain(value: Any) -> Any:
    """Give plain values: objects as dictionaries of their fields, numbers that JSON lacks (NaN, infinity) as None.

    An object may say itself what it looks like, with a method `plain`.

    >>> plain({"loss": float("nan"), "sizes": np.array([3, 4])})
    {'loss': None, 'sizes': [3, 4]}
    """
    if hasattr(value, "plain"):
        return plain(value.plain())
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, str) else value


def to_json(value: Any, *, indent: int | None = None) -> str:
    r"""Write plain values as JSON; what cannot stand in a file (half a surrogate pair) is escaped.

    >>> to_json({"name": "größe\ud800"})
    '{"name": "größe\\ud800"}'
    """
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
