# SPDX-License-Identifier: GPL-3.0-or-later
"""collect, save and show: a forward pass under watch, and what becomes of its maps."""
import warnings

import torch

from . import capture, classes, inputs, windows
from .errors import HeadlightError, HeadlightWarning
from .layout import Layout, counts_tokens, require_order, without_suffix
from .maps import Layer, Maps

WHY_NONE = ("no softmax attention was seen. Kernels outside PyTorch (flash-attn, xformers), "
            "flex_attention and TorchScript hide theirs: load the model with SDPA or eager "
            "attention (transformers: attn_implementation=\"eager\")")


class Collector:
    """Brings each map into [B, heads, T, T] as soon as it is there."""

    def __init__(self, batch, layout, only, dtype, padded=None):
        self.batch, self.layout, self.dtype = batch, layout, dtype
        self.padded = padded  # (tokens, of them patches): the rest is padding
        self.only = [only] if isinstance(only, str) else only
        self.records, self.left_out, self.count = [], [], 0

    def take(self, record):
        record.number, self.count = self.count, self.count + 1
        reason = self.reason_to_leave(record)
        if reason:
            self.left_out.append(f"{record.name} {list(record.values.shape)}: {reason}")
            record.values = None
        else:
            record.values = record.values.to(self.dtype)
            self.records.append(record)
        record.frames = ()  # with all activations of the modules

    def reason_to_leave(self, record):
        if self.only is not None and not any(
                record.name == part or record.name.startswith(part + ".") for part in self.only):
            return "not asked for"
        if record.shuffled and self.layout.grid is None:
            return ("tokens were sorted before it, as masked autoencoders do; if they are in order "
                    "nevertheless, give grid=(rows, columns)")
        record.window = windows.window_of(record, self.batch)
        if record.window is not None:
            return self.reason_not_to_spread(record)
        values = record.values
        if values.dim() == 3 and values.size(0) % self.batch == 0:
            values = values.view(self.batch, -1, *values.shape[-2:])
        if values.dim() != 4 or values.size(0) != self.batch:
            return "attention within parts of the image whose places are unknown"
        if values.size(-1) != values.size(-2):
            return "not tokens × tokens"
        if self.padded and values.size(-1) == self.padded[0]:
            values = values[..., :self.padded[1], :self.padded[1]]
        record.values = values.cpu()
        record.counts_tokens = counts_tokens(record, values.size(-1))
        return ""

    def reason_not_to_spread(self, record):
        tokens = record.window.rows * record.window.columns
        size = self.batch * record.values.size(1) * tokens * tokens * 4
        if size > windows.MOST_BYTES:
            return f"its map over all tokens would take {size / 1e9:.0f} GB; use smaller images"
        record.values = record.window.spread(record.values.cpu(), self.batch)
        record.counts_tokens = True
        return ""

    def place(self, grid_of):
        """Layers whose tokens `grid_of(record, tokens)` can place."""
        layers = []
        for record in self.records:
            tokens = record.values.size(-1) - self.layout.suffix
            grid = grid_of(record, tokens)
            if grid is not None:
                layers.append(self.layer(record, grid, tokens))
        return layers

    def layer(self, record, grid, tokens):
        values, prefix = record.values, tokens - grid[0] * grid[1]
        if self.layout.suffix:
            values, prefix = without_suffix(values, tokens, prefix, self.layout.suffix)
        return Layer(record.number, record.name, values.contiguous(), grid, prefix,
                     self.states(record, tokens))

    def states(self, record, tokens):
        if record.tokens is None or self.layout.suffix:
            return None
        state = record.tokens[1]
        if state.dim() == 4:  # [B, rows, columns, width]
            state = state.reshape(state.size(0), -1, state.size(-1))
        fits = state.size(0) == self.batch and state.size(1) == tokens
        return state.to("cpu", torch.float32).contiguous() if fits else None


def seen_grid(layout):
    def grid_of(record, tokens):
        if record.window is not None:
            return record.window.rows, record.window.columns
        return layout.seen(tokens, record.grids, record.counts_tokens)
    return grid_of


def assumed_grid(layout):
    return lambda record, tokens: layout.assumed(tokens) if record.counts_tokens else None


def placed(collector, layout, notes):
    layers = collector.place(seen_grid(layout))
    if not layers and layout.grid is None:
        layers = collector.place(assumed_grid(layout))
        if layers:
            grid = layers[0].grid
            notes.append(f"the grid of patches was not seen; assuming {grid[0]} x {grid[1]} after "
                         f"{layers[0].prefix} prefix tokens. grid=(rows, columns) gives another")
    numbers = {layer.number for layer in layers}
    for record in collector.records:
        if record.number not in numbers:
            tokens = record.values.size(-1)
            collector.left_out.append(f"{record.name}: {tokens} tokens fit no grid of patches seen; "
                                      "give grid=(rows, columns) and prefix")
    return layers


def require(layers, collector, output):
    if layers:
        return
    if collector.left_out:
        raise HeadlightError("the model's maps", "cannot be shown. " + "; ".join(
            collector.left_out[:4]) + (", …" if len(collector.left_out) > 4 else ""))
    raise HeadlightError("the model", WHY_NONE)


def say_what_is_left_out(collector, notes):
    parts = [text for text in collector.left_out if not text.endswith("not asked for")]
    if parts:
        notes.append(f"left out {len(parts)} of {collector.count} attention maps: " +
                     "; ".join(parts[:4]) + ("; …" if len(parts) > 4 else ""))


def note_tokens(collector, layers, layout, notes):
    if layout.suffix and layers:
        shown = layers[0].prefix >= layout.suffix
        notes.append(f"the {layout.suffix} detection tokens behind the patches " +
                     ("stand before them" if shown else
                      "are left out, so rows do not sum to 1"))
    if any(record.window is not None and record.window.has_padding()
           for record in collector.records):
        notes.append("windows reach over the edge of the image; what they attend to there is left "
                     "out, so rows there do not sum to 1")


def checked_dtype(dtype):
    if dtype not in (None, torch.float32, torch.float16, torch.bfloat16):
        raise HeadlightError("dtype", "must be torch.float32, torch.float16 or torch.bfloat16, not "
                             f"{dtype}")
    return dtype or torch.float32


def checked_model(model):
    if not isinstance(model, torch.nn.Module):
        raise HeadlightError("model", f"must be a torch.nn.Module, not {type(model).__name__}")
    return capture.unwrapped(model)


def collect(model, image, *, transform=None, mean=None, std=None, class_names=None, grid=None,
            prefix=None, registers=None, only=None, logits=None, tokens=True, dtype=None):
    """Maps of one forward pass in evaluation mode, without gradients.

    transform    turns `image` into the model's input: a callable, or a processor of transformers
    mean, std    of the normalization, to show colors; found in timm's models and in transforms
    class_names  one for each column of the logits; found in transformers' and timm's models
    grid         (rows, columns) of patches; prefix, registers: tokens before them. Found by itself
    only         name of a module, or several: only attention in there
    logits       True or False: whether the output is logits; by default told by the model
    tokens       keep what every block returns, too: Layer.tokens
    dtype        of the maps: torch.float32, torch.float16 or torch.bfloat16
    """
    dtype, model = checked_dtype(dtype), checked_model(model)
    prepared = inputs.prepared(model, image, transform, mean, std)
    size = None if prepared.pixels is None else tuple(prepared.pixels.shape[-2:])
    require_order(model)
    layout = Layout(model, grid if grid is not None else prepared.grid, prefix, registers, size)
    collector = Collector(prepared.batch(), layout, only, dtype, prepared.padded())
    output = capture.run(model, prepared.args, prepared.kwargs, collector.take)
    notes = []
    layers = placed(collector, layout, notes)
    require(layers, collector, output)
    say_what_is_left_out(collector, notes)
    note_tokens(collector, layers, layout, notes)
    return finished(model, layers, prepared, output, layout, notes, class_names, logits, tokens)


def finished(model, layers, prepared, output, layout, notes, class_names, logits, tokens):
    first = layers[0].number
    for layer in layers:
        layer.number -= first
        layer.tokens = layer.tokens if tokens else None
    known = classes.logits_of(model, output, prepared.batch(), logits, notes)
    if known is None and class_names is not None:
        raise HeadlightError("class_names", "name the columns of logits, but the output has none; "
                             "leave them out, or pass logits=True")
    names = [] if known is None else classes.names_of(model, known.size(1), class_names, notes)
    registers = layout.registers
    if layout.suffix:  # tokens for objects stand there with the registers
        registers = (registers or 0) + layout.suffix
    if registers is not None:
        registers = min(registers, min(layer.prefix for layer in layers))
    for note in notes:
        warnings.warn(note, HeadlightWarning, stacklevel=4)
    return Maps(layers, inputs.visible(prepared), known, names, registers, notes,
                type(model).__name__)


def save(model, image, path="maps.safetensors", **options):
    """Writes the maps of `image` as a file that Headlight opens, and returns its path.

    Options are those of collect().
    """
    return collect(model, image, **options).save(path)


def show(model, image, path=None, program=None, **options):
    """Opens the maps of `image` in the window, and returns the path of their file.

    A window that is open is used, otherwise one is started: `program`, the environment's HEADLIGHT,
    `headlight` in PATH, or a build beside this package. `path` keeps the file; otherwise it lies in
    the system's folder of temporary files. Other options are those of collect().
    """
    return collect(model, image, **options).show(path, program)
