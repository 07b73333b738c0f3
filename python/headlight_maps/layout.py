# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the tokens of a map lie: a grid of patches behind a few prefix tokens.

The grid is that of a feature map (of a convolution or pooling) that the model made before, so it is
right at every image size. Where no feature map fits any layer, as with patches cut by hand, patches
are taken to have the image's proportions, and a note says so.
"""
import math

import torch

from .errors import HeadlightError

# Tokens before the patches, where the model does not say how many: class, distillation, registers.
MOST_PREFIX = 9
USUAL_PREFIXES = (0, 1, 2, 4, 5, 8, 9)
# Headlight's own bound.
MOST_SHOWN_PREFIX = 1026


def first_attribute(model, name, kind):
    """Of the first module, or module's config, that has it."""
    for module in model.modules():
        for owner in (module, getattr(module, "config", None)):
            value = getattr(owner, name, None)
            if isinstance(value, kind) and not isinstance(value, bool):
                return value
    return None


class Layout:
    """What caller and model say about tokens."""

    def __init__(self, model, grid=None, prefix=None, registers=None, image_size=None):
        self.grid = self.checked_grid(grid)
        self.given_prefix = self.checked_count("prefix", prefix)
        told = first_attribute(model, "num_prefix_tokens", int)
        self.prefix = self.given_prefix if self.given_prefix is not None else told
        self.registers = self.checked_count("registers", registers)
        for name in ("num_reg_tokens", "num_register_tokens"):
            if self.registers is None:
                self.registers = first_attribute(model, name, int)
        self.suffix = first_attribute(model, "num_detection_tokens", int) or 0
        self.image_size = image_size

    @staticmethod
    def checked_grid(grid):
        if grid is None:
            return None
        sides = tuple(grid) if isinstance(grid, (list, tuple)) else ()
        if len(sides) != 2 or not all(isinstance(side, int) and side > 0 for side in sides):
            raise HeadlightError("grid", f"must be (rows, columns) of patches, not {grid!r}")
        return sides

    @staticmethod
    def checked_count(name, count):
        if count is not None and (not isinstance(count, int) or not 0 <= count <= MOST_SHOWN_PREFIX):
            raise HeadlightError(
                name, f"must be a whole number from 0 to {MOST_SHOWN_PREFIX}, not {count!r}")
        return count

    def fits(self, tokens, grid):
        rest = tokens - grid[0] * grid[1]
        if self.given_prefix is not None:
            return rest == self.given_prefix
        return rest == self.prefix or 0 <= rest <= MOST_PREFIX

    def seen(self, tokens, grids, counts_tokens):
        """(rows, columns) of the newest feature map that fits; the model's own prefix counts most."""
        if self.grid is not None:
            return self.grid if self.fits(tokens, self.grid) else None
        fitting = [grid for grid in reversed(grids) if self.fits(tokens, grid)]
        exact = [grid for grid in fitting if tokens - grid[0] * grid[1] == self.prefix]
        thinned = [grid for grid in halves_of(grids) if grid[0] * grid[1] == tokens]
        return (exact or fitting or (thinned if counts_tokens else []) or [None])[0]

    def assumed(self, tokens):
        """In the image's proportions, behind the fewest usual prefix tokens."""
        height, width = self.image_size or (1, 1)
        for prefix in USUAL_PREFIXES if self.prefix is None else (self.prefix,):
            patches = tokens - prefix
            if patches < 1:
                continue
            rows = math.isqrt(max(1, round(patches * height / width)))
            for near in (rows, rows + 1):
                if patches % near == 0 and near * width == patches // near * height:
                    return near, patches // near
        return None


def halves_of(grids):
    """Of feature maps: what taking every second row and column leaves, again and again (LeViT)."""
    found = []
    for rows, columns in reversed(grids):
        while max(rows, columns) > 1:
            rows, columns = -(-rows // 2), -(-columns // 2)
            found.append((rows, columns))
    return found


def require_order(model):
    """Errors: a model that is known to reorder its tokens, so that no grid is right."""
    for name, module in model.named_modules():
        if type(module).__name__ == "Unroll":
            raise HeadlightError(name, "reorders tokens (as Hiera does), so where they lie in the "
                                 "image is not known; its maps cannot be shown")


def counts_tokens(record, tokens):
    """Whether the module that has the map was given so many tokens, as far as that can be seen."""
    for frame in reversed(record.frames[1:]):
        shapes = [arg.shape for arg in frame.args if isinstance(arg, torch.Tensor)]
        if any(len(shape) == 3 for shape in shapes):
            return any(tokens in shape[:2] for shape in shapes if len(shape) == 3)
    return True


def without_suffix(values, patches_and_prefix, prefix, suffix):
    """(maps, prefix): tokens behind the patches stand before them, or are left out if too many."""
    if prefix + suffix > MOST_SHOWN_PREFIX:
        return values[..., :patches_and_prefix, :patches_and_prefix], prefix
    order = (list(range(prefix)) + list(range(patches_and_prefix, patches_and_prefix + suffix)) +
             list(range(prefix, patches_and_prefix)))
    return values[..., order, :][..., order], prefix + suffix
