"""`python -m microagg` is `microagg`."""

from microagg.cli import main

main()
