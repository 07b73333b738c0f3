#!/usr/bin/env python3
"""Published models beside timm's, on the same LibTorch, BLAS and threads, in one run.

    python3 tests/bench/compare_with_timm.py --bench build/release/tests/bench/bench_model \
        --timm /path/to/pytorch-image-models [--models deit_tiny_patch16_224,h_mait_tiny]

Both take turns, batch by batch; printed are the medians and the median of the pairwise ratios
(images per second of Headlight over timm's; above 1 Headlight is faster). Models that timm does not
have stand beside what they were made from: MaiT beside a DeiT of its depth, H-MaiT beside Swin.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--bench", required=True)
parser.add_argument("--timm", help="a checkout of timm, if it is not installed")
parser.add_argument("--models", default="deit_tiny_patch16_224", help="or 'all' of PEERS")
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--pairs", type=int, default=9)
options = parser.parse_args()
if options.timm:
    sys.path.insert(0, options.timm)

# The same kernels for both: OpenBLAS takes slow ones on a processor that it does not know, which
# Headlight sees and mends for itself (core/base/Processor.h); timm has to be told.
if "OPENBLAS_CORETYPE" not in os.environ:
    core = subprocess.run([options.bench, "--core"], stdout=subprocess.PIPE, text=True, check=True)
    os.environ["OPENBLAS_CORETYPE"] = core.stdout.strip()

import torch  # noqa: E402
import timm  # noqa: E402
from timm.loss import LabelSmoothingCrossEntropy  # noqa: E402
from timm.optim import create_optimizer_v2  # noqa: E402

# Ours: timm's, and what it is built with.
PEERS = {
    "deit_tiny_patch16_224": ("deit_tiny_patch16_224", {}),
    "deit_small_patch16_224": ("deit_small_patch16_224", {}),
    "mait_t": ("deit_tiny_patch16_224", {"depth": 24}),
    "mait_s": ("deit_small_patch16_224", {"depth": 24}),
    "cait_xxs24_224": ("cait_xxs24_224", {}),
    "masked_cait_xxs24_224": ("cait_xxs24_224", {}),
    "levit_256": ("levit_256", {}),
    "mvitv2_tiny": ("mvitv2_tiny", {}),
    "convit_tiny": ("convit_tiny", {}),
    "swin_tiny_patch4_window7_224": ("swin_tiny_patch4_window7_224", {}),
    "h_mait_tiny": ("swin_tiny_patch4_window7_224", {}),
}
torch.set_num_threads(options.threads)
torch.manual_seed(0)
images = torch.randn(options.batch, 3, 224, 224)
labels = torch.randint(0, 1000, (options.batch,))
criterion = LabelSmoothingCrossEntropy(0.1)


class Peer:
    """timm's model; calling it gives the seconds of a batch."""

    def __init__(self, name, arguments):
        self.model = timm.create_model(name, **arguments)
        self.optimizer = create_optimizer_v2(self.model, opt="adamw", lr=1e-3, weight_decay=0.05)

    def __call__(self, what):
        started = time.perf_counter()
        getattr(self, what)()
        return time.perf_counter() - started

    def infer(self):
        self.model.eval()
        with torch.no_grad():
            self.model(images).sum().item()

    def train(self):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss = criterion(self.model(images), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        loss.item()


class Ours:
    """bench_model as a process of its own."""

    def __init__(self, name):
        self.process = subprocess.Popen(
            [options.bench, name, str(options.batch), str(options.threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.machine = self.process.stdout.readline().strip()[6:]

    def __call__(self, what):
        self.process.stdin.write(what + "\n")
        return float(self.process.stdout.readline()) / 1000

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(ours, theirs, name, what):
    ours(what), theirs(what)  # warm-up
    pairs = [(ours(what), theirs(what)) for _ in range(options.pairs)]
    ratios = [timm_took / took for took, timm_took in pairs]
    speeds = [options.batch / statistics.median(times) for times in zip(*pairs)]
    print(f"{name:29} {what:5}  {speeds[0]:8.1f} {speeds[1]:8.1f}   {statistics.median(ratios):.3f} "
          f"({min(ratios):.3f} to {max(ratios):.3f})", flush=True)


names = list(PEERS) if options.models == "all" else options.models.split(",")
for name in names:
    if name not in PEERS:
        parser.error(f"--models: {name} has no peer; there are {', '.join(PEERS)}")
print(f"timm {timm.__version__} on torch {torch.__version__}, {options.threads} threads, batch "
      f"{options.batch}; images/s of Headlight and of timm, ratio (its range over "
      f"{options.pairs} pairs)")
for name in names:
    ours, theirs = Ours(name), Peer(*PEERS[name])
    if name == names[0]:
        print(f"Headlight: {ours.machine}")
    for what in ("infer", "train"):
        compare(ours, theirs, name, what)
    ours.close()
