"""`microagg datasets`: example and benchmark data."""

from __future__ import annotations
