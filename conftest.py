"""Doctests of single files find the package as users do: imported as a whole, and once."""

import microagg

for name in microagg.__all__:  # imported when used: here, before pytest would import files one by one
    getattr(microagg, name)
