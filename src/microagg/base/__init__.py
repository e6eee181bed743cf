"""What all other packages use: array types, argument checks, number ranges, groups, progress and tables."""
