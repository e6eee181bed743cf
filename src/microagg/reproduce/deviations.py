"""Where methods and experiments depart from the texts that they follow: gathered from where each is declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from microagg.partition import METHODS
from microagg.paths import PATHS
from microagg.refine import REFINEMENTS
from microagg.reproduce.experiment import Experiment


def deviations(experiments: Mapping[str, Experiment[Any]]) -> list[tuple[str, str]]:
    """Give all of them: who departs, and how. What several declare alike is given once."""
    declared = [
        *((f"experiment {e.name}", text) for e in experiments.values() for text in e.deviations),
        *((f"method {m.name}", text) for m in METHODS.values() for text in m.deviations),
        *((f"path {p.name}", text) for p in PATHS.values() for text in p.deviations),
        *((f"refinement {r.name}", text) for r in REFINEMENTS.values() for text in r.deviations),
    ]
    by_text: dict[str, list[str]] = {}
    for who, text in declared:
        by_text.setdefault(text, []).append(who)
    return [(", ".join(all_of_them), text) for text, all_of_them in by_text.items()]
