"""From columns as they came to records that methods can group: kinds, missing values, scale and weights."""
