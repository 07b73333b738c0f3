#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of models beside timm's in "Speed", by one command.

    cmake --preset bench && cmake --build --preset bench
    python3 tests/bench/peers.py --bench build/release/tests/bench/bench_model \\
        --python /path/to/venv/bin/python [--write resources/help/speed.md]

Three processes take turns, step by step: Headlight (bench_model), timm as it is, and timm by
torch.compile. Printed are medians in images per second, of the peers the faster one's, the median of
the pairwise ratios (above 1 Headlight is faster), and the most memory that each process took. With
--write the table under "## Models" of that file becomes this one. --python needs timm and torch;
this Python needs nothing.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

# What the help calls it: our name, timm's, what timm's is built with, pixels, whether it can train (it
# has classes). A MaiT stands beside a DeiT of its depth.
MODELS = {
    "DeiT-T": ("deit_tiny_patch16_224", "deit_tiny_patch16_224", {}, 224, True),
    "DeiT-S": ("deit_small_patch16_224", "deit_small_patch16_224", {}, 224, True),
    "MaiT-T, 24 layers, sch2": ("mait_t", "deit_tiny_patch16_224", {"depth": 24}, 224, True),
    "MaiT-S, 24 layers, sch2": ("mait_s", "deit_small_patch16_224", {"depth": 24}, 224, True),
    "CaiT-XXS24": ("cait_xxs24_224", "cait_xxs24_224", {}, 224, True),
    "masked CaiT-XXS24": ("masked_cait_xxs24_224", "cait_xxs24_224", {}, 224, True),
    "LeViT-256": ("levit_256", "levit_256", {}, 224, True),
    "MViTv2-T": ("mvitv2_tiny", "mvitv2_tiny", {}, 224, True),
    "ConViT-Ti": ("convit_tiny", "convit_tiny", {}, 224, True),
    "Swin-T": ("swin_tiny_patch4_window7_224", "swin_tiny_patch4_window7_224", {}, 224, True),
    "H-MaiT-T": ("h_mait_tiny", "swin_tiny_patch4_window7_224", {}, 224, True),
    "DINOv2-S, 518 pixels": ("vit_small_patch14_dinov2", "vit_small_patch14_dinov2", {}, 518, False),
}
STEPS = {"infer": "Inference", "train": "Training"}


def serve(model, batch, threads, compiled):
    """timm's model, as bench_model has ours: "ready …", then milliseconds for each "infer" or "train"."""
    import timm
    import torch
    from timm.loss import LabelSmoothingCrossEntropy
    from timm.optim import create_optimizer_v2

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    _, name, arguments, pixels, trains = MODELS[model]
    net = timm.create_model(name, **arguments)
    run = torch.compile(net) if compiled else net
    images, labels = torch.randn(batch, 3, pixels, pixels), torch.randint(0, 1000, (batch,))
    criterion = LabelSmoothingCrossEntropy(0.1)
    optimizer = create_optimizer_v2(net, opt="adamw", lr=1e-3, weight_decay=0.05) if trains else None

    def infer():
        net.eval()
        with torch.no_grad():
            run(images).sum().item()

    def train():
        net.train()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(run(images), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        loss.item()

    print(f"ready timm {timm.__version__}, torch {torch.__version__}", flush=True)
    for line in sys.stdin:
        started = time.perf_counter()
        {"infer": infer, "train": train}[line.strip()]()
        print(1000 * (time.perf_counter() - started), flush=True)


class Side:
    """A process that runs one step when asked. `failed` says why it does not, or no longer."""

    def __init__(self, command):
        self.failed, self.memory = "", 0.0
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        self.says = self.line().removeprefix("ready ")

    def line(self):
        line = self.process.stdout.readline().strip()
        if not line:
            self.failed = f"ended with exit code {self.process.wait()}"
        return line

    def milliseconds(self, step):
        if self.failed:
            return None
        try:
            self.process.stdin.write(step + "\n")
        except BrokenPipeError:
            self.failed = "ended"
            return None
        line = self.line()
        self.memory = peak_megabytes(self.process.pid) or self.memory
        return float(line) if line else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def peak_megabytes(process):
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s*(\d+)", status)
    return int(found.group(1)) / 1000 if found else 0.0


def start(options, model):
    peer = [options.python, __file__, "--serve", model, "--batch", options.batch, "--threads", options.threads]
    return {"Headlight": Side([options.bench, MODELS[model][0], options.batch, options.threads]),
            "timm": Side(peer), "compiled": Side([*peer, "--compiled"])}


def measure(sides, step, pairs):
    """Milliseconds of each side that can do it, pair by pair; the first of each warms up."""
    for side in sides.values():
        side.milliseconds(step)
    taken = {name: [] for name in sides}
    for _ in range(pairs):
        for name, side in sides.items():
            taken[name].append(side.milliseconds(step))
    return {name: times for name, times in taken.items() if None not in times}


def compared(taken, batch):
    """A cell of the table: ours, the faster peer's, and the median of the ratios."""
    ours = taken.get("Headlight")
    peers = {name: times for name, times in taken.items() if name != "Headlight"}
    if not ours or not peers:
        return "–"
    faster = min(peers, key=lambda name: statistics.median(peers[name]))
    ratio = statistics.median(peer / own for own, peer in zip(ours, peers[faster]))
    speeds = [1000 * batch / statistics.median(times) for times in (ours, peers[faster])]
    mark = ", compiled" if faster == "compiled" else ""
    return f"{speeds[0]:.1f}, {speeds[1]:.1f} ({ratio:.2f}{mark})"


def row(options, model):
    sides = start(options, model)
    try:
        if sides["Headlight"].failed:
            sys.exit(f"error: {options.bench} {MODELS[model][0]}: {sides['Headlight'].failed}")
        cells = []
        for step in STEPS:
            can = step == "infer" or MODELS[model][4]
            cells.append(compared(measure(sides, step, options.pairs), options.batch) if can else "–")
        for name, side in sides.items():
            if side.failed:
                print(f"{model}: {name} {side.failed}", file=sys.stderr)
        memory = ", ".join(f"{sides[name].memory:.0f}" for name in ("Headlight", "timm"))
        return [model, *cells, memory], [side.says for side in sides.values()][:2]
    finally:
        for side in sides.values():
            side.close()


def markdown(rows):
    head = ["Model", *STEPS.values(), "Peak MB"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" if line[0] != "---" else f"|{'|'.join(line)}|\n" for line in lines)


def with_table(page, heading, table):
    """The page, its first table below the heading being this one."""
    found = re.search(rf"(^## {re.escape(heading)}\n(?:(?!## |\|).*\n)*)((?:\|.*\n)+)", page, re.MULTILINE)
    if not found:
        sys.exit(f'error: there is no table below "## {heading}"')
    return page[:found.start(2)] + table + page[found.end(2):]


def use_the_same_kernels(bench):
    """OpenBLAS takes slow ones on a processor that it does not know; Headlight mends that for itself."""
    if "OPENBLAS_CORETYPE" not in os.environ:
        core = subprocess.run([bench, "--core"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        if core:
            os.environ["OPENBLAS_CORETYPE"] = core


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", help="bench_model")
    parser.add_argument("--python", default=sys.executable, help="one that has timm and torch")
    parser.add_argument("--models", help="separated by semicolons; default: all")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="a page with the heading Models")
    parser.add_argument("--serve", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--compiled", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.batch, options.threads, options.compiled)
        return
    if not options.bench:
        parser.error("--bench is missing")
    names = options.models.split(";") if options.models else list(MODELS)
    for name in names:
        if name not in MODELS:
            parser.error(f"--models: there is no {name}; there are {'; '.join(MODELS)}")
    if options.write and options.models:
        parser.error("--write needs all models: the table is replaced as a whole")
    if options.write:  # hours before it is written
        with_table(options.write.read_text(encoding="utf-8"), "Models", "")
    use_the_same_kernels(options.bench)
    rows, said = [], []
    for name in names:
        cells, said = row(options, name)
        rows.append(cells)
        print(" | ".join(cells), file=sys.stderr, flush=True)
    print(f"{said[0]}; {said[1]}; {options.threads} threads, batch {options.batch}, {options.pairs} pairs\n")
    print(markdown(rows), end="")
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(with_table(page, "Models", markdown(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
