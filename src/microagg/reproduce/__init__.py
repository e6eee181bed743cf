"""Experiments of the papers, run again: what they print beside what we get."""
