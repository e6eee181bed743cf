"""Masks: noise, rank swapping and PRAM, for columns that are not grouped. They promise no k. One file each.

A new mask costs its file, one line in MASKS, and its test.
"""

from __future__ import annotations

from microagg.mask.apply import mask_columns, mask_values
from microagg.mask.mask import Mask
from microagg.mask.masks import MASKS, check_mask, read_mask

__all__ = ["MASKS", "Mask", "check_mask", "mask_columns", "mask_values", "read_mask"]
