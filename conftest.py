"""Doctests of single files find the package as users do: imported as a whole, so that `microagg.anonymize` is the call."""

import microagg  # noqa: F401
