# SPDX-License-Identifier: GPL-3.0-or-later
"""headlight-cli for the tests, and a reader of the files that it writes."""
import json
import os
import struct
import subprocess
import unittest

import torch

CLI = os.environ.get("HEADLIGHT_CLI")
needs_cli = unittest.skipUnless(CLI and os.path.exists(CLI), "HEADLIGHT_CLI names no headlight-cli")
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "U8": torch.uint8,
          "I64": torch.int64}


def run(*arguments, folder=None):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    done = subprocess.run([CLI, *map(str, arguments)], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"headlight-cli {arguments} ended with {done.returncode}: {done.stderr}")
    return done


def answer(*arguments, folder=None):
    return json.loads(run(*arguments, "--json", folder=folder).stdout)


def read_tensors(path):
    content = open(path, "rb").read()
    size, = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = torch.empty(entry["shape"], dtype=DTYPES[entry["dtype"]])
        if values.numel():
            flat = torch.frombuffer(bytearray(content[begin:end]), dtype=values.dtype)
            values = flat.view(entry["shape"])
        tensors[name] = values
    return tensors
