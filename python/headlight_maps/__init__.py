# SPDX-License-Identifier: GPL-3.0-or-later
"""Attention maps of any PyTorch model for Headlight, and Headlight's runs as tensors.

    import headlight_maps
    headlight_maps.show(model, image)                       # opens the window
    headlight_maps.save(model, image, "maps.safetensors")   # writes the file that it opens
    maps = headlight_maps.collect(model, image)             # the same as tensors
    run = headlight_maps.load("runs/a")                     # metrics and evolution of a run
    headlight_maps.save_teacher("t.safetensors", names, logits)  # to distill from

`model` is any torch.nn.Module with softmax attention: timm, transformers (SDPA or eager),
torchvision, torch.nn.MultiheadAttention or one's own. It is neither changed nor copied. `image` is
what the model takes: a tensor [3, H, W] or [B, 3, H, W], or a mapping of keyword arguments as a
processor returns it; with `transform`, also a path, a PIL image or what the transform takes.

Errors are HeadlightError. What was assumed or left out is in `Maps.notes`, and a warning.
"""
from .api import collect, save, show
from .errors import HeadlightError, HeadlightWarning
from .maps import Layer, Maps
from .runs import Run, load
from .teacher import save_teacher
from .evolution import Evolution
from .window import open_window

__version__ = "0.3.0"
__all__ = ["collect", "save", "show", "load", "open_window", "save_teacher", "Maps", "Layer",
           "Run", "Evolution", "HeadlightError", "HeadlightWarning"]
