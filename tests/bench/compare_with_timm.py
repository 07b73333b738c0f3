#!/usr/bin/env python3
"""DeiT-T at 224 beside timm, on the same LibTorch, BLAS and threads, in one run.

    python3 tests/bench/compare_with_timm.py --bench build/release/tests/bench/bench_model \
        --timm /path/to/pytorch-image-models

Both take turns, batch by batch; printed are the medians and the median of the pairwise ratios
(images per second of Headlight over timm's; above 1 Headlight is faster).
"""
import argparse
import statistics
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--bench", required=True)
parser.add_argument("--timm", help="a checkout of timm, if it is not installed")
parser.add_argument("--model", default="deit_tiny_patch16_224")
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--pairs", type=int, default=9)
options = parser.parse_args()
if options.timm:
    sys.path.insert(0, options.timm)

import torch  # noqa: E402
import timm  # noqa: E402
from timm.loss import LabelSmoothingCrossEntropy  # noqa: E402
from timm.optim import create_optimizer_v2  # noqa: E402

torch.set_num_threads(options.threads)
torch.manual_seed(0)
model = timm.create_model(options.model)
images = torch.randn(options.batch, 3, 224, 224)
labels = torch.randint(0, 1000, (options.batch,))
optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
criterion = LabelSmoothingCrossEntropy(0.1)


def infer():
    model.eval()
    with torch.no_grad():
        model(images).sum().item()


def train():
    model.train()
    optimizer.zero_grad(set_to_none=True)
    loss = criterion(model(images), labels)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    loss.item()


ours = subprocess.Popen([options.bench, options.model, str(options.batch), str(options.threads)],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
print(f"Headlight: {ours.stdout.readline().strip()[6:]}; timm {timm.__version__} on torch "
      f"{torch.__version__}, {torch.get_num_threads()} threads; batch {options.batch}")


def ask(what):
    ours.stdin.write(what + "\n")
    ours.stdin.flush()
    return float(ours.stdout.readline()) / 1000


def peer(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


for what, function in (("infer", infer), ("train", train)):
    ask(what), peer(function)  # warm-up
    mine, theirs = [], []
    for _ in range(options.pairs):
        mine.append(ask(what))
        theirs.append(peer(function))
    ratios = [t / m for m, t in zip(mine, theirs)]
    print(f"{what}: Headlight {options.batch / statistics.median(mine):.1f} images/s, timm "
          f"{options.batch / statistics.median(theirs):.1f}; ratio {statistics.median(ratios):.3f} "
          f"(pairs {min(ratios):.3f} to {max(ratios):.3f})")
ours.stdin.close()
ours.wait()
