"""Files as such: written whole or not at all, private places for work, text and its encodings."""
