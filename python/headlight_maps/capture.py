# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the attention maps of a forward pass, whatever computes them.

A TorchFunctionMode sees every PyTorch function that the model calls:

- A fused function (scaled_dot_product_attention, multi_head_attention_forward) is called as it is,
  and its map is computed beside it from the same arguments.
- Elsewhere a map begins as a softmax over the last axis. It may then be mixed, gated, rescaled or
  dropped out; what is multiplied with the values is the map. So CaiT's talking heads and ConViT's
  gates are in it.

While a mode is on, PyTorch itself avoids the fast paths of its modules that would bypass it. Hooks
tell in which module a map arose. The model's own results stay what they are without all this.
"""
import contextlib
import weakref

import torch
from torch.overrides import TorchFunctionMode

from . import softmax
from .errors import HeadlightError

SOFTMAXES = {"softmax", "_softmax"}
PRODUCTS = {"matmul", "__matmul__", "__rmatmul__", "bmm", "einsum", "baddbmm"}
DOT_PRODUCTS = {"scaled_dot_product_attention": softmax.map_of_dot_product,
                "_scaled_dot_product_attention": softmax.map_of_private_dot_product}
# What puts tokens into another order, such as that of masked autoencoders.
SHUFFLES = {"argsort", "sort", "randperm"}
SPATIAL = {"conv2d", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d"}


class Frame:
    """A module whose forward is running."""

    def __init__(self, name, module, args):
        self.name, self.module, self.args = name, module, args
        self.records = []  # of the maps that arose in it


class Record:
    """One map, as it arose."""

    def __init__(self, values, frames, grids, shuffled):
        self.shuffled = shuffled  # whether tokens may be in another order
        self.values = values      # [.., queries, keys]
        self.name = frames[-1].name if frames else ""
        self.frames = list(frames)  # from the model to the innermost module
        self.grids = grids        # (rows, columns) of the feature maps before it
        self.tokens = None        # what the block that has this map alone returns
        self.window = None        # windows.Window; found before the frames are forgotten


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def origin(values):
    """The softmax that one of the tensors comes from: its (queries, keys), or None."""
    for tensor in tensors_in(values):
        found = getattr(tensor, "_headlight_map", None)
        if found is not None:
            return found
    return None


def is_over_last_axis(name, args, kwargs, result):
    axis = kwargs.get("dim", args[1] if len(args) > 1 and isinstance(args[1], int) else None)
    return axis in (-1, result.dim() - 1)


class CaptureMode(TorchFunctionMode):
    """Collects records; `take` gets each as soon as it is there."""

    def __init__(self, frames, take):
        super().__init__()
        self.frames, self.take = frames, take
        self.grids, self.shuffled, self.marked = [], False, []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        name = getattr(function, "__name__", "")
        self.shuffled = self.shuffled or name in SHUFFLES
        if name in DOT_PRODUCTS:
            self.record(DOT_PRODUCTS[name](*args, **kwargs))
        elif name == "multi_head_attention_forward":
            self.record(softmax.map_of_multi_head(function, args, kwargs))
        elif isinstance(result, torch.Tensor):
            self.follow(name, args, kwargs, result)
        return result

    def follow(self, name, args, kwargs, result):
        if name in SOFTMAXES:
            if result.dim() >= 3 and is_over_last_axis(name, args, kwargs, result):
                self.mark(result, tuple(result.shape[-2:]))
        elif name in SPATIAL and result.dim() == 4:
            self.grids.append(tuple(result.shape[-2:]))
        elif name in PRODUCTS:
            self.take_factor(list(args) + list(kwargs.values()))
        else:
            shape = origin(args) or origin(kwargs.values())
            if shape is not None and result.numel() > 0:
                self.mark(result, shape)

    def mark(self, tensor, shape):
        tensor._headlight_map = shape
        self.marked.append(weakref.ref(tensor))

    def unmark(self):
        """The model may keep some of the tensors."""
        for tensor in (reference() for reference in self.marked):
            if tensor is not None and hasattr(tensor, "_headlight_map"):
                del tensor._headlight_map

    def take_factor(self, values):
        for tensor in tensors_in(values):
            shape = getattr(tensor, "_headlight_map", None)
            if shape is not None and tuple(tensor.shape[-2:]) == shape and tensor.dim() >= 3:
                return self.record(softmax.precise(tensor))

    def record(self, values):
        if values.dim() < 3 or values.numel() == 0:
            return
        record = Record(values.detach(), self.frames, list(self.grids), self.shuffled)
        for frame in self.frames:
            frame.records.append(record)
        self.take(record)


def first_tensor(output):
    if isinstance(output, torch.Tensor):
        return output
    if isinstance(output, (list, tuple)) and output:
        return first_tensor(output[0])
    return None


@contextlib.contextmanager
def watched_modules(model, frames):
    """Keeps in `frames` which modules are running, from the model to the innermost."""
    handles = []

    def enter(name):
        return lambda module, args: frames.append(Frame(name, module, args))

    def leave(module, args, output):
        frame = frames.pop()
        if len(frame.records) == 1:
            state = first_tensor(output)
            if state is not None and state.dim() in (3, 4):
                frame.records[0].tokens = (frame.name, state.detach())

    for name, module in model.named_modules():
        if isinstance(module, torch.jit.ScriptModule):
            continue
        handles.append(module.register_forward_pre_hook(enter(name)))
        handles.append(module.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def evaluation_mode(model):
    """Without dropout; afterwards every module trains or not as it did."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


@contextlib.contextmanager
def uncompiled():
    """Compiled functions run as they were written: a graph hides what it calls."""
    stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
    with stance("force_eager") if stance else contextlib.nullcontext():
        yield


def unwrapped(model):
    """Without what torch.compile and data parallelism put around a model."""
    for _ in range(8):
        inner = getattr(model, "_orig_mod", None)
        if inner is None and isinstance(model, (torch.nn.DataParallel,
                                                torch.nn.parallel.DistributedDataParallel)):
            inner = model.module
        if not isinstance(inner, torch.nn.Module):
            return model
        model = inner
    return model


def run(model, args, kwargs, take):
    """The model's output; `take(record)` gets every map while it runs."""
    if isinstance(model, torch.jit.ScriptModule):
        raise HeadlightError(
            type(model).__name__,
            "is a TorchScript module, whose functions cannot be seen; pass the torch.nn.Module "
            "that it was made from")
    frames = []
    mode = CaptureMode(frames, take)
    with torch.no_grad(), evaluation_mode(model), uncompiled(), watched_modules(model, frames):
        try:
            with mode:
                return model(*args, **kwargs)
        finally:
            mode.unmark()
