"""How long each step of some work takes."""

from __future__ import annotations

import time
from collections.abc import Mapping


class StepClock:
    """Seconds of each step, in order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    def step(self, name: str, parts: Mapping[str, float] | None = None) -> None:
        """End a step; `parts` of it have names of their own."""
        now = time.perf_counter()
        others = {part: taken for part, taken in (parts or {}).items() if part != name}
        for step, taken in {name: now - self._start - sum(others.values()), **others}.items():
            self.seconds[step] = self.seconds.get(step, 0.0) + max(0.0, taken)
        self._start = now
