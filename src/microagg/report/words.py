"""Numbers and names as people read them."""

from __future__ import annotations

import math
import unicodedata

import numpy as np

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DIRECTION_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SPELT = {"sse": "SSE", "sst": "SST", "il1s": "IL1s", "mse": "MSE", "k": "k"}
_THOUSANDS = {0: "", 3: "k", 6: "M"}


def tidy(value: float, digits: int = 4) -> str:
    """Write a number with a few significant digits.

    >>> tidy(9.0883719), tidy(1080), tidy(-1234567.8), tidy(1.25e-15), tidy(float("nan"))
    ('9.088', '1,080', '−1,234,568', '1.25 × 10⁻¹⁵', 'undefined')
    """
    value = float(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    magnitude = abs(value)
    if magnitude >= 1e9 or magnitude < 1e-4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        power = "10" + str(int(exponent)).translate(_SUPERSCRIPT)
        text = power if mantissa == "1" else f"{mantissa} × {power}"
    elif value.is_integer() or magnitude >= 10 ** (digits - 1):
        text = f"{value:,.0f}"
    else:
        decimals = digits - 1 - math.floor(math.log10(magnitude))
        text = f"{value:,.{decimals}f}".rstrip("0").rstrip(".")
    return text.replace("-", "−")


def compact(value: float) -> str:
    """Write a number in the little room beside an axis.

    >>> compact(20000.0), compact(1500000.0), compact(0.25), compact(3e12)
    ('20k', '1.5M', '0.25', '3 × 10¹²')
    """
    for exponent, letter in _THOUSANDS.items():
        scaled = abs(value) / 10**exponent
        if 1 <= scaled < 1000:
            return tidy(value / 10**exponent, 3) + letter
    return tidy(value, 3)


def percent(value: float) -> str:
    """Write a percentage.

    >>> percent(9.0883719), percent(0.0)
    ('9.09%', '0%')
    """
    return tidy(value, 3) + "%" if math.isfinite(value) else tidy(value)


def duration(seconds: float) -> str:
    """Write a time in its two largest units.

    >>> duration(153.3), duration(5249.0), duration(0.0421), duration(7200), duration(90_000), duration(3599.7)
    ('2 min 33 s', '1 h 27 min', '42.1 ms', '2 h', '1 d 1 h', '1 h')
    """
    sign, left = ("−" if seconds < 0 else ""), abs(seconds)
    if left < 1:
        return sign + (f"{tidy(1000 * left, 3)} ms" if left else "0 s")
    if left < 60:
        return f"{sign}{tidy(left, 3)} s"
    left = round(left)
    units = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
    first = next(i for i, (size, _) in enumerate(units) if left >= size)
    (large, its_name), (small, name) = units[first : first + 2]
    whole, rest = divmod(round(left / small), large // small)
    return f"{sign}{whole} {its_name}" + (f" {rest} {name}" if rest else "")


def distance(metres: float) -> str:
    """Write a distance: from a kilometre on in kilometres.

    >>> distance(12_345.0), distance(87.654), distance(999.6), distance(0.0)
    ('12.3 km', '87.7 m', '1 km', '0 m')
    """
    if abs(metres) < 999.5:
        return f"{tidy(metres, 3)} m"
    return f"{tidy(metres / 1000, 3)} km"


def measure(value: float, unit: str = "") -> str:
    """Write the value of a measure with its unit, if it has one; what is left of zero after rounding is zero.

    >>> measure(9.0883719, "percent"), measure(1e-17, "standard deviations"), measure(1080)
    ('9.09%', '0 standard deviations', '1,080')
    """
    value = 0.0 if abs(value) < 1e-12 else value
    if unit == "percent":
        return percent(value)
    return f"{tidy(value)} {unit}" if unit and math.isfinite(value) else tidy(value)


def day(value: float) -> str:
    """Write days since 1970 as a date.

    >>> day(18262.4)
    '2020-01-01'
    """
    return str(np.datetime64(0, "D") + np.timedelta64(math.floor(value), "D"))


def legible(text: str) -> str:
    r"""Replace what a page must not hold or could be fooled by: control characters, stray surrogates, turned writing.

    >>> legible("age\x00"), legible("größe")
    ('age\ufffd', 'größe')
    """
    return "".join(
        "\ufffd" if (unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t") or c in _DIRECTION_CONTROLS else c
        for c in text
    )


def shown(name: str, limit: int = 80) -> str:
    """Give a column's name as the page shows it: on one line, never empty, and cut to a limit.

    >>> shown(""), shown("household income", 10)
    ('(no name)', 'household…')
    """
    text = " ".join(legible(name).split()) or "(no name)"
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def humanise(key: str) -> str:
    """Give a key as a label.

    >>> humanise("information_loss"), humanise("il1s"), humanise("k_anonymity")
    ('Information loss', 'IL1s', 'k anonymity')
    """
    words = [_SPELT.get(word, word) for word in legible(key).replace("_", " ").split()]
    text = " ".join(words)
    return text if words and words[0] in _SPELT.values() else text[:1].upper() + text[1:]


def listing(names: list[str], most: int = 4) -> str:
    """Name the first few of a list.

    >>> listing(["a", "b", "c"]), listing(["a", "b", "c", "d", "e", "f"])
    ('a, b and c', 'a, b, c, d and 2 more')
    """
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} more"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
