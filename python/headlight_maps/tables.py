# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers out of JSON and CSV as tensors; what is no number is NaN."""
import math

import torch


def number(value):
    if not isinstance(value, (int, float)):  # true and false are 1 and 0
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def column(values, whole=False):
    """Floats as float64, and whole numbers as int64."""
    limit = 1 << 63
    if whole and all(isinstance(value, int) and -limit <= value < limit for value in values):
        return torch.tensor(values, dtype=torch.long)
    return torch.tensor([number(value) for value in values], dtype=torch.float64)


def matrix(rows):
    """[rows, longest row]; shorter rows end in NaN. Errors: ValueError for anything but lists."""
    if not all(isinstance(row, list) for row in rows):
        raise ValueError("a row of numbers is invalid")
    width = max((len(row) for row in rows), default=0)
    return torch.tensor([[number(value) for value in row] + [math.nan] * (width - len(row))
                         for row in rows], dtype=torch.float32).view(len(rows), width)


def stacked(matrices):
    """[P, ..]: of equal shape, or padded with NaN to the largest."""
    if not matrices:
        return torch.empty(0, 0, 0)
    sides = [max(m.size(axis) for m in matrices) for axis in (0, 1)]
    whole = torch.full((len(matrices), *sides), math.nan)
    for target, values in zip(whole, matrices):
        target[:values.size(0), :values.size(1)] = values
    return whole
