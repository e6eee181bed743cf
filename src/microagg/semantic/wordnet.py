"""Hierarchies out of WordNet: nouns and their hypernyms, from the files that Debian and NLTK install."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path

from microagg.errors import FileProblem, InvalidData
from microagg.semantic.hierarchy import Hierarchy

DEBIAN_FOLDER = Path("/usr/share/wordnet")


def from_wordnet(synsets: Mapping[str, str], folder: str | os.PathLike[str] | None = None) -> Hierarchy:
    """Build the hierarchy above some values; each value takes the place of its synset.

    Parameters
    ----------
    synsets : mapping of str to str
        The synset of each value, such as ``{"clerk": "clerk.n.01"}``: a noun, its sense in two digits.
    folder : path, optional
        Where ``index.noun`` and ``data.noun`` are. By default the folder that WNSEARCHDIR names, Debian's
        (package wordnet-base), or an installed NLTK corpus.

    Returns
    -------
    Hierarchy
        The values with all their hypernyms, up to ``entity.n.01``.

    References
    ----------
    G. A. Miller. WordNet: a lexical database for English. Communications of the ACM 38 (1995) 39-41.
    """
    if not synsets:
        raise InvalidData("synsets must name at least one value and its synset; got none.")
    if len(set(synsets.values())) < len(synsets):
        raise InvalidData("two values have the same synset; give every value its own.")
    noun = _Nouns(_folder(folder))
    value_at = {noun.offset(synset): value for value, synset in synsets.items()}
    names: dict[int, str] = {}
    parents: dict[int, list[int]] = {}
    waiting = list(value_at)
    for offset in waiting:
        if offset in names:
            continue
        name, parents[offset] = noun.synset(offset)
        names[offset] = value_at.get(offset, name)
        waiting += parents[offset]
    if len(set(names.values())) < len(names):
        raise InvalidData("a value is named like a synset above another value; rename it.")
    if len(names) == 1:
        return Hierarchy(tuple(names.values()), ((),))
    return Hierarchy.from_edges((names[child], names[above]) for child in names for above in parents[child])


class _Nouns:
    """Debian's wordnet-base: lines that start with a lemma (index.noun) or a byte offset (data.noun).

    An index line is ``lemma n synsets pointers symbol... senses tagged offset...``, its offsets in the order of senses.
    A data line is ``offset file n words(hex) (word id)... pointers (symbol offset pos source)... | gloss``.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._index = (folder / "index.noun").read_bytes()
            self._data = (folder / "data.noun").read_bytes()
        except OSError as error:
            raise FileProblem(f"WordNet cannot be read from {folder}: {error.strerror}.") from error

    def _senses(self, lemma: str) -> list[int]:
        start = self._index.find(f"\n{lemma} n ".encode()) + 1
        if start == 0:
            return []
        cells = self._index[start : self._index.index(b"\n", start)].split()
        return [int(cell) for cell in cells[-int(cells[2]) :]]

    def offset(self, synset: str) -> int:
        """Find a synset such as clerk.n.01."""
        lemma, _, rest = synset.rpartition(".n.")
        if not lemma or not rest.isdigit():
            raise InvalidData(f"a synset must be written lemma.n.01, a noun and its sense; got {synset!r}.")
        senses = self._senses(lemma.lower())
        if not 1 <= int(rest) <= len(senses):
            raise InvalidData(f"WordNet has no synset {synset!r}; it knows {len(senses)} senses of this noun.")
        return senses[int(rest) - 1]

    def synset(self, offset: int) -> tuple[str, list[int]]:
        """Give a synset's name and the offsets of its hypernyms, as kinds (@) or as instances (@i)."""
        cells = self._data[offset : self._data.index(b"\n", offset)].decode().split("|")[0].split()
        if not cells or cells[0] != f"{offset:08d}":
            raise FileProblem("WordNet's index.noun and data.noun do not belong together.")
        n_words = int(cells[3], 16)
        lemma = cells[4].lower()
        at = 4 + 2 * n_words
        pointers = [cells[at + 1 + 4 * i : at + 5 + 4 * i] for i in range(int(cells[at]))]
        above = [int(target) for symbol, target, *_ in pointers if symbol in {"@", "@i"}]
        return f"{lemma}.n.{self._senses(lemma).index(offset) + 1:02d}", above


def _folder(folder: str | os.PathLike[str] | None) -> Path:
    if folder is not None:
        return Path(folder)
    named = os.environ.get("WNSEARCHDIR")
    places = [Path(named)] if named else []
    places.append(DEBIAN_FOLDER)
    if importlib.util.find_spec("nltk") is not None:
        import nltk  # type: ignore[import-not-found,unused-ignore]

        places += [Path(place) / "corpora" / "wordnet" for place in nltk.data.path]
    for place in places:
        if (place / "data.noun").is_file():
            return place
    raise FileProblem(
        "WordNet is not installed: install Debian's wordnet-base or NLTK's wordnet corpus, or give the folder that "
        "holds index.noun and data.noun."
    )
