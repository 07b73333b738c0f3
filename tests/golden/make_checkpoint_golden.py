"""Makes the golden files of the checkpoint tests that are not copies of published vectors.

    PYTHONPATH=<timm> python3 make_checkpoint_golden.py     (torch 1.13 or newer, timm 1.0)

torch_varied.pth is what torch.save writes of the things that checkpoints hold in practice;
torch_varied.safetensors is what must be read from it. position_resize.safetensors holds position
embeddings and what timm's resample_abs_pos_embed makes of them.
"""
import argparse
import collections
import json
import pathlib
import struct

import torch

HERE = pathlib.Path(__file__).parent
NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
         torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
         torch.uint8: "U8", torch.bool: "BOOL"}


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = bytes(tensor.detach().contiguous().flatten().view(torch.uint8).tolist()
                    if tensor.numel() and tensor.dtype != torch.bool
                    else tensor.flatten().to(torch.uint8).tolist())
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def varied():
    generator = torch.Generator().manual_seed(7)
    base = torch.randint(-100, 100, (4, 6), generator=generator)
    weights = collections.OrderedDict()
    for dtype, name in NAMES.items():
        weights[f"dtype.{name}"] = (base / 3).to(dtype) if dtype.is_floating_point else base.to(dtype)
    shared = torch.rand(5, 8, generator=generator)
    weights["shared.whole"] = shared
    weights["shared.again"] = shared
    weights["shared.rows"] = shared[1:3]
    weights["shared.columns"] = shared[:, 2:7:2]
    weights["shared.transposed"] = shared.t()
    weights["expanded"] = torch.tensor([1.0, 2.0]).expand(3, 2)
    weights["scalar"] = torch.tensor(2.5)
    weights["empty"] = torch.empty(0, 3)
    weights["parameter"] = torch.nn.Parameter(torch.rand(3, generator=generator))
    weights._metadata = collections.OrderedDict(version=1)
    expected = {name: tensor for name, tensor in weights.items()}
    wrapped = collections.OrderedDict(("module." + n, t) for n, t in weights.items())
    wrapped["module.complex"] = torch.ones(2, dtype=torch.complex64)
    wrapped["module.count"] = 3
    wrapped._metadata = weights._metadata
    state = collections.defaultdict(dict)
    state[0]["step"] = torch.tensor(1.0)
    return {"state_dict": {"decoy": torch.zeros(1)}, "state_dict_ema": wrapped,
            "optimizer": {"state": state, "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999)}]},
            "args": argparse.Namespace(model="vit", path=pathlib.PurePosixPath("/x")),
            "big": 1 << 80, "negative": -(1 << 40), "seen": {1, 2}, "raw": b"\x00\xff",
            "epoch": 3, "metric": None}, expected


def resizes():
    from timm.layers.pos_embed import resample_abs_pos_embed
    generator = torch.Generator().manual_seed(11)
    tensors = {}
    for name, side, size, prefix in [("shrink", 14, (12, 12), 1), ("grow", 7, (10, 10), 2),
                                     ("oblong", 8, (6, 11), 1), ("bare", 6, (9, 9), 0)]:
        source = torch.randn(1, side * side + prefix, 5, generator=generator)
        tensors[name + ".from"] = source
        tensors[name + ".to"] = resample_abs_pos_embed(source, list(size), num_prefix_tokens=prefix)
    return tensors


if __name__ == "__main__":
    checkpoint, expected = varied()
    torch.save(checkpoint, HERE / "torch_varied.pth")
    write_safetensors(HERE / "torch_varied.safetensors", expected)
    write_safetensors(HERE / "position_resize.safetensors", resizes())
