"""What a column seems to be, judged by its name, its values and what the file says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from microagg.base.schema import Kind
from microagg.base.types import FloatArray
from microagg.prepare.check import names
from microagg.prepare.check.dates import date_format
from microagg.prepare.check.finding import ColumnFinding, Seems
from microagg.prepare.check.look import Look
from microagg.prepare.check.patterns import MOSTLY, n_like_names, pattern_of

NEARLY_ALL = 0.9
"""From which number of different values for each record on, a value points to its record."""
FEW = 10
"""Up to so many different whole numbers may be codes."""
EACH = 10
"""At least so many records must share a value on the average, for few values to be codes."""
LEAST = 20
"""Of fewer records, nothing is said that only numbers of different values tell."""
ALMOST_EMPTY = 0.02
LARGE_WEIGHT = 10_000
REPEATED = 0.99
"""Up to which number of different values for each record, what numbers persons says that they have several records."""
LONG_NUMBER = 7
"""Whole numbers of so many digits, all of one length, are rarely amounts."""
LONG_TEXT, WORDS_OF_A_SENTENCE = 40, 5

Rule = Callable[[Look], ColumnFinding | None]


def judge(look: Look) -> ColumnFinding:
    """Say what a column seems to be: the first rule that applies, else a number or a category."""
    for rule in RULES:
        finding = rule(look)
        if finding is not None:
            return finding
    return _plain(look)


def _of(look: Look, seems: Seems, *reasons: str, kind: Kind | None = None) -> ColumnFinding:
    return ColumnFinding(look.name, seems, tuple(reason for reason in reasons if reason), kind)


def _number_of(look: Look, reason: str) -> ColumnFinding:
    """Judge a column that numbers persons or things, by its name: some may have several records each."""
    repeated = look.share_distinct <= REPEATED and not look.share_missing and not look.words.says_household
    return replace(_of(look, Seems.IDENTIFIER, reason, _count(look)), n_units=look.n_values if repeated else 0)


def _count(look: Look) -> str:
    """Say how many different values there are."""
    sampled = look.n_different is None and len(look.values) < look.n_records
    if sampled:
        return f"{look.n_distinct:,} different values in {len(look.present):,} sampled records"
    n_present = round(look.n_records * (1 - look.share_missing))
    about = "about " if len(look.values) < look.n_records and look.share_missing else ""
    return f"{look.n_values:,} different values in {about}{n_present:,} records"


def _empty(look: Look) -> ColumnFinding | None:
    n_present = len(look.present)
    if n_present and (n_present >= max(1.0, ALMOST_EMPTY * len(look.values)) or len(look.values) < LEAST):
        return None
    sampled = " sampled" if len(look.values) < look.n_records else ""
    return _of(look, Seems.EMPTY, f"{n_present:,} of {len(look.values):,}{sampled} records hold a value")


def _constant(look: Look) -> ColumnFinding | None:
    if look.n_distinct > 1 or look.n_records < 2:
        return None
    return _of(look, Seems.CONSTANT, "all records that hold a value hold the same", kind=_kind(look))


def _pattern(look: Look) -> ColumnFinding | None:
    """Texts that look like an e-mail address, a telephone number, ..."""
    if not look.is_text or look.numbers is not None:
        return None
    seen = pattern_of(look.texts)
    if seen is None or date_format(look.texts, look.name) is not None:
        return None
    return _of(look, Seems.IDENTIFIER, f"{seen[1]:,} of {len(look.texts):,} values look like {seen[0]}")


def _official(look: Look) -> ColumnFinding | None:
    """Names that say whose number, name or address a value is."""
    words = look.words
    if look.is_truth or look.is_moment or look.n_distinct < min(10, 1 + len(look.present) // 2):
        return None
    whole_or_text = look.is_whole or (look.is_text and look.numbers is None)
    if not whole_or_text or words.says_quantity:
        return None
    if words.has(names.OFFICIAL) and look.share_distinct > 0.3:
        return _number_of(look, "its name is that of an official number of a person")
    if not (look.is_text and look.numbers is None) and not look.is_padded:
        return None
    if words.has_pair(names.CONTACT) and look.share_distinct > 0.3:
        return _of(look, Seems.IDENTIFIER, "its name says how a person can be reached", _count(look))
    if words.has_pair(names.PERSON_NAMES) and look.share_distinct > 0.05:
        return _of(look, Seems.IDENTIFIER, "its name says that it holds names of persons", _count(look))
    firm = "name" in words.words and words.has(names.FIRMS)
    if firm and look.n_values >= LEAST and look.share_distinct > 0.01:
        return _of(look, Seems.IDENTIFIER, "its name says that it holds names of firms", _count(look))
    bare = "name" in words.words and not words.says_thing
    if bare and look.share_distinct >= 0.5:
        return _of(look, Seems.IDENTIFIER, "its name says that it holds names", _count(look))
    return None


def _names(look: Look) -> ColumnFinding | None:
    """Texts that are written as names of people are, most of them different."""
    if not look.is_text or look.numbers is not None or look.share_distinct < MOSTLY or len(look.present) < LEAST:
        return None
    count = n_like_names(look.texts)
    if count < MOSTLY * len(look.texts):
        return None
    return _of(look, Seems.IDENTIFIER, f"{count:,} of {len(look.texts):,} values look like names", _count(look))


def _date(look: Look) -> ColumnFinding | None:
    if look.is_moment:
        return _of(look, Seems.DATE, "it is stored as dates", kind=Kind.NUMERIC)
    if not look.is_text and not look.is_whole:
        return None
    form = date_format(look.texts if look.is_text else [f"{v:.0f}" for v in _there(look)], look.name)
    if form is None:
        return None
    # The mean of 20190829 and 20190901 is no date; the middle one of a group is.
    kind = Kind.NUMERIC if look.is_text else Kind.ORDINAL
    return _of(look, Seems.DATE, f"its values are written as dates ({form})", kind=kind)


def _numbered(look: Look) -> ColumnFinding | None:
    """Whole numbers or short texts that number persons or records."""
    is_text = look.is_text and look.numbers is None
    if not (look.is_whole or is_text) or look.n_distinct < 2:
        return None
    words, share = look.words, look.share_distinct
    if words.says_id and not words.says_quantity:
        enough = look.n_distinct >= min(10, len(look.present))
        many = look.n_values >= LEAST and (share >= 0.01 or words.says_person)
        if enough and (share >= 0.5 or ((words.joined == "id" or many) and not words.says_thing)):
            return _number_of(look, "its name says that it numbers them")
    if len(look.present) < LEAST:
        return None
    if words.says_counter and share >= NEARLY_ALL:
        return _of(look, Seems.IDENTIFIER, "its name says that it counts the records", _count(look))
    if is_text or words.says_quantity or share < NEARLY_ALL:
        return None
    there = _there(look)
    low, high = float(there.min()), float(there.max())
    years = low >= 1700 and high <= 2100
    if low >= 0 and high - low + 1 <= 1.1 * look.n_records and share > 0.99 and not years:
        return _of(
            look, Seems.IDENTIFIER, "whole numbers without gaps, each once, as records are counted", _count(look)
        )
    widths = np.array([len(f"{value:.0f}") for value in there])
    round_ones = float((there % 10 == 0).mean())
    if widths.min() >= LONG_NUMBER and (widths == widths[0]).mean() > 0.98 and round_ones < 0.25 and share > 0.95:
        return _of(
            look, Seems.IDENTIFIER, f"whole numbers of {widths[0]} digits each, nearly all different", _count(look)
        )
    if words.has(names.NUMBERING) and share > 0.95:
        return _of(look, Seems.IDENTIFIER, "its name says that it numbers them", _count(look))
    return None


def _weight(look: Look) -> ColumnFinding | None:
    if look.numbers is None or not look.words.says_weight or look.n_distinct < 2:
        return None
    there = _there(look)
    if there.min() < 0 or (there.min() == 0 and there.max() == 1):
        return None
    # The weights of bodies and things are a few kilograms; those of a survey are 1 on the average, or thousands.
    is_body = abs(float(there.mean()) - 1) > 0.05 and there.max() < LARGE_WEIGHT
    if look.words.words in (("weight",), ("weights",), ("wt",), ("gewicht",)) and is_body:
        return None
    return _of(
        look, Seems.WEIGHT, "its name is one of survey weights, and it holds no number below 0", kind=Kind.NUMERIC
    )


def _unique_text(look: Look) -> ColumnFinding | None:
    """Text of which nearly every record has another: sentences, or what names a record."""
    if not look.is_text or look.numbers is not None or len(look.present) < LEAST:
        return None
    lengths = np.array([len(text) for text in look.texts])
    n_words = np.array([text.count(" ") + 1 for text in look.texts])
    prose = np.median(lengths) >= LONG_TEXT or np.median(n_words) >= WORDS_OF_A_SENTENCE
    if prose and look.share_distinct > 0.3 and look.n_distinct >= LEAST:
        mean = f"{float(lengths.mean()):.0f} characters on the average"
        return _of(look, Seems.FREE_TEXT, f"sentences or long texts ({mean})", _count(look))
    if look.share_distinct >= NEARLY_ALL:
        return _of(look, Seems.IDENTIFIER, "nearly every record has a text of its own", _count(look))
    return None


def _geography(look: Look) -> ColumnFinding | None:
    words = look.words
    if look.is_truth or look.n_distinct < 3:
        return None
    if words.has(names.POSTCODES) and (look.is_whole or look.is_text):
        return _of(look, Seems.GEOGRAPHY, "its name is one of postcodes or codes of places", kind=Kind.NOMINAL)
    if not words.has(names.GEOGRAPHY) or words.says_quantity:
        return None
    if look.numbers is None or look.is_whole:
        if look.is_whole and (not words.says_place or look.n_distinct > look.n_records / 2):
            return None
        return _of(look, Seems.GEOGRAPHY, "its name is one of places", kind=Kind.NOMINAL)
    there = _there(look)
    if np.abs(there).max() <= 180 and any(
        w in ("lat", "latitude", "lon", "long", "lng", "longitude") for w in words.words
    ):
        return _of(look, Seems.GEOGRAPHY, "its name and range are those of coordinates", kind=Kind.NUMERIC)
    return None


def _code(look: Look) -> ColumnFinding | None:
    """Numbers that stand for something: by what the file says, by how they are written, by their name, by being few."""
    labels, measure, words = look.described.value_labels, look.described.measure, look.words
    if look.described.order is not None:
        return _of(look, Seems.CATEGORY, "the frame says that its values have an order", kind=Kind.ORDINAL)
    if look.numbers is None:
        if look.is_padded and all(text.isdigit() for text in look.texts):
            return _of(look, Seems.CODE, "numbers written with zeros before them", kind=Kind.NOMINAL)
        return None
    n_labelled = sum(value in labels for value in look.present)
    if labels and n_labelled >= 0.5 * len(look.present):
        kind = Kind.ORDINAL if measure == "ordinal" else Kind.NOMINAL
        said = f", and that it is {measure}" if measure in ("nominal", "ordinal") else ""
        if measure != "scale" or look.n_distinct <= FEW:
            return _of(look, Seems.CODE, f"the file says what {len(labels):,} of its values stand for{said}", kind=kind)
    if measure == "scale":
        return None
    if not look.is_whole:
        return None
    if measure in ("nominal", "ordinal") and look.share_distinct < 0.5:
        return _of(look, Seems.CODE, f"the file says that it is {measure}", kind=Kind(measure))
    named = words.has(names.NOMINAL) and not any(w in names.QUANTITIES for w in words.words)
    if named and words.has(names.CODED) and len(look.present) >= LEAST and look.share_distinct < 0.5:
        return _of(look, Seems.CODE, "its name is one of codes", _count(look), kind=Kind.NOMINAL)
    shared = len(look.present) >= max(LEAST, EACH * look.n_distinct)
    if not shared:
        return None
    if named and look.share_distinct < 0.1:
        return _of(look, Seems.CODE, "its name is one of categories", _count(look), kind=Kind.NOMINAL)
    if look.n_distinct == 2 and len(set(_there(look).tolist()) & {0.0, 1.0, 2.0}) == 2:
        return _of(look, Seems.CODE, "two whole numbers, as yes and no are written", kind=Kind.NOMINAL)
    there = _there(look)
    if look.n_distinct <= FEW and not words.says_quantity and _is_run(there):
        return _of(look, Seems.CODE, f"few whole numbers, {_count(look)}", kind=Kind.ORDINAL)
    return None


def _is_run(there: FloatArray) -> bool:
    """Say whether whole numbers run from 0 or 1 to a few, perhaps with some for what is not known: -1, 98, 99."""
    values = sorted(set(there.tolist()))
    answers = [value for value in values if 0 <= value < 10]
    others = [value for value in values if not 0 <= value < 10]
    unknown = {-1, -2, -3, -7, -8, -9, 77, 88, 97, 98, 99, 888, 998, 999}
    return len(answers) >= 3 and answers[0] <= 1 and answers[-1] <= len(answers) + 2 and set(others) <= unknown


def _plain(look: Look) -> ColumnFinding:
    if look.numbers is not None:
        whole = "whole numbers" if look.is_whole else "numbers"
        return _of(look, Seems.NUMBER, f"{whole}, {_count(look)}", kind=Kind.NUMERIC)
    return _of(look, Seems.CATEGORY, _count(look), kind=_kind(look))


def _kind(look: Look) -> Kind | None:
    if look.numbers is not None or look.is_moment:
        return Kind.NUMERIC
    if look.described.order is not None:
        return Kind.ORDINAL
    return Kind.NOMINAL if look.is_text or look.is_truth else None


def _there(look: Look) -> FloatArray:
    numbers = look.numbers if look.numbers is not None else np.empty(0)
    there: FloatArray = numbers[np.isfinite(numbers)]
    return there


RULES: tuple[Rule, ...] = (
    *(_empty, _constant, _pattern, _official, _date, _names, _numbered, _weight, _unique_text, _geography, _code),
)
"""The rules, the strongest first."""
