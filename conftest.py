"""Doctests of single files find the package as users do: imported as a whole."""

import microagg  # noqa: F401
