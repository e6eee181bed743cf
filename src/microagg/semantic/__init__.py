"""Categories: hierarchies, how far apart their values are, and what kinds of attributes there are."""

from __future__ import annotations

from microagg.semantic.attribute import Attribute, hierarchical, nominal, numeric, ordinal
from microagg.semantic.centroid import group_centroids
from microagg.semantic.distance import distances, similarity
from microagg.semantic.files import read_hierarchy, write_hierarchy
from microagg.semantic.hierarchy import Hierarchy
from microagg.semantic.loss import semantic_loss
from microagg.semantic.wordnet import from_wordnet

__all__ = [
    "Attribute",
    "Hierarchy",
    "distances",
    "from_wordnet",
    "group_centroids",
    "hierarchical",
    "nominal",
    "numeric",
    "ordinal",
    "read_hierarchy",
    "semantic_loss",
    "similarity",
    "write_hierarchy",
]
