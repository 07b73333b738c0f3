"""Weights, input, logits, attention and features of micro models of more families, by timm 1.0.29:

    PYTHONPATH=pytorch-image-models python3 make_zoo_golden.py zoo

writes NAME_micro.safetensors and NAME_micro.io.safetensors for each of MODELS. Every parameter is
drawn, those that timm starts at 0 or 1 too, so that none of them can be forgotten.
"""

import json
import os
import struct
import sys
from functools import partial

import timm
import torch
from timm.layers import LayerNorm, RmsNorm, SwiGLU
from timm.models.eva import Eva
from timm.models.vision_transformer import VisionTransformer

SIZE = {"img_size": [32, 24], "patch_size": 4, "embed_dim": 32, "depth": 3, "num_heads": 2}
ROTARY = {"attn_type": "rope", "use_rot_pos_emb": True, "rope_grid_indexing": "xy"}
ROPE_VIT = dict(ROTARY, init_values=1e-5, global_pool="token", num_classes=10)
PE = dict(ROTARY, use_pre_transformer_norm=True, ref_feat_shape=[6, 5], rope_grid_offset=1.0)
MODELS = {
    "pe_core": (Eva, 1e-5, dict(PE, global_pool="map", attn_pool_num_heads=4, attn_pool_mlp_ratio=2.0,
                                num_classes=10)),
    "pe_spatial": (Eva, 1e-5, dict(PE, use_post_transformer_norm=False, use_fc_norm=False,
                                   init_values=0.1, num_classes=0)),
    "rope_axial": (Eva, 1e-6, dict(ROPE_VIT, use_abs_pos_emb=False, rope_temperature=100.0)),
    "rope_mixed": (Eva, 1e-6, dict(ROPE_VIT, no_embed_class=True, rope_temperature=10.0,
                                   rope_type="mixed")),
    "post_norm": (Eva, 1e-6, dict(use_post_norm=True, global_pool="token", num_classes=10)),
    "beit3": (VisionTransformer, 1e-5, dict(scale_attn_norm=True, scale_mlp_norm=True,
                                            global_pool="avg", num_classes=10)),
    "intern": (VisionTransformer, 1e-6, dict(init_values=0.1, final_norm=False, num_classes=0)),
    "aimv2": (VisionTransformer, 1e-5, dict(class_token=False, fc_norm=False, mlp_ratio=2.75,
                                            global_pool="avg", qkv_bias=False, proj_bias=False,
                                            norm_layer="rmsnorm", embed_norm_layer="rmsnorm",
                                            mlp_layer="swiglu", act_layer="silu", num_classes=0)),
    "pooled_registers": (VisionTransformer, 1e-6, dict(class_token=False, reg_tokens=1,
                                                       global_pool="map", pool_include_prefix=True,
                                                       num_classes=10)),
}


def write(path, tensors, metadata=None):
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, tensor in tensors.items():
        values = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def layers(arguments, epsilon):
    """What timm wants as classes, where the file has names."""
    norm = partial(RmsNorm if "norm_layer" in arguments else LayerNorm, eps=epsilon)
    given = dict(arguments, norm_layer=norm)
    if "embed_norm_layer" in given:
        given["embed_norm_layer"] = norm
    if "mlp_layer" in given:
        given["mlp_layer"] = SwiGLU
    return given


def draw(model):
    for name, parameter in model.named_parameters():
        spread = 0.3 if parameter.ndim == 1 or "norm" in name or "gamma" in name else 0.15
        start = 1.0 if name.endswith("weight") and parameter.ndim == 1 else 0.0
        parameter.data = start + spread * torch.randn_like(parameter)


def maps_of(model):
    kept = {}

    def keep(layer):
        def hook(_, __, output):
            kept[f"attention.{layer}"] = output
        return hook

    for layer, block in enumerate(model.blocks):
        block.attn.fused_attn = False
        block.attn.attn_drop.register_forward_hook(keep(layer))
    return kept


def main(folder):
    for name, (kind, epsilon, arguments) in MODELS.items():
        torch.manual_seed(sum(name.encode()))
        told = dict(SIZE, **arguments)
        model = kind(**layers(told, epsilon)).eval()
        draw(model)
        images = torch.randn(2, 3, 32, 24)
        kept = maps_of(model)
        with torch.no_grad():
            io = {"input": images, "logits": model(images), "features": model.forward_features(images)}
        io.update(kept)
        path = os.path.join(folder, name + "_micro")
        write(path + ".safetensors", model.state_dict(),
              {"source": "timm " + timm.__version__, "config": json.dumps(told)})
        write(path + ".io.safetensors", io)


if __name__ == "__main__":
    main(sys.argv[1])
