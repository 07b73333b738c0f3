#!/usr/bin/env python3
"""Checkpoints in Headlight beside the libraries that they come from, as one table.

    python3 tests/bench/compare_with_peers.py --cli build/release/app/cli/headlight-cli \
        [--heads 4] [FOLDER|FILE ...]

Default: all of tests/golden that a library can open. A folder stands for itself, or for what lies
in it. Each checkpoint runs in its own library (transformers, timm, torchvision or open_clip, as far
as this Python has them) and in headlight-cli, in float32 and on the same pixels, those that
headlight-cli makes of an image that is drawn from a seed. Printed are the largest differences: of
the logits (without a classifier, of the features that one would read; of a detector, of its classes
and boxes), of the attention maps, where the library gives them (eager attention), and of the pixels
that the library's own image processor makes of the image, which counts levels of 255.

What cannot be compared has a line that says why. Exit code 1 where logits or maps differ by more
than 1e-4, 2 where nothing was compared.
"""
import argparse
import functools
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

parser = argparse.ArgumentParser()
parser.add_argument("--cli", required=True, help="headlight-cli")
parser.add_argument("--heads", type=int, help="of files that say nothing of them; default: as the "
                    "vectors beside them, else width / 64")
parser.add_argument("--seed", type=int, default=0, help="of the image")
parser.add_argument("paths", nargs="*", type=pathlib.Path)
options = parser.parse_args()

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
import numpy  # noqa: E402
import torch  # noqa: E402
from PIL import Image  # noqa: E402
from safetensors import safe_open  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

TOLERANCE = 1e-4
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
WEIGHTS = (".safetensors", ".pth", ".pt", ".bin", ".ckpt", ".tar")
CONFIGS = ("config.json", "open_clip_config.json")


class NotCompared(Exception):
    """Says why there is nothing to compare."""


def peer_library(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotCompared(f"this Python has no {name} ({error})") from None


def short(error):
    return re.sub(r"\s+", " ", str(error)).replace("|", "/")[:160]


# --- Peers: a model of a library; run() gives what it makes of pixels -----------------------------

class Peer:
    """`outputs`: names of tensors, by which headlight-cli writes the same."""

    def __init__(self, name, model, processor=None, arguments=(), note=""):
        self.name, self.model, self.processor = name, model.float().eval(), processor
        self.arguments, self.note = list(arguments), note  # for headlight-cli

    def run(self, pixels):
        raise NotImplementedError

    def pixels(self, image):
        """[1, 3, H, W], or None without a processor."""
        return self.processor(image) if self.processor else None


class TransformersPeer(Peer):
    HEADS = ("ForImageClassification", "WithTeacher", "ForObjectDetection")

    def run(self, pixels):
        name = type(self.model).__name__
        if name in ("CLIPModel", "SiglipModel"):
            return self.run_dual(pixels)
        if name == "DepthAnythingForDepthEstimation":
            raise NotCompared("its library gives a depth, Headlight the features of its backbone")
        if name.startswith("Siglip2"):
            return self.run_flexible(pixels)
        if name == "ViTMAEForPreTraining":
            return self.run_tower(self.model.vit, pixels)
        return self.run_tower(self.model, pixels)

    def run_dual(self, pixels):
        result = self.run_tower(self.model.vision_model, pixels)
        if hasattr(self.model, "visual_projection"):
            result["logits"] = self.model.visual_projection(result.pop("features"))
        return result

    def run_tower(self, model, pixels):
        more = {}
        if type(model).__name__.startswith("ViTMAE"):  # all patches, in their order
            model.config.mask_ratio = 0.0
            patches = (pixels.shape[-1] // model.config.patch_size) ** 2
            more["noise"] = torch.linspace(0, 1, patches)[None]
        return self.named(model, model(pixels, output_attentions=True, **more))

    def run_flexible(self, pixels):
        """SigLIP 2: rows of patches, each [row, column, channel]."""
        tower, patch = self.model.vision_model, self.model.config.vision_config.patch_size
        rows, columns = pixels.shape[-2] // patch, pixels.shape[-1] // patch
        cut = pixels.reshape(1, 3, rows, patch, columns, patch).permute(0, 2, 4, 3, 5, 1)
        flat = cut.reshape(1, rows * columns, -1)
        mask = torch.ones(1, rows * columns, dtype=torch.long)
        return self.named(tower, tower(flat, mask, torch.tensor([[rows, columns]]),
                                       output_attentions=True))

    def named(self, model, output):
        result = {} if output.attentions is None else self.maps(output.attentions)
        architecture = type(self.model).__name__
        if architecture.startswith("Yolos") and output.get("pred_boxes") is not None:
            result.update(object_logits=output.logits, object_boxes=output.pred_boxes)
        elif output.get("logits") is not None:
            result["logits"] = output.logits
        elif output.get("image_embeds") is not None:
            result["logits"] = output.image_embeds
        else:
            result["features"] = self.pooled(model, output)
        return result

    @staticmethod
    def pooled(model, output):
        """What a classifier would read; the poolers of ViT and its kin are none. A Siglip without
        its pooler is read as its classifier does."""
        name = type(model).__name__
        pooled = output.get("pooler_output")
        if name.startswith(("CLIP", "Siglip", "Beit", "Data2Vec", "Swin")) and pooled is not None:
            return pooled
        if name.startswith("Siglip"):
            return output.last_hidden_state.mean(1)
        if name.startswith("IJepa"):
            return output.last_hidden_state.mean(1)
        return output.last_hidden_state[:, 0]

    def maps(self, attentions):
        if "Swin" in type(self.model).__name__:
            return {}  # of the last block of each stage alone, a window after the other
        found = getattr(self.model.config, "num_detection_tokens", 0)
        return {f"attention.{i}": self.placed(a, found) for i, a in enumerate(attentions)}

    @staticmethod
    def placed(attention, behind):
        """Headlight has tokens that stand behind the patches before them."""
        tokens = attention.shape[-1]
        order = [0, *range(tokens - behind, tokens), *range(1, tokens - behind)]
        return attention[:, :, order][..., order] if behind else attention


class HookedPeer(Peer):
    """A library that gives no maps: they are caught where they are made."""

    def run(self, pixels):
        self.caught = []
        hooks = [hook for module in self.model.modules() for hook in self.watch(module)]
        result = self.forward(pixels)
        for hook in hooks:
            hook.remove()
        result.update({f"attention.{i}": a for i, a in enumerate(self.caught)})
        return result

    def watch(self, module):
        if not isinstance(module, torch.nn.MultiheadAttention):
            return []

        def ask(_, args, kwargs):
            return args, {**kwargs, "need_weights": True, "average_attn_weights": False}

        def catch(_, __, ___, output):
            self.caught.append(output[1])
        return [module.register_forward_pre_hook(ask, with_kwargs=True),
                module.register_forward_hook(catch, with_kwargs=True)]

    def forward(self, pixels):
        return {"logits": self.model(pixels)}


class TimmPeer(HookedPeer):
    def watch(self, module):
        if not isinstance(getattr(module, "attn_drop", None), torch.nn.Module):
            return []
        if "Window" in type(module).__name__ or "Swin" in type(self.model).__name__:
            return []
        if hasattr(module, "proj_w"):  # talking heads (CaiT): the softmax, before its second mix
            return [module.proj_w.register_forward_pre_hook(
                lambda _, args: self.caught.append(args[0].permute(0, 3, 1, 2)))]
        return [module.attn_drop.register_forward_pre_hook(
            lambda _, args: self.caught.append(args[0]))]

    def forward(self, pixels):
        classes = getattr(self.model, "num_classes", 0)
        tokens = self.model.forward_features(pixels)
        output = self.model.forward_head(tokens)
        return {"logits" if classes else "features": output}


class ClipPeer(HookedPeer):
    def forward(self, pixels):
        return {"logits": self.model.encode_image(pixels)}


class ScriptPeer(Peer):
    """TorchScript runs by itself."""

    def run(self, pixels):
        return {"logits": self.model.encode_image(pixels)}


# --- What opens a checkpoint ----------------------------------------------------------------------

def open_transformers(folder, config):
    library = peer_library("transformers")
    library.logging.set_verbosity_error()
    architecture = (config.get("architectures") or [None])[0]
    if not hasattr(library, architecture or ""):
        raise NotCompared(f"transformers has no {architecture}")
    model = getattr(library, architecture).from_pretrained(folder, attn_implementation="eager",
                                                           dtype=torch.float32)
    return TransformersPeer("transformers", model, transformers_processor(library, folder))


def transformers_processor(library, folder):
    if not (folder / "preprocessor_config.json").exists():
        return None
    processor = library.AutoImageProcessor.from_pretrained(folder, backend="pil")
    return lambda image: torch.as_tensor(
        numpy.asarray(processor(images=image, return_tensors="np")["pixel_values"]))


def open_open_clip(folder):
    library = peer_library("open_clip")
    model, _, processor = library.create_model_and_transforms(f"local-dir:{folder}")
    return ClipPeer("open_clip", model, lambda image: processor(image)[None])


def open_timm_folder(folder):
    library = peer_library("timm")
    library.layers.set_fused_attn(False)
    model = library.create_model(f"local-dir:{folder}", pretrained=True)
    transform = library.data.create_transform(**library.data.resolve_model_data_config(model))
    return TimmPeer("timm", model, lambda image: transform(image)[None])


def open_folder(folder):
    if (folder / "open_clip_config.json").exists():
        return open_open_clip(folder)
    config = json.loads((folder / "config.json").read_text())
    if "architecture" in config:
        return open_timm_folder(folder)
    return open_transformers(folder, config)


def loose_tensors(path):
    """(tensors, timm's keyword arguments in the metadata or None)."""
    if path.suffix == ".safetensors":
        with safe_open(path, "pt") as file:
            said = (file.metadata() or {}).get("config")
        return load_file(path), json.loads(said) if said else None
    torch.serialization.add_safe_globals([argparse.Namespace])
    held = torch.load(path, map_location="cpu", weights_only=True)
    for key in ("state_dict_ema", "model_ema", "teacher", "model", "state_dict"):
        if isinstance(held, dict) and isinstance(held.get(key), dict):
            held = held[key]
            break
    return {k: v for k, v in held.items() if isinstance(v, torch.Tensor)}, None


def without_wrappers(tensors):
    """(tensors of the encoder under its own names, what was taken off)."""
    off = ""
    for prefix in ("module.", "_orig_mod.", "module.", "base_encoder.", "backbone.", "model."):
        if any(name.startswith(prefix) for name in tensors):
            off += prefix
            tensors = {name[len(prefix):]: value for name, value in tensors.items()
                       if name.startswith(prefix)}
    return tensors, off


def open_script(path):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.jit.load(path, map_location="cpu").float()
    except RuntimeError:
        return None


def open_file(path):
    if path.suffix == ".pt" and (script := open_script(path)) is not None:
        return ScriptPeer("TorchScript (OpenAI)", script, None, heads_for(path, 32))
    tensors, said = loose_tensors(path)
    tensors, off = without_wrappers(tensors)
    for knows, opens in (("conv_proj.weight", open_torchvision_vit),
                         ("features.0.0.weight", open_torchvision_swin),
                         ("patch_embed.proj.weight", open_timm),
                         ("stem.conv1.linear.weight", open_timm)):
        if knows in tensors:
            peer = opens(path, tensors, said)
            peer.note = f"without {off}" if off else ""
            return peer
    raise NotCompared("no library here has models with such names of tensors")


def heads_for(path, width):
    """--heads of headlight-cli, for a file that says nothing of them."""
    return ["--heads", str(heads_of(path, width))]


def heads_of(path, width):
    expected = path.parent / "expected.io.safetensors"
    if options.heads:
        return options.heads
    if expected.exists():
        with safe_open(expected, "pt") as file:
            if "attention.0" in file.keys():
                return file.get_slice("attention.0").get_shape()[1]
    return max(1, width // 64)


def blocks_in(tensors, pattern):
    return 1 + max(int(m.group(1)) for m in (re.match(pattern, name) for name in tensors) if m)


def vit_shape(path, tensors):
    width, _, patch, _ = tensors["patch_embed.proj.weight"].shape
    prefix = sum(name in tensors for name in ("cls_token", "dist_token"))
    registers = tensors["reg_token"].shape[1] if "reg_token" in tensors else 0
    positions = tensors["pos_embed"].shape[1]
    bare = int(positions ** 0.5) ** 2 == positions
    patches = positions if bare else positions - prefix - registers
    return {"img_size": int(patches ** 0.5) * patch, "patch_size": patch, "embed_dim": width,
            "depth": blocks_in(tensors, r"blocks\.(\d+)\."), "num_heads": heads_of(path, width),
            "mlp_ratio": tensors["blocks.0.mlp.fc1.weight"].shape[0] / width,
            "num_classes": len(tensors["head.weight"]) if "head.weight" in tensors else 0,
            "class_token": "cls_token" in tensors, "reg_tokens": registers,
            "no_embed_class": bare and prefix + registers > 0,
            "global_pool": "avg" if "fc_norm.weight" in tensors else "token",
            "qkv_bias": "blocks.0.attn.qkv.bias" in tensors}


def timm_class(tensors, said):
    """(module of timm.models, class) by the names of tensors."""
    for name, module, kind in (("blocks_token_only.0.norm1.weight", "cait", "Cait"),
                               ("blocks.0.attn.gating_param", "convit", "ConVit"),
                               ("stem.conv1.linear.weight", "levit", "Levit"),
                               ("stages.0.blocks.0.norm1.weight", "mvitv2", "MultiScaleVit"),
                               ("layers.0.blocks.0.norm1.weight", "swin_transformer",
                                "SwinTransformer"),
                               ("dist_token", "deit", "VisionTransformerDistilled")):
        if name in tensors:
            return module, kind
    if said and said.get("use_rot_pos_emb"):
        return "eva", "Eva"
    if "blocks.0.gamma_1" in tensors or "blocks.0.attn.q_bias" in tensors:
        return "beit", "Beit"
    return "vision_transformer", "VisionTransformer"


def timm_arguments(path, tensors, said):
    arguments = dict(said) if said else vit_shape(path, tensors)
    if "dist_token" in tensors:
        for key in ("class_token", "reg_tokens", "no_embed_class", "global_pool"):
            arguments.pop(key, None)
    for key in ("embed_dim", "depth", "depths", "num_heads", "ref_feat_shape"):
        if isinstance(arguments.get(key), list):
            arguments[key] = tuple(arguments[key])
    if arguments.get("act_layer") == "quick_gelu":
        from timm.layers import QuickGELU
        arguments["act_layer"] = QuickGELU
    if arguments.get("pre_norm") or arguments.get("rope_type") == "dinov3":  # as those released
        arguments["norm_layer"] = functools.partial(torch.nn.LayerNorm, eps=1e-5)
    return arguments


def build_timm(module, kind, arguments, tensors):
    library = importlib.import_module("timm.models." + module)
    if kind == "MultiScaleVit":
        config = library.MultiScaleVitCfg(**arguments)
        side = 2 * (len(tensors["stages.0.blocks.0.attn.rel_pos_h"]) + 1)
        return library.MultiScaleVit(config, img_size=(side, side),
                                     num_classes=len(tensors["head.fc.weight"]))
    if kind == "VisionTransformer" and "blocks.0.mlp.fc1.weight" in tensors:
        from timm.layers import SwiGLUPacked
        packed = tensors["blocks.0.mlp.fc1.weight"].shape[0] == 2 * (
            tensors["blocks.0.mlp.fc2.weight"].shape[1])
        if packed:
            arguments.update(mlp_layer=SwiGLUPacked, act_layer=torch.nn.SiLU)
    return getattr(library, kind)(**arguments)


def open_timm(path, tensors, said):
    library = peer_library("timm")
    library.layers.set_fused_attn(False)
    module, kind = timm_class(tensors, said)
    model = build_timm(module, kind, timm_arguments(path, tensors, said), tensors)
    wanted = model.state_dict()
    result = model.load_state_dict({k: v for k, v in tensors.items() if k in wanted}, strict=False)
    missing = [k for k in result.missing_keys if not k.endswith(("relative_position_index",
                                                                 "attn_mask"))]
    if missing:
        raise NotCompared(f"timm's {kind} needs {', '.join(missing[:3])}, which the file lacks")
    width = tensors["patch_embed.proj.weight"].shape[0] if "patch_embed.proj.weight" in tensors else 0
    guessed = kind in ("VisionTransformer", "VisionTransformerDistilled") and not said
    return TimmPeer("timm", model, None, heads_for(path, width) if guessed else [])


def open_torchvision_vit(path, tensors, _):
    from torchvision.models import VisionTransformer
    width, _, patch, _ = tensors["conv_proj.weight"].shape
    first = "encoder.layers.encoder_layer_0.mlp."
    hidden = tensors.get(first + "0.weight", tensors.get(first + "linear_1.weight")).shape[0]
    side = int((tensors["encoder.pos_embedding"].shape[1] - 1) ** 0.5) * patch
    between = tensors.get("heads.pre_logits.weight")
    model = VisionTransformer(
        side, patch, blocks_in(tensors, r"encoder\.layers\.encoder_layer_(\d+)\."),
        heads_of(path, width), width, hidden, num_classes=len(tensors["heads.head.weight"]),
        representation_size=None if between is None else between.shape[0])
    model.load_state_dict(tensors)
    return HookedPeer("torchvision", model, None, heads_for(path, width))


def open_torchvision_swin(_, tensors, __):
    from torchvision.models import SwinTransformer
    width, _, patch, _ = tensors["features.0.0.weight"].shape
    depths, heads, stage = [], [], 1
    while f"features.{stage}.0.attn.qkv.weight" in tensors:
        depths.append(blocks_in(tensors, rf"features\.{stage}\.(\d+)\."))
        table = tensors[f"features.{stage}.0.attn.relative_position_bias_table"]
        heads.append(table.shape[1])
        stage += 2
    window = (int(table.shape[0] ** 0.5) + 1) // 2
    hidden = tensors["features.1.0.mlp.0.weight"].shape[0]
    model = SwinTransformer([patch, patch], width, depths, heads, [window, window],
                            mlp_ratio=hidden / width, num_classes=len(tensors["head.weight"]))
    model.load_state_dict(tensors)
    return HookedPeer("torchvision", model)


# --- Headlight ------------------------------------------------------------------------------------

def headlight(*arguments):
    """What it prints."""
    run = subprocess.run([options.cli, *map(str, arguments)], capture_output=True, text=True)
    if run.returncode:
        raise NotCompared("headlight-cli: " + short(run.stderr.replace("error: ", "")))
    return run.stdout


def pixels_in(path, arguments, image, folder):
    """Normalized pixels, and the deviations that they were divided by."""
    out = folder / "input.safetensors"
    said = json.loads(headlight("preprocess", "--json", "--weights", path, *arguments, image,
                                "--output", out))
    return load_file(out)["input"], said["preprocessing"].get("deviation", [0.229, 0.224, 0.225])


def outputs_in(path, arguments, pixels, folder):
    given, out = folder / "given.safetensors", folder / "out.safetensors"
    save_file({"input": pixels.contiguous()}, given)
    headlight("attend", "--weights", path, *arguments, "--tensor", given, "--output", out)
    return load_file(out)


# --- The comparison -------------------------------------------------------------------------------

def draw_image(path):
    """Smooth noise of odd sides, so that resizing and cropping have something to do."""
    generator = numpy.random.default_rng(options.seed)
    small = generator.integers(0, 256, (7, 9, 3), dtype=numpy.uint8)
    image = Image.fromarray(small).resize((301, 233), Image.Resampling.BICUBIC)
    image.save(path)
    return image


def largest(theirs, ours, names):
    """Over the tensors of such names; None where the peer has none."""
    found = [name for name in theirs if name.startswith(names)]
    return max((difference(name, theirs[name], ours) for name in found), default=None)


def difference(name, theirs, ours):
    if name not in ours:
        raise NotCompared(f"headlight-cli gives no {name}, but " + ", ".join(sorted(ours)))
    own = ours[name]
    if name.startswith("attention.") and theirs.shape[2] == 1:  # of the class token alone (CaiT)
        own = own[:, :, :1]
    if theirs.shape != own.shape:
        raise NotCompared(f"{name} is {list(theirs.shape)} there, {list(own.shape)} in Headlight")
    return (theirs.float() - own).abs().max().item()


def compare_pixels(peer, image, ours, deviations):
    """In levels of 255, or what is to be said instead."""
    theirs = peer.pixels(image)
    if theirs is None:
        return "-"
    if theirs.shape != ours.shape:
        return f"{theirs.shape[-2]} x {theirs.shape[-1]} there"
    levels = (theirs.float() - ours).abs() * 255 * torch.tensor(deviations).view(1, 3, 1, 1)
    return f"{levels.max().item():.2f}"


def compare(path, image, image_path, folder):
    peer = open_folder(path) if path.is_dir() else open_file(path)
    pixels, deviations = pixels_in(path, peer.arguments, image_path, folder)
    ours = outputs_in(path, peer.arguments, pixels, folder)
    theirs = peer.run(pixels)
    logits = largest(theirs, ours, ("logits", "features", "object_"))
    maps = largest(theirs, ours, ("attention.",))
    name = f"{peer.name} ({peer.note})" if peer.note else peer.name
    return name, logits, maps, compare_pixels(peer, image, pixels, deviations)


def line_for(path, *rest):
    name, logits, maps, pixels = compare(path, *rest)
    differs = max(logits, maps or 0) > TOLERANCE
    shown = "-" if maps is None else f"{maps:.1e}"
    return differs, f"{name} | {logits:.1e} | {shown} | {pixels} | {'DIFFERS' if differs else 'same'}"


def checkpoints_in(path):
    """What a path stands for: itself, or what lies in it."""
    if path.is_file() or any((path / config).exists() for config in CONFIGS):
        return [path]
    found = []
    for entry in sorted(path.iterdir()):
        if entry.is_dir():
            found += checkpoints_in(entry)
        elif entry.suffix in WEIGHTS and ".io." not in entry.name:
            found.append(entry)
    return found


def default_paths():
    return [GOLDEN / "transformers", GOLDEN / "zoo", GOLDEN / "hf_home" / "hub",
            *(path for path in sorted(GOLDEN.glob("*_micro*"))
              if ".io." not in path.name and not path.name.startswith("ways"))]


def shown_name(path):
    resolved = path.resolve()
    return str(resolved.relative_to(GOLDEN) if resolved.is_relative_to(GOLDEN) else path)


@torch.no_grad()
def main():
    warnings.simplefilter("ignore")
    paths = [each for path in options.paths or default_paths() for each in checkpoints_in(path)]
    compared = differing = 0
    print("| file | peer | logits | maps | pixels (of 255) | verdict |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        image = draw_image(folder / "image.png")
        for path in paths:
            try:
                differs, text = line_for(path, image, folder / "image.png", folder)
                compared, differing = compared + 1, differing + differs
            except Exception as error:  # a library fails in its own ways
                kind = "" if isinstance(error, NotCompared) else type(error).__name__ + ": "
                text = f"- | - | - | - | not compared: {kind}{short(error)}"
            print(f"| {shown_name(path)} | {text} |", flush=True)
    print(f"\n{compared} of {len(paths)} compared, {differing} differ by more than {TOLERANCE:g}")
    return 1 if differing else 0 if compared else 2


if __name__ == "__main__":
    sys.exit(main())
