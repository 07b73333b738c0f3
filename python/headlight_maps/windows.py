# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention within shifted windows (Swin): from a map a window to a map over all tokens.

A block rolls its grid of tokens by the shift and cuts it into windows, row by row; grids that are no
multiple of the window are padded at the right and the bottom. timm, torchvision and transformers
all keep the attributes `window_size` and `shift_size`.
"""
import torch

# More than this for one layer is left out.
MOST_BYTES = 2 << 30


class Window:
    def __init__(self, rows, columns, size, shift):
        self.rows, self.columns = rows, columns  # of all tokens
        self.size, self.shift = size, shift      # (rows, columns)

    def count(self):
        return (-(-self.rows // self.size[0])) * (-(-self.columns // self.size[1]))

    def tokens(self):
        """[windows, tokens a window]: the number of each token, -1 for padding."""
        height = -(-self.rows // self.size[0]) * self.size[0]
        width = -(-self.columns // self.size[1]) * self.size[1]
        numbers = torch.full((height, width), -1, dtype=torch.long)
        numbers[:self.rows, :self.columns] = torch.arange(self.rows * self.columns).view(
            self.rows, self.columns)
        shift = [0 if size >= side else step for size, side, step in
                 zip(self.size, (height, width), self.shift)]
        numbers = numbers.roll((-shift[0], -shift[1]), (0, 1))
        return numbers.view(height // self.size[0], self.size[0], width // self.size[1],
                            self.size[1]).permute(0, 2, 1, 3).reshape(self.count(), -1)

    def spread(self, values, batch):
        """From [batch · windows, heads, n, n] to [batch, heads, T, T]; 0 outside the windows."""
        heads, total = values.size(1), self.rows * self.columns
        whole = torch.zeros(batch, heads, total, total, dtype=values.dtype)
        values = values.view(batch, self.count(), heads, *values.shape[-2:])
        for index, numbers in enumerate(self.tokens()):
            own = (numbers >= 0).nonzero().flatten()
            at = numbers[own]
            whole[:, :, at.unsqueeze(1), at] = values[:, index][:, :, own.unsqueeze(1), own]
        return whole

    def has_padding(self):
        return self.rows % self.size[0] != 0 or self.columns % self.size[1] != 0


def pair(value):
    if isinstance(value, int):
        return value, value
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(
            isinstance(side, int) for side in value):
        return tuple(value)
    return None


def sides_of(frame):
    """(rows, columns) of the tokens that a block gets."""
    tensor = next((arg for arg in frame.args if isinstance(arg, torch.Tensor)), None)
    if tensor is None:
        return None
    if tensor.dim() == 4:  # [B, rows, columns, channels]
        return tuple(tensor.shape[1:3])
    told = [pair(arg) for arg in frame.args] + [pair(getattr(frame.module, "input_resolution", 0))]
    for sides in told:
        if sides and tensor.dim() == 3 and sides[0] * sides[1] == tensor.size(1):
            return sides
    return None


def window_of(record, batch):
    """Nothing where the map is not of such windows, or they cannot be placed."""
    values = record.values
    if values.dim() != 4 or values.size(0) < batch or values.size(-1) != values.size(-2):
        return None
    for frame in reversed(record.frames):
        size = pair(getattr(frame.module, "window_size", None))
        shift = pair(getattr(frame.module, "shift_size", None))
        sides = sides_of(frame) if size and shift else None
        if sides is None:
            continue
        window = Window(*sides, size, shift)
        fits = size[0] * size[1] == values.size(-1) and window.count() * batch == values.size(0)
        return window if fits else None
    return None
