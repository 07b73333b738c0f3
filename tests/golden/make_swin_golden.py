"""Makes swin_padded.safetensors: a small Swin of timm's on a grid that its windows do not divide.

    PYTHONPATH=<timm> python3 make_swin_golden.py     (torch 1.13 or newer, timm 1.0)

52 x 44 pixels in patches of 4 give 13 x 11 patches, then (rounded up) 7 x 6, in windows of 4. The
weights, the input and the logits are in the one file: timm's names, `input` and `logits`.
"""
import torch
from timm.models.swin_transformer import SwinTransformer

from make_checkpoint_golden import HERE, write_safetensors


def main():
    torch.manual_seed(11)
    model = SwinTransformer(img_size=(52, 44), patch_size=4, embed_dim=8, depths=(2, 2),
                            num_heads=(2, 4), window_size=4, num_classes=5).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            wide = 1.0 if name.endswith("bias_table") else 0.3
            centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            parameter.copy_(centre + wide * torch.randn_like(parameter))
        images = torch.randn(2, 3, 52, 44)
        tensors = dict(model.state_dict(), input=images, logits=model(images))
    write_safetensors(HERE / "swin_padded.safetensors", tensors)


if __name__ == "__main__":
    main()
