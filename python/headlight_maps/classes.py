# SPDX-License-Identifier: GPL-3.0-or-later
"""Logits in a model's output, and the names of their columns."""
import collections.abc
import re
import sys

import torch

from .errors import HeadlightError

HEADS = {"head", "heads", "head_dist", "fc", "classifier", "cls_classifier"}


def tensor_in(output):
    """(tensor, whether the output itself calls it logits)."""
    if isinstance(output, torch.Tensor):
        return output, False
    if isinstance(output, collections.abc.Mapping) or hasattr(output, "logits"):
        found = output.get("logits") if hasattr(output, "get") else getattr(output, "logits", None)
        return (found, True) if isinstance(found, torch.Tensor) else (None, False)
    if isinstance(output, (list, tuple)) and output and isinstance(output[0], torch.Tensor):
        return output[0], False
    return None, False


def is_classifier(model, classes):
    """Whether the model says that its output has so many classes."""
    for module in model.modules():
        if getattr(module, "num_classes", None) == classes:
            return True
    return any(isinstance(module, torch.nn.Linear) and module.out_features == classes and
               HEADS & set(name.split(".")) for name, module in model.named_modules())


def logits_of(model, output, batch, wanted, notes):
    """[B, classes], or None. `wanted`: True, False, or None to tell by model and output."""
    if wanted is False:
        return None
    tensor, named = tensor_in(output)
    if tensor is None or tensor.dim() != 2 or tensor.size(0) != batch:
        if wanted or named:
            shape = "none" if tensor is None else list(tensor.shape)
            notes.append(f"the logits are left out: they must be [{batch}, classes], but the output "
                         f"has {shape}")
        return None
    if not wanted and getattr(model, "num_classes", None) == 0:
        return None  # timm's way to say that the output is features
    if not (wanted or named or is_classifier(model, tensor.size(1))):
        notes.append(f"the output {list(tensor.shape)} is taken for logits; logits=False leaves it "
                     "out, logits=True confirms it")
    return tensor.detach().float().cpu()


def as_list(names, where):
    if isinstance(names, collections.abc.Mapping):
        try:
            named = {int(key): name for key, name in names.items()}
        except (TypeError, ValueError):
            raise HeadlightError(where, "must have the columns' numbers as keys, from 0") from None
        if sorted(named) != list(range(len(named))):
            raise HeadlightError(where, f"must name each column from 0 to {len(named) - 1} once")
        names = [named[index] for index in range(len(named))]
    if isinstance(names, str) or not isinstance(names, collections.abc.Sequence) or not all(
            isinstance(name, str) for name in names):
        raise HeadlightError(where, "must be a list of names, one for each column of the logits, or "
                             "a mapping from column to name")
    return list(names)


def checked(names, classes):
    names = as_list(names, "class_names")
    if len(names) != classes:
        raise HeadlightError("class_names", f"has {len(names)} names, but the logits have {classes} "
                             "columns; give one name for each column, in their order")
    return names


def of_config(model):
    """transformers' id2label, unless it only counts."""
    for module in model.modules():
        labels = getattr(getattr(module, "config", None), "id2label", None)
        if isinstance(labels, dict) and labels:
            plain = all(re.fullmatch(r"LABEL_\d+", str(name)) for name in labels.values())
            return None if plain else labels
    return None


def of_imagenet(model, notes):
    """For models of timm and torchvision with 1000 classes."""
    library = type(model).__module__.split(".")[0]
    names = None
    if library == "timm" and hasattr(sys.modules["timm"].data, "ImageNetInfo"):
        data = sys.modules["timm"].data
        info = data.ImageNetInfo("imagenet-1k")
        names = [info.index_to_description(index) for index in range(1000)]
        if data.infer_imagenet_subset(model) == "imagenet-1k":
            return names  # its weights' description says so
    if library == "torchvision":
        from torchvision.models import _meta
        names = getattr(_meta, "_IMAGENET_CATEGORIES", None)
    if names:
        notes.append(f"class names are taken to be those of ImageNet-1k, as {library}'s models with "
                     "1000 classes usually have; class_names gives others")
    return names


def names_of(model, classes, given, notes):
    """One name a column, or an empty list. Errors: `given` names of another number."""
    if given is not None:
        return checked(given, classes)
    from .inputs import timm_config
    found = of_config(model) or (timm_config(model) or {}).get("label_names")
    if found is None and classes == 1000:
        found = of_imagenet(model, notes)
    if found is None:
        return []
    try:
        return checked(found, classes)
    except HeadlightError as error:
        notes.append(f"the model's class names are left out: {error}")
        return []
