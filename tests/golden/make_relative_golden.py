"""Makes relative_resize.safetensors: tables of relative positions as timm resizes them.

    PYTHONPATH=<timm> python3 make_relative_golden.py     (torch 1.13 or newer, timm 1.0)

`file` is of 8 x 8 patches and 3 heads, with the class token's three rows; `to_12x12`, `to_10x14` and
`to_5x6` are what resize_rel_pos_bias_table makes of it.
"""
import torch
from timm.layers.pos_embed_rel import resize_rel_pos_bias_table

from make_checkpoint_golden import HERE, write_safetensors


def main():
    torch.manual_seed(3)
    table = torch.randn(15 * 15 + 3, 3)
    tensors = {"file": table}
    for rows, cols in ((12, 12), (10, 14), (5, 6)):
        shape = ((2 * rows - 1) * (2 * cols - 1) + 3, 3)
        tensors[f"to_{rows}x{cols}"] = resize_rel_pos_bias_table(
            table.clone(), (rows, cols), shape).contiguous()
    write_safetensors(HERE / "relative_resize.safetensors", tensors)


if __name__ == "__main__":
    main()
