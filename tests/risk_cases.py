"""Cases made of classes alone, for what measures say of them."""

from __future__ import annotations

import numpy as np

from microagg.measures import Case, Confidential
from microagg.risk import equivalence_classes
from microagg.semantic.attribute import nominal, numeric


def case_of(classes, confidential=None, weights=None) -> Case:
    """Records of one quasi-identifier, which says their class, and one confidential column; nothing is changed."""
    values = np.asarray(classes, dtype=float)[:, None]
    columns = {}
    if confidential is not None:
        given = np.asarray(confidential)
        if given.dtype.kind in "iuf":
            columns["it"] = Confidential(given.astype(float), numeric())
        else:
            names, codes = np.unique(given, return_inverse=True)
            columns["it"] = Confidential(codes, nominal(names.tolist()))
    return Case(("class",), (numeric(),), values, values, np.asarray(classes), 2, columns, weights=weights)


def both(original, released) -> Case:
    """Records of numbers before and after."""
    X, Y = np.asarray(original, dtype=float), np.asarray(released, dtype=float)
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Case(names, (numeric(),) * len(names), X, Y, equivalence_classes(Y.view(np.int64)), 2)
