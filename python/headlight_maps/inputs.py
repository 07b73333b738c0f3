# SPDX-License-Identifier: GPL-3.0-or-later
"""From what a person has (a tensor, a path, a processor's result) to what the model takes, and back
to the image that it sees."""
import collections.abc
import os
import sys

import torch

from .errors import HeadlightError

HOW_TO_TRANSFORM = ("pass what turns it into the model's input as transform: torchvision's "
                    "weights.transforms(), timm.data.create_transform(…) or a processor of "
                    "transformers")


class Inputs:
    """What a model is called with."""

    def __init__(self, args, kwargs, pixels, mean, std, grid=None):
        self.args, self.kwargs = args, kwargs
        self.pixels = pixels  # [B, channels, H, W], normalized; None: there is no image
        self.mean, self.std = mean, std
        self.grid = grid  # (rows, columns) of patches, where the inputs say it

    def padded(self):
        """(tokens, patches) where patches that were cut before are filled up to one length."""
        values = self.kwargs.get("pixel_values")
        if self.grid is None or values is None:
            return None
        return values.size(1), self.grid[0] * self.grid[1]

    def batch(self):
        tensors = [self.pixels, *self.args, self.kwargs.get("pixel_values")]
        return next(t.size(0) for t in tensors if isinstance(t, torch.Tensor))


def is_path(value):
    return isinstance(value, (str, os.PathLike))


def opened(value):
    """An RGB image of PIL where `value` is a path."""
    if not is_path(value):
        return value.convert("RGB") if hasattr(value, "convert") else value
    try:
        from PIL import Image
    except ImportError:
        raise HeadlightError(os.fspath(value), "needs Pillow to be read: pip install pillow, or "
                             "pass the image as a tensor") from None
    try:
        with Image.open(value) as image:
            return image.convert("RGB")
    except OSError as error:
        raise HeadlightError(os.fspath(value), f"cannot be read as an image ({error})") from None


def is_processor(transform):
    return hasattr(transform, "image_mean") or hasattr(transform, "image_processor")


def timm_config(model):
    for module in model.modules():
        config = getattr(module, "pretrained_cfg", None) or getattr(module, "default_cfg", None)
        if type(module).__module__.startswith("timm.") and isinstance(config, dict):
            return config
    return None


def default_transform(model, where):
    """timm's models know theirs."""
    if timm_config(model) is None or "timm" not in sys.modules:
        raise HeadlightError(where, f"is no tensor; {HOW_TO_TRANSFORM}")
    data = sys.modules["timm"].data
    return data.create_transform(**data.resolve_model_data_config(model), is_training=False)


def transformed(model, image, transform):
    where = os.fspath(image) if is_path(image) else "image"
    transform = transform or default_transform(model, where)
    if is_processor(transform):
        return transform(images=opened(image), return_tensors="pt")
    return transform(image if isinstance(image, torch.Tensor) else opened(image))


def stacked(model, images, transform):
    """A list of images of one size as a batch."""
    parts = [image if isinstance(image, torch.Tensor) and transform is None
             else transformed(model, image, transform) for image in images]
    if parts and isinstance(parts[0], collections.abc.Mapping):
        return {key: torch.cat([part[key] for part in parts]) for key in parts[0]
                if isinstance(parts[0][key], torch.Tensor)}
    parts = [part[0] if part.dim() == 4 and part.size(0) == 1 else part for part in parts]
    if not parts or any(part.shape != parts[0].shape for part in parts):
        raise HeadlightError("image", "a list must hold images of one size; crop or resize them, or "
                             "save each by itself")
    return torch.stack(parts)


def named_statistics(transform):
    """(mean, std) of a processor, a preset of torchvision, or a Normalize within a Compose."""
    for part in [transform, getattr(transform, "image_processor", None),
                 *getattr(transform, "transforms", [])]:
        for mean, std in (("image_mean", "image_std"), ("mean", "std")):
            found = [getattr(part, name, None) for name in (mean, std)]
            if all(value is not None for value in found):
                return found
    return None, None


def three(name, values):
    if values is None:
        return None
    try:
        numbers = [float(value) for value in values]
    except TypeError:
        numbers = []
    if len(numbers) not in (1, 3):
        raise HeadlightError(name, "must be three numbers, one for each color")
    return numbers if len(numbers) == 3 else numbers * 3


def statistics(model, transform, mean, std):
    found = named_statistics(transform)
    config = timm_config(model) or {}
    return (three("mean", mean if mean is not None else found[0] or config.get("mean")),
            three("std", std if std is not None else found[1] or config.get("std")))


def on_device(model, tensor):
    """Numbers in the model's own precision, where its weights are."""
    weights = next((p for p in model.parameters() if p.is_floating_point()), None)
    if weights is None:
        return tensor
    return tensor.to(weights.device, weights.dtype if tensor.is_floating_point() else None)


def image_of_patches(values, shapes):
    """[B, 3, H, W] and the grid of patches that were cut before (SigLIP 2's NaFlex)."""
    rows, columns = (int(side) for side in shapes[0])
    side = round((values.size(-1) / 3) ** 0.5)
    if not (shapes == shapes[0]).all() or rows * columns > values.size(1):
        return None, None
    if side * side * 3 != values.size(-1):
        return None, (rows, columns)
    patches = values[:, :rows * columns].reshape(-1, rows, columns, side, side, 3)
    return (patches.permute(0, 5, 1, 3, 2, 4).reshape(-1, 3, rows * side, columns * side),
            (rows, columns))


def of_mapping(model, mapping, mean, std):
    kwargs = {key: on_device(model, value) if isinstance(value, torch.Tensor) else value
              for key, value in mapping.items()}
    pixels, grid = kwargs.get("pixel_values"), None
    if not isinstance(pixels, torch.Tensor):
        raise HeadlightError("image", "has no \"pixel_values\"; pass the processor's result with "
                             "return_tensors=\"pt\"")
    if pixels.dim() == 3 and "spatial_shapes" in kwargs:
        pixels, grid = image_of_patches(pixels, kwargs["spatial_shapes"])
    return Inputs([], kwargs, pixels if pixels is not None and pixels.dim() == 4 else None, mean, std,
                  grid)


def prepared(model, image, transform=None, mean=None, std=None):
    """Inputs. Errors: an image that needs a transform, tensors of another shape or of integers."""
    mean, std = statistics(model, transform, mean, std)
    if isinstance(image, (list, tuple)):
        image = stacked(model, image, transform)
    elif not isinstance(image, collections.abc.Mapping) and (
            transform is not None or not isinstance(image, torch.Tensor)):
        image = transformed(model, image, transform)
    if isinstance(image, collections.abc.Mapping):
        return of_mapping(model, image, mean, std)
    if not isinstance(image, torch.Tensor) or image.dim() not in (3, 4) or image.numel() == 0:
        shape = list(getattr(image, "shape", [])) or type(image).__name__
        raise HeadlightError("image", f"must be [3, H, W] or [B, 3, H, W], not {shape}; "
                             f"{HOW_TO_TRANSFORM}")
    if not image.is_floating_point():
        raise HeadlightError("image", f"holds whole numbers ({image.dtype}), but models take "
                             f"normalized colors; {HOW_TO_TRANSFORM}")
    pixels = on_device(model, image if image.dim() == 4 else image.unsqueeze(0))
    return Inputs([pixels], {}, pixels, mean, std)


def visible(inputs):
    """What the file shows: ("images", bytes [B, H, W, 3]), or ("input", as it is); None: nothing.

    Colors within 0 to 1 are taken as they are, others are denormalized. Without mean and std the
    file has the input, and Headlight stretches and says so.
    """
    pixels = inputs.pixels
    if pixels is None or pixels.size(1) not in (1, 3):
        return None
    pixels = pixels.detach().float().cpu()
    plain = pixels.min() >= -1e-3 and pixels.max() <= 1 + 1e-3
    if not plain and (inputs.mean is None or inputs.std is None):
        return "input", pixels.contiguous()
    if not plain:
        mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (inputs.mean, inputs.std))
        pixels = pixels * std + mean
    shares = pixels.clamp(0, 1).permute(0, 2, 3, 1)
    return "images", (shares * 255).round().to(torch.uint8).contiguous()
