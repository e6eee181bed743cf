"""Categories: hierarchies, how far apart their values are, and what kinds of attributes there are."""

from __future__ import annotations

from microagg.semantic.attribute import Attribute, hierarchical, nominal, numeric, ordinal
from microagg.semantic.distance import distances, similarity
from microagg.semantic.files import read_hierarchy, write_hierarchy
from microagg.semantic.hierarchy import Hierarchy
from microagg.semantic.wordnet import from_wordnet

__all__ = [
    "Attribute",
    "Hierarchy",
    "distances",
    "from_wordnet",
    "hierarchical",
    "nominal",
    "numeric",
    "ordinal",
    "read_hierarchy",
    "similarity",
    "write_hierarchy",
]
