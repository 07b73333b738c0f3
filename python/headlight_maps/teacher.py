# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a teacher's logits or features, from which Headlight distills (data.teacher_logits)."""
import json

import torch

from . import safetensors
from .errors import HeadlightError

FORMAT = "headlight teacher"


def key_of(name):
    """FNV-1a of 64 bits, as a signed number: what a row is found by."""
    key = 0xcbf29ce484222325
    for byte in name.encode():
        key = (key ^ byte) * 0x100000001b3 % 2**64
    return key - 2**64 if key >= 2**63 else key


def rows_of(name, rows, count):
    rows = torch.as_tensor(rows)
    if rows.dim() != 2 or len(rows) != count:
        raise HeadlightError(name, f"has shape {list(rows.shape)}; give one row for each of the "
                             f"{count} names")
    if rows.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise HeadlightError(name, f"has {rows.dtype}; give floating-point numbers")
    if not torch.isfinite(rows).all():
        raise HeadlightError(name, "has numbers that are not finite; compute them again")
    return rows


def save_teacher(path, names, logits=None, features=None, class_names=None):
    """Writes what a teacher says of the images of a data set, and returns the path.

    `names`: for each image its path below the data's folder, with slashes ("train/cat/1.png"); of
    CIFAR and IDX files "FILE #NUMBER", of shards "SHARD.tar: NAME". `logits` [N, C], in the order
    of `class_names`, and `features` [N, D]: one of them, or both.
    """
    names = [str(name) for name in names]
    if logits is None and features is None:
        raise HeadlightError("save_teacher", "give logits, features or both")
    if len(set(names)) != len(names):
        raise HeadlightError("names", "holds a name twice; each image needs one of its own")
    tensors, metadata = {}, {"format": FORMAT}
    for name, rows in (("logits", logits), ("features", features)):
        if rows is not None:
            tensors[name] = rows_of(name, rows, len(names))
    if class_names is not None and logits is not None:
        if len(class_names) != tensors["logits"].size(1):
            raise HeadlightError("class_names", f"has {len(class_names)} names, but there are "
                                 f"{tensors['logits'].size(1)} logits")
        metadata["class_names"] = json.dumps([str(name) for name in class_names])
    tensors["keys"] = torch.tensor([key_of(name) for name in names], dtype=torch.int64)
    return safetensors.write(path, tensors, metadata)
