#!/usr/bin/env python3
"""The loader beside torchvision's ImageFolder and DataLoader, with as many workers, in one run.

    python3 tests/bench/compare_loader.py --bench build/release/tests/bench/bench_loader \
        --photos /path/to/photographs [--images 400] [--width 500 --height 375]

Makes a folder of JPEGs out of the photographs (crops of the size asked for; 0: the photographs as
they are, over and over), then both load it, epoch by epoch in turn: random resized crop to 224
pixels (bilinear), flip, mean and deviation; torchvision by its first transforms, of Pillow's images,
and where it has them by its second (v2), of tensors that its own decoder makes. Printed are the
medians of images per second, and the medians of the pairwise ratios (above 1 Headlight is faster).
"""
import argparse
import importlib.util
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import PIL
import torch
import torchvision
from PIL import Image
from torchvision import datasets, transforms

parser = argparse.ArgumentParser()
parser.add_argument("--bench", required=True)
parser.add_argument("--photos", required=True, type=pathlib.Path)
parser.add_argument("--images", type=int, default=400)
parser.add_argument("--width", type=int, default=500)
parser.add_argument("--height", type=int, default=375)
parser.add_argument("--quality", type=int, default=90)
parser.add_argument("--side", type=int, default=224)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--jpeg-scaling", action="store_true",
                    help="Headlight decodes large JPEGs reduced (torchvision never does)")
parser.add_argument("--pairs", type=int, default=9)
options = parser.parse_args()


def make_image(photo, path, draw):
    """A crop of the photograph, at most twice as large as wanted, in the size that is wanted."""
    if not options.width:
        path.write_bytes(photo.read_bytes())
        return
    with Image.open(photo) as image:
        image = image.convert("RGB")
        scale = min(image.width / options.width, image.height / options.height)
        scale = draw.uniform(min(scale, 1), min(scale, 2))
        width, height = int(options.width * scale), int(options.height * scale)
        left = draw.randrange(image.width - width + 1)
        top = draw.randrange(image.height - height + 1)
        crop = image.crop((left, top, left + width, top + height))
        crop.resize((options.width, options.height), Image.BICUBIC).save(
            path, quality=options.quality)


def make_folder(folder):
    draw = random.Random(0)
    photos = sorted(options.photos.glob("*.jpg"))
    for number in range(options.images):
        photo = photos[number % len(photos)]
        (folder / photo.stem).mkdir(exist_ok=True)
        make_image(photo, folder / photo.stem / f"{number}.jpg", draw)


def of_images(folder):
    """torchvision's usual pipeline."""
    return datasets.ImageFolder(str(folder), transforms.Compose([
        transforms.RandomResizedCrop(options.side),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ]))


def decoded(path):
    return torchvision.io.decode_image(torchvision.io.read_file(path), torchvision.io.ImageReadMode.RGB)


def of_tensors(folder):
    """That of its second transforms."""
    from torchvision.transforms import v2
    return datasets.ImageFolder(str(folder), v2.Compose([
        v2.RandomResizedCrop(options.side, antialias=True),
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ]), loader=decoded)


def peer(dataset):
    """An epoch at a call, with workers that stay."""
    torch.set_num_threads(1)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=options.batch, shuffle=True,
        num_workers=options.workers, persistent_workers=options.workers > 0)

    def epoch():
        started = time.perf_counter()
        images = sum(len(batch) for batch, _ in loader)
        return images / (time.perf_counter() - started)

    return epoch


def ours(folder):
    process = subprocess.Popen(
        [options.bench, str(folder), str(options.workers), str(options.batch), str(options.side),
         "scaled" if options.jpeg_scaling else "whole"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert process.stdout.readline().strip() == "ready"

    def epoch():
        process.stdin.write("epoch\n")
        return float(process.stdout.readline())

    return epoch


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    make_folder(folder)
    bytes_each = sum(path.stat().st_size for path in folder.rglob("*.jpg")) / options.images
    size = f"{options.width} x {options.height}" if options.width else "as the photographs are"
    print(f"torchvision {torchvision.__version__}, torch {torch.__version__}, Pillow "
          f"{PIL.__version__}; {options.images} JPEGs, {size}, {bytes_each / 1024:.0f} KiB each; "
          f"{options.workers} workers, batch {options.batch}, to {options.side} pixels")
    headlight = ours(folder)
    peers = {"torchvision": peer(of_images(folder))}
    if hasattr(torchvision.io, "decode_image") and importlib.util.find_spec("torchvision.transforms.v2"):
        peers["torchvision v2"] = peer(of_tensors(folder))
    for side in (headlight, *peers.values()):  # warm-up
        side()
    turns = [(headlight(), *(other() for other in peers.values())) for _ in range(options.pairs)]
    print(f"Headlight: {statistics.median(turn[0] for turn in turns):.1f} images/s")
    for place, name in enumerate(peers, 1):
        ratios = [turn[0] / turn[place] for turn in turns]
        print(f"{name}: {statistics.median(turn[place] for turn in turns):.1f} images/s; ratio "
              f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f} over "
              f"{options.pairs} pairs)")
