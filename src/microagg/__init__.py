"""Microaggregation: publish microdata in which every record hides among at least k."""

__version__ = "0.1.0"
