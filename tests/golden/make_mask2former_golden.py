"""Weights, inputs and outputs of a micro Mask2Former's decoders, by transformers 5.24:

    python3 make_mask2former_golden.py     (torch 2, transformers)

writes mask2former_micro.safetensors (weights drawn here, under transformers' names) and
mask2former_micro.io.safetensors: maps of strides 4 to 32 (`map.0` … `map.3`), what the pixel decoder
makes of them (`level.0` … `level.2`, coarse first, and `features`) and the predictions before the
first layer and after each (`classes.I`, `masks.I`). Every parameter is drawn, those that start at 0
or 1 too. Computed in double precision, written in single.
"""
import json
import pathlib
import struct

import torch
from torch import nn
from transformers import Mask2FormerConfig
from transformers.models.mask2former.modeling_mask2former import (
    Mask2FormerPixelDecoder, Mask2FormerTransformerModule)

HERE = pathlib.Path(__file__).parent
IN, WIDTH, CLASSES, LAYERS = 12, 32, 5, 4
CONFIG = Mask2FormerConfig(feature_size=WIDTH, mask_feature_size=WIDTH, hidden_dim=WIDTH,
                           encoder_feedforward_dim=40, dim_feedforward=48, encoder_layers=2,
                           decoder_layers=LAYERS + 1, num_attention_heads=8, num_queries=7)


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Decoders(nn.Module):
    def __init__(self):
        super().__init__()
        self.pixel_decoder = Mask2FormerPixelDecoder(CONFIG, [IN] * 4)
        self.transformer_module = Mask2FormerTransformerModule(WIDTH, CONFIG)
        self.class_predictor = nn.Linear(WIDTH, CLASSES + 1)

    def draw(self):
        for name, parameter in self.named_parameters():
            centre = 1.0 if name.endswith("weight") and parameter.dim() == 1 else 0.0  # of norms
            wide = 2.0 if "sampling_offsets.bias" in name else 0.25
            if "embed" in name and "mask_embedder" not in name or "queries" in name:
                wide = 1.0
            values = centre + wide * torch.randn(parameter.shape, dtype=torch.float32)
            parameter.data.copy_(values)


def main():
    torch.manual_seed(14)
    model = Decoders().eval()
    model.draw()
    maps = [torch.randn(2, IN, 16 // 2 ** i, 24 // 2 ** i) for i in range(4)]
    with torch.no_grad():  # so that masks have both signs, and queries see a part
        means = model.pixel_decoder(maps).mask_features.mean((0, 2, 3))
        model.pixel_decoder.mask_projection.bias -= means
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.double()
    with torch.no_grad():
        pixels = model.pixel_decoder([m.double() for m in maps])
        found = model.transformer_module(list(pixels.multi_scale_features), pixels.mask_features)
        classes = [model.class_predictor(hidden.transpose(0, 1))
                   for hidden in found.intermediate_hidden_states]
    io = {f"map.{i}": m for i, m in enumerate(maps)}
    io.update({f"level.{i}": m for i, m in enumerate(pixels.multi_scale_features)})
    io["features"] = pixels.mask_features
    for i, masks in enumerate(found.masks_queries_logits):
        io[f"classes.{i}"], io[f"masks.{i}"] = classes[i], masks
        size = pixels.multi_scale_features[i % 3].shape[-2:]
        seen = nn.functional.interpolate(masks, size=size, mode="bilinear", align_corners=False)
        print(i, "nearest to a probability of one half:", seen.abs().min().item(),
              "share seen:", (seen >= 0).double().mean().item(),
              "spread:", masks.std().item(), classes[i].std().item())
        assert seen.abs().min() > 3e-3, "another seed: rounding decides what a query sees"
    write(HERE / "mask2former_micro.safetensors", weights)
    write(HERE / "mask2former_micro.io.safetensors", io)


if __name__ == "__main__":
    main()
