"""Reports, cards, plots and what the terminal says: searched for what fewer than k records share, and for oracles.

Two ways. One plants rare things in a table and looks for them in all that is told. The other makes two tables that
have the same release: what the two reports then tell differently does not follow from the release, and must be coarse.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fuzz import judge
from fuzz.generators import chance_of, word
from fuzz.parts import Failure, Told, attempt, command, temporary_place

NAME = "reports"
NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?")
PLOTS = (None, "sizes", "share", "risk", "losses", "distributions", "map", "correlation", "spread")
SMALL = 50
"""A report of fewer records tells only what follows from the release, and losses in whole percent."""
COARSE = 5
"""Significant digits of what a larger report may tell of the original."""


def run(numbers: Iterable[int], folder: Path) -> Iterator[Told]:
    for number in numbers:
        place = folder / str(number)
        place.mkdir(parents=True)
        chance = chance_of(NAME, number)
        with temporary_place(place):
            yield number, *(twins if chance.random() < 0.4 else planted)(chance, place)


def digits_of(token: str) -> str:
    """The significant digits of a number as it is written."""
    return re.sub(r"[eE].*|[-+.,]", "", token).lstrip("0").rstrip("0")


def matches(token: str, raw: float) -> bool:
    """Say whether a number that is told is this one, rounded to the digits that are told."""
    told = float(token.replace(",", ""))
    if told == 0 or not math.isfinite(told):
        return False
    quantum = 10.0 ** (math.floor(math.log10(abs(told))) - len(digits_of(token)) + 1)
    return abs(told - raw) <= 0.5000001 * quantum


def planted(chance: Any, folder: Path) -> tuple[str, list[Failure]]:
    """A table with rare words, dates and numbers; everything that is told of its release."""
    import pandas as pd

    k, n = chance.choice([2, 3, 5]), chance.choice([chance.randint(8, 49), chance.randint(50, 200)])
    rare_words = [word(chance, 12) for _ in range(chance.randint(1, 3))]
    rare_numbers = [round(chance.uniform(2e6, 9e8), 2) for _ in range(chance.randint(1, 2))]
    rare_dates = [datetime.date(1899, 1, 1) + datetime.timedelta(days=chance.randrange(4000)) for _ in range(2)]
    few = [word(chance, 6) for _ in range(3)]
    frame = pd.DataFrame({
        "age": [chance.randint(18, 90) for _ in range(n)],
        "income": [round(chance.lognormvariate(8, 0.5), 6) for _ in range(n)],
        "city": [chance.choice(few) for _ in range(n)],
        "born": [datetime.date(1970, 1, 1) + datetime.timedelta(days=chance.randrange(9000)) for _ in range(n)],
        "who": [word(chance, 10) for _ in range(n)],
        "ill": [chance.choice(["flu", "gout", "none"]) for _ in range(n)],
        "score": [round(chance.gauss(0, 1), 3) for _ in range(n)],
    })  # fmt: skip
    if chance.random() < 0.3:
        frame["age"] = frame["age"].astype("Float64").mask(frame.index < k - 1)
    for name, rare in (("city", rare_words), ("income", rare_numbers), ("born", rare_dates)):
        for value, row in zip(rare, chance.sample(range(n), len(rare)), strict=True):
            frame.loc[row, name] = value
    quasi = chance.sample(["age", "income", "city", "born"], chance.randint(1, 4))
    if frame["age"].isna().any() and "age" not in quasi:
        quasi.append("age")
    source, target = folder / "input.csv", folder / "released.csv"
    frame.to_csv(source, index=False)
    confidential = ["ill", "score"]
    asked = {
        "k": k,
        "quasi": quasi,
        "identifiers": ["who"],
        "confidential": confidential,
        "missing": "impute-any-share",
    }
    if "city" in quasi and chance.random() < 0.3:
        asked["kinds"] = {"city": f"ordinal:{','.join(dict.fromkeys(frame['city']))}"}
    outcome = attempt(lambda: told_of(chance, frame, source, target, asked, folder))
    failures = list(outcome.failures or ())
    if outcome.result is None:
        return "refused", failures
    texts, released = outcome.result
    counts = {name: Counter(frame[name]) for name in frame.columns}
    permitted = [judge.text_of(c) for column in released.values() for c in column]
    words = [w for name in ("city", "who") for w, count in counts[name].items() if count < k and w not in permitted]
    dates = [d.isoformat() for d in rare_dates if counts["born"][d] < k and d.isoformat() not in "\n".join(permitted)]
    days = [float((d - datetime.date(1970, 1, 1)).days) for d in rare_dates]
    loud = [value for value in rare_numbers if not _is_released(value, released.get("income", ()))]
    quiet = [value for value, count in counts["income"].items() if count < k]
    if "born" not in quasi:
        dates, days = [], []
    if "income" not in quasi:
        loud, quiet = [], []
    digests = digests_of(source, frame, quasi)
    functions = functions_of(frame, released, [name for name in quasi if name in ("age", "income")])
    for what, text in texts.items():
        kind = what.split(":")[0]
        failures += [Failure(f"rare_word:{kind}", f"{w!r} in {what}") for w in words if w in text][:1]
        failures += [Failure(f"rare_date:{kind}", f"{d} in {what}") for d in dates if d in text][:1]
        tokens = {token for token in NUMBER.findall(text) if len(digits_of(token)) >= 4}
        for token in tokens:
            n_digits = len(digits_of(token))
            is_rare = any(matches(token, v) for v in loud)
            is_rare |= token.startswith("-") and any(matches(token, v) for v in days)
            is_rare |= n_digits >= 8 and any(matches(token, v) for v in quiet) and not _is_told(token, permitted)
            if is_rare:
                failures.append(Failure(f"rare_number:{kind}", f"{token} in {what}"))
            elif n_digits >= 10:
                named = [name for name, value in functions.items() if matches(token, value)]
                failures += [Failure(f"function:{kind}", f"{named[0]} as {token} in {what}")] if named else []
        failures += [Failure(f"small_count:{kind}", f"{words} in {what}") for words in small_counts(text, k)][:1]
        for token in set(re.findall(r"[0-9a-f]{16,}", text)):
            failures += [Failure(f"digest:{kind}", f"{name} in {what}") for name, d in digests.items() if token in d][
                :1
            ]
    seen: dict[str, Failure] = {}
    for failure in failures:
        seen.setdefault(failure.kind, failure)
    return "searched", list(seen.values())


def small_counts(text: str, k: int) -> list[str]:
    """Counts of fewer than k records of the original: rare bins, imputed values, records left out."""
    looks = (r'"held_back": (\d+)', r"\(age: (\d+)\)", r"\b(\d+) of [\d,]+ records (?:resemble|lack|were)")
    return [found[0] for look in looks for found in re.finditer(look, text) if 0 < int(found[1]) < k]


def _is_released(value: float, cells: Sequence[Any]) -> bool:
    return any(isinstance(p := judge.plain(c), float) and math.isclose(p, value) for c in cells)


def _is_told(token: str, permitted: Iterable[str]) -> bool:
    released = (judge.plain(text) for text in set(permitted))
    return any(isinstance(value, float) and matches(token, value) for value in released)


def told_of(chance: Any, frame: Any, source: Path, target: Path, asked: dict[str, Any], folder: Path) -> Any:
    """Everything that is told of a release: by the package, or by the command line."""
    import microagg as ma

    page, twin = folder / "report.html", folder / "report.json"
    texts = {}
    if chance.random() < 0.5:
        if chance.random() < 0.5:
            release = ma.anonymize(frame.astype({"born": "datetime64[us]"}), **asked)
            release.report(page, twin)
            release.write(target)
        else:
            release = ma.anonymize_file(source, target, report=[page, twin], **asked)
        texts["card"] = release._repr_html_() + repr(release)
        texts["summary"] = json.dumps(release.published, default=str)
        for what in chance.sample(PLOTS, 3):
            texts[f"plot:{what}"] = release.plot(what)._repr_html_()
    else:
        arguments = [str(source), "--quasi", ",".join(asked["quasi"]), "--confidential", "ill,score", "--drop", "who"]
        arguments += ["--missing", "impute-any-share"]
        for name, kind in asked.get("kinds", {}).items():
            arguments += ["--kind", f"{name}={kind}"]
        more = ["--json"] * (chance.random() < 0.5)
        written = ["-k", str(asked["k"]), "-o", str(target), "--report", str(page), "--report", str(twin)]
        printed = command("anonymize", *arguments, *written, *more)
        if printed.code:
            from microagg.errors import InvalidOption

            raise InvalidOption(printed.err.strip().splitlines()[-1])
        texts["terminal"] = printed.out + printed.err
    texts |= {"page": page.read_text("utf-8"), "twin": twin.read_text("utf-8")}
    return texts, judge.read(target)


def digests_of(source: Path, frame: Any, quasi: list[str]) -> dict[str, str]:
    """Every usual digest of the input: the file, and the numbers of the quasi-identifiers in both orders."""
    import numpy as np

    numbers = [name for name in quasi if name in ("age", "income")]
    frame = frame.astype({"age": "float64"})
    matrix = frame[numbers].to_numpy(dtype="<f8")
    contents = {"the file": source.read_bytes(), "the matrix": matrix.tobytes(), "its columns": matrix.tobytes("F")}
    contents |= {f"column {name}": frame[name].to_numpy(dtype="<f8").tobytes() for name in numbers}
    dates = frame["born"].astype("datetime64[us]").astype("int64").to_numpy() / 1e6
    whole = [dates if name == "born" else frame[name].to_numpy(dtype="<f8") for name in quasi if name != "city"]
    if whole and "city" not in quasi:
        contents["all quasi-identifiers"] = np.ascontiguousarray(np.column_stack(whole), dtype="<f8").tobytes()
    return {
        f"{algorithm} of {what}": hashlib.new(algorithm, content).hexdigest()
        for what, content in contents.items()
        for algorithm in ("md5", "sha1", "sha256", "sha512", "blake2b")
        if content
    }


def functions_of(frame: Any, released: judge.Cells, names: list[str]) -> dict[str, float]:
    """Sums, means, deviations and the like of the original that do not follow from the release."""
    functions: dict[str, Callable[[list[float]], float]] = {
        "sum": math.fsum,
        "mean": statistics.fmean,
        "deviation": statistics.stdev,
        "variance": statistics.variance,
        "population deviation": statistics.pstdev,
        "largest": max,
        "smallest": min,
        "median": statistics.median,
    }
    found = {}
    for name in names:
        raw = [float(value) for value in frame[name].dropna()]
        after = [value for c in released[name] if isinstance(value := judge.plain(c), float)]
        for what, function in functions.items():
            value = function(raw)
            if len(digits_of(repr(value))) >= 10 and not math.isclose(value, function(after), rel_tol=1e-9):
                found[f"{what} of {name}"] = value
    return found


def twins(chance: Any, folder: Path) -> tuple[str, list[Failure]]:
    """Two tables that differ in two records of one group, and have the same release."""
    import pandas as pd

    import microagg as ma

    k = chance.choice([2, 3, 5])
    n = chance.choice([chance.randint(2 * k, 49), chance.randint(50, 150)])
    names = ["a", "b"][: chance.choice([1, 2])]
    frame = pd.DataFrame({name: [chance.randint(0, 2000) for _ in range(n)] for name in names})
    frame["ill"] = [chance.choice(["flu", "gout", "none"]) for _ in range(n)]
    asked = {"k": k, "quasi": names, "confidential": ["ill"], "method": chance.choice(["mdav", "univariate", "fast"])}
    outcome = attempt(lambda: ma.anonymize(frame, **asked))
    if outcome.result is None:
        return "refused", list(outcome.failures or ())
    first = outcome.result
    for _ in range(40):
        other = frame.copy()
        i = chance.randrange(n)
        mates = [j for j in range(n) if j != i and first.labels[j] == first.labels[i]]
        j, step = chance.choice(mates), chance.choice([1, 2, 5])
        other.loc[i, "a"] += step
        other.loc[j, "a"] -= step
        second = ma.anonymize(other, **asked)
        if other["a"].sort_values().tolist() != frame["a"].sort_values().tolist() and second.data.equals(first.data):
            break
    else:
        return "no twin", []
    told = []
    for release, place in ((first, folder / "1.json"), (second, folder / "2.json")):
        release.report(place)
        told.append([*leaves(json.loads(place.read_text("utf-8"))), *leaves(release.published, "summary")])
    if [path for path, _ in told[0]] != [path for path, _ in told[1]]:
        if n >= SMALL:  # bins and cells come and go with the k-th record in them
            return "compared in parts", []
        return "compared", [Failure("twin_shape", "two reports of the same release have different parts")]
    seen: dict[str, Failure] = {}
    for (path, one), (_, two) in zip(*told, strict=True):
        if one != two and "seconds" not in path:
            for kind, words in differences(path, str(one), str(two), n):
                seen.setdefault(kind, Failure(kind, f"{path}: {words}"))
    return "compared", list(seen.values())


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Everything in a JSON object that is neither an object nor a list, with the way to it."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, f"{path}.{key}")]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item, f"{path}[]")]
    return [(path, value)]


def differences(path: str, one: str, two: str, n: int) -> Iterator[tuple[str, str]]:
    """What tells two originals apart that have the same release."""
    if re.search(r"[0-9a-f]{32}", one):
        yield f"digest:{path.split('.')[1]}", "a digest of the input"
        return
    pairs = [(a, b) for a, b in zip(NUMBER.findall(one), NUMBER.findall(two), strict=False) if a != b]
    for a, b in pairs or [(one, two)]:
        longest = max(len(digits_of(a)), len(digits_of(b)))
        if n < SMALL and ("." in a + b or not pairs):
            yield "small_report", f"{a} or {b}, {n} records"
        elif longest > COARSE:
            yield "precise_function", f"{a} or {b}, {n} records"
