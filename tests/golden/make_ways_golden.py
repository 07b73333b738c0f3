"""Class relevance, attention x gradient, Grad-CAM, similarity, depth and principal components of the
golden vit_micro, from PyTorch's own autograd over explicit matrices, in double precision.

    python3 make_ways_golden.py vit_micro.safetensors vit_micro.io.safetensors ways_micro.safetensors
"""

import json
import struct
import sys

import torch

HEADS, CLASS = 3, 4


def read(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            assert entry["dtype"] == "F32"
            values = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32)
            tensors[name] = values.reshape(entry["shape"]).double()
    return tensors


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def norm(x, w, name):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], 1e-6)


def linear(x, w, name):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def run(w, image, depth):
    patch = w["patch_embed.proj.weight"].shape[-1]
    cells = torch.nn.functional.conv2d(image[None], w["patch_embed.proj.weight"],
                                       w["patch_embed.proj.bias"], stride=patch)
    x = torch.cat([w["cls_token"], cells.flatten(2).transpose(1, 2)], 1) + w["pos_embed"]
    x = x[0].requires_grad_(True)
    tokens, width = x.shape
    maps, entering, after = [], [], []
    for layer in range(depth):
        b = f"blocks.{layer}."
        e = norm(x, w, b + "norm1")
        entering.append(e)
        q, k, v = linear(e, w, b + "attn.qkv").reshape(tokens, 3, HEADS, -1).permute(1, 2, 0, 3)
        a = (q @ k.transpose(-2, -1) / (width // HEADS) ** 0.5).softmax(-1)
        a.retain_grad()
        maps.append(a)
        x = x + linear((a @ v).transpose(0, 1).reshape(tokens, width), w, b + "attn.proj")
        m = torch.nn.functional.gelu(linear(norm(x, w, b + "norm2"), w, b + "mlp.fc1"))
        x = x + linear(m, w, b + "mlp.fc2")
        after.append(x)
    entering[-1].retain_grad()
    return maps, entering, after


def head(w, x):
    return linear(norm(x, w, "norm")[0], w, "head")


def main():
    w, inputs = read(sys.argv[1]), read(sys.argv[2])["input"]
    depth = 1 + max(int(name.split(".")[1]) for name in w if name.startswith("blocks."))
    out = {name: [] for name in ("relevance", "attention-gradient", "grad-cam", "similarity", "depth")}
    features = []
    for image in inputs:
        maps, entering, after = run(w, image, depth)
        head(w, after[-1])[CLASS].backward()
        r = torch.eye(maps[0].shape[-1], dtype=torch.double)
        for a in maps:
            factor = (a.grad * a).clamp(min=0).mean(0)
            r = r + factor @ r
        out["relevance"].append(r[0, 1:])
        out["attention-gradient"].append(factor[0, 1:])
        f, g = entering[-1][1:], entering[-1].grad[1:]
        out["grad-cam"].append((f @ g.mean(0)).clamp(min=0))
        x = norm(after[-1], w, "norm").detach()
        features.append(x)
        unit = x / x.norm(dim=-1, keepdim=True)
        out["similarity"].append(unit[1:] @ unit[1 + 6])  # patch 6
        out["depth"].append(torch.stack([head(w, t).softmax(0) for t in after]))
    out = {name: torch.stack(values) for name, values in out.items()}
    out["features"] = torch.stack(features)
    rows = out["features"][:, 1:].reshape(-1, out["features"].shape[-1])
    rows = rows - rows.mean(0)
    _, _, axes = torch.linalg.svd(rows, full_matrices=False)
    axes = axes[:3].T
    axes = axes * axes.gather(0, axes.abs().argmax(0, keepdim=True)).sign()
    scores = rows @ axes
    low, high = scores.min(0).values, scores.max(0).values
    out["colors"] = ((scores - low) / (high - low)).reshape(len(inputs), -1, 3)
    write(sys.argv[3], out)


main()
