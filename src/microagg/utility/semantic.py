"""The loss of categories as the literature on them counts it."""

from __future__ import annotations

from microagg.measures import Case, Finding, Measure
from microagg.semantic.loss import semantic_loss


def _semantic_loss(case: Case) -> Finding | None:
    if case.numbers:
        return None
    columns = {
        name: semantic_loss(case.original[:, [j]], case.released[:, [j]], [attribute])
        for j, (name, attribute) in enumerate(zip(case.names, case.attributes, strict=True))
    }
    return Finding(semantic_loss(case.original, case.released, case.attributes), columns=columns)


SEMANTIC_LOSS = Measure(
    name="semantic_loss",
    function=_semantic_loss,
    title="Semantic loss",
    summary="squared mean distance of a record's categories to the released ones, beside that to one record for all",
    reference="Martinez, Sanchez and Valls 2012",
    unit="percent",
    needs="categories alone",
)
