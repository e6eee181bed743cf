"""Microaggregation in two stages: most records before a survey closes, the rest after, and when to start."""
