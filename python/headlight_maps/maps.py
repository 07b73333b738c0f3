# SPDX-License-Identifier: GPL-3.0-or-later
"""What a forward pass gave: every layer's maps with where their tokens lie, and the rest of the
file that Headlight opens (its help page "Maps from anywhere" has the format)."""
import dataclasses
import json
import os
import typing

import torch

from . import safetensors, window
from .errors import HeadlightError


@dataclasses.dataclass
class Layer:
    number: int         # attention.N in the file
    name: str           # of the module whose attention it is
    maps: torch.Tensor  # [B, heads, T, T]; row = query
    grid: tuple         # (rows, columns) of patches
    prefix: int         # tokens before the patches
    # [B, T, width]: what the layer's block returns. Not in the file, as nothing shows it there.
    tokens: typing.Optional[torch.Tensor] = None


@dataclasses.dataclass
class Maps:
    layers: list
    image: typing.Optional[tuple] = None  # (tensor's name in the file, tensor)
    logits: typing.Optional[torch.Tensor] = None  # [B, classes]
    class_names: list = dataclasses.field(default_factory=list)
    registers: typing.Optional[int] = None  # the last of the prefix tokens; None: not known
    notes: list = dataclasses.field(default_factory=list)  # what was assumed or left out
    name: str = "maps"  # of the model's class; show() calls its file so

    def __repr__(self):
        last = self.layers[-1]
        return (f"Maps({len(self.layers)} layers, {list(last.maps.shape)} in the last, "
                f"{last.grid[0]} x {last.grid[1]} patches after {last.prefix})")

    def tensors(self):
        """By their names in the file."""
        tensors = {f"attention.{layer.number}": layer.maps for layer in self.layers}
        for layer in self.layers:
            tensors[f"grid.{layer.number}"] = torch.tensor(layer.grid)
        if self.image is not None:
            tensors[self.image[0]] = self.image[1]
        if self.logits is not None:
            tensors["logits"] = self.logits
        return tensors

    def metadata(self):
        metadata = {"modules": json.dumps({layer.number: layer.name for layer in self.layers})}
        if len({layer.prefix for layer in self.layers}) == 1:
            metadata["prefix"] = str(self.layers[0].prefix)
        if self.registers is not None:
            metadata["registers"] = str(self.registers)
        if self.class_names:
            metadata["class_names"] = json.dumps(self.class_names)
        return metadata

    def save(self, path="maps.safetensors"):
        """Writes the file that Headlight opens, and returns its path."""
        if os.path.isdir(path):
            raise HeadlightError(path, "is a folder; give the name of a file in it, such as "
                                 f"{os.path.join(path, 'maps.safetensors')}")
        return safetensors.write(path, self.tensors(), self.metadata())

    def show(self, path=None, program=None):
        """Opens the maps in the window; `path` keeps the file, otherwise it is temporary."""
        path = self.save(path or window.temporary_path(self.name))
        window.open_window([path], program)
        return path
