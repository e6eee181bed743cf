"""Who works on parts: one file for each."""
