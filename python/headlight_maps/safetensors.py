# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes safetensors files without other packages, replacing whole files only."""
import ctypes
import json
import os
import pathlib
import struct
import sys
import tempfile

import torch

from .errors import HeadlightError

DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
          torch.uint8: "U8", torch.int64: "I64"}


def header_of(tensors, metadata):
    header, offset = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * tensor.element_size()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # numbers begin at multiples of their size
    return struct.pack("<Q", len(text)) + text


def bytes_of(tensor):
    """Its memory, without a copy and without numpy."""
    size = tensor.numel() * tensor.element_size()
    if size == 0:
        return b""
    return memoryview((ctypes.c_char * size).from_address(tensor.data_ptr()))


def write_all(stream, tensors, metadata):
    stream.write(header_of(tensors, metadata))
    for tensor in tensors.values():
        whole = tensor.detach().cpu().contiguous()  # alive while its memory is read
        stream.write(bytes_of(whole))
    stream.flush()
    os.fsync(stream.fileno())


def readable_mode():
    """What a new file is allowed here; temporary files are more private."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def write(path, tensors, metadata):
    """The old file or the new one is always there whole. Errors: HeadlightError names the file."""
    if sys.byteorder != "little":
        raise HeadlightError(path, "can only be written on little-endian machines")
    path = pathlib.Path(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            write_all(stream, tensors, metadata)
        os.chmod(temporary, readable_mode())
        os.replace(temporary, path)
    except OSError as error:
        raise HeadlightError(path, f"cannot be written ({error.strerror}); free space there or give "
                             "another path") from None
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
    return path
