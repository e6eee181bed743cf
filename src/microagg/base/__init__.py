"""What every room stands on: types of arrays, checks at the door, numbers within range, groups, progress, tables."""
