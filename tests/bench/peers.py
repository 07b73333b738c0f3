#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of models beside timm's in "Speed", by one command.

    cmake --preset bench && cmake --build --preset bench
    python3 tests/bench/peers.py --bench build/release/tests/bench/bench_model \\
        --python /path/to/venv/bin/python [--write resources/help/speed.md]

Processes take turns, step by step: Headlight (bench_model), timm as it is and by torch.compile, all
of them in float32 and, where the processor has such products, in bfloat16 (timm by autocast), and
timm's matrix products and convolutions alone, with nothing between them: the floor in float32.
Printed are medians in images per second, of the peers the faster one's, medians of the pairwise
ratios (above 1 Headlight is faster), and the most memory that a process took (Headlight, timm as it
is). With --write the tables under "## Models" of that file become these. --python needs timm and
torch; this Python needs nothing.
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


def recorded(net, images):
    """The products of a forward pass of `net` and those of the backward pass, as functions that compute
    each again from other numbers of the same sizes."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    aten = torch.ops.aten
    wanted = {aten.mm.default, aten.addmm.default, aten.bmm.default, aten.baddbmm.default,
              aten.convolution.default, aten.convolution_backward.default}
    alike = {}

    def stand_in(value):
        if not isinstance(value, torch.Tensor):
            return value
        key = tuple(value.shape), tuple(value.stride())
        if key not in alike:
            alike[key] = torch.randn(key[0]) if 0 in key[1] else torch.empty_strided(*key).normal_()
        return alike[key]

    class Recorder(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.products = []

        def __torch_dispatch__(self, function, types, arguments=(), named=None):
            if function in wanted:
                given = [stand_in(value) for value in arguments]
                self.products.append(lambda: function(*given, **(named or {})))
            return function(*arguments, **(named or {}))

    with Recorder() as forward:
        out = net(images)
    with Recorder() as backward:
        if out.requires_grad:
            out.sum().backward()
    return forward.products, backward.products


def steps_of_products(model, images):
    """What timm's model multiplies, its attention by plain products. Scores, softmax, norms, activations,
    sums, loss and optimizer are left out."""
    import timm
    import torch
    timm.layers.set_fused_attn(False)
    _, name, arguments, _, trains = MODELS[model]
    net = timm.create_model(name, **arguments).eval()
    for parameter in net.parameters():
        parameter.requires_grad_(trains)
    forward, backward = recorded(net, images)

    def run(products):
        with torch.no_grad():
            for product in products:
                product()

    return {"infer": lambda: run(forward), "train": lambda: run(forward + backward)}


def steps_of_timm(model, images, compiled, precision):
    import timm
    import torch
    from timm.loss import LabelSmoothingCrossEntropy
    from timm.optim import create_optimizer_v2

    _, name, arguments, _, trains = MODELS[model]
    net = timm.create_model(name, **arguments)
    run = torch.compile(net) if compiled else net
    labels = torch.randint(0, 1000, (len(images),))
    criterion = LabelSmoothingCrossEntropy(0.1)
    optimizer = create_optimizer_v2(net, opt="adamw", lr=1e-3, weight_decay=0.05) if trains else None

    def forward():
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
            return run(images)

    def infer():
        net.eval()
        with torch.no_grad():
            forward().sum().item()

    def train():
        net.train()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(forward().float(), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        loss.item()

    return {"infer": infer, "train": train}


def serve(model, batch, threads, what, precision):
    """timm's model, as bench_model has ours: "ready …", then milliseconds for each "infer" or "train"."""
    import timm
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    images = torch.randn(batch, 3, *2 * [MODELS[model][3]])
    steps = (steps_of_products(model, images) if what == "products" else
             steps_of_timm(model, images, what == "compiled", precision))
    print(f"ready timm {timm.__version__}, torch {torch.__version__}", flush=True)
    for line in sys.stdin:
        started = time.perf_counter()
        steps[line.strip()]()
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
    """By what they are and what they compute in."""
    def ours(precision):
        return Side([options.bench, MODELS[model][0], options.batch, options.threads, precision])

    def peer(what, precision):
        return Side([options.python, __file__, "--serve", model, "--batch", options.batch, "--threads",
                     options.threads, "--what", what, "--precision", precision])

    sides = {}
    for precision in ("float32", "bfloat16"):
        sides["Headlight", precision] = ours(precision)
        if sides["Headlight", precision].failed:  # no such products here
            continue
        for what in ("eager", "compiled"):
            sides[what, precision] = peer(what, precision)
    sides["products", "float32"] = peer("products", "float32")
    return sides


def measure(sides, step, pairs):
    """Milliseconds of each side that can do it, pair by pair; the first two of each warm up."""
    for side in 2 * list(sides.values()):
        side.milliseconds(step)
    taken = {name: [] for name in sides}
    for _ in range(pairs):
        for name, side in sides.items():
            taken[name].append(side.milliseconds(step))
    return {name: times for name, times in taken.items() if None not in times}


class Comparison:
    """What the sides took for a step, as the cells of a row."""

    def __init__(self, taken, batch):
        self.taken, self.batch = taken, batch

    def speed(self, side):
        """Images per second."""
        return 1000 * self.batch / statistics.median(self.taken[side])

    def ratio(self, side, other):
        """How many times as fast as the other, by pairs."""
        return statistics.median(b / a for a, b in zip(self.taken[side], self.taken[other]))

    def faster_peer(self, precision):
        there = [(what, precision) for what in ("eager", "compiled") if (what, precision) in self.taken]
        return min(there, key=lambda side: statistics.median(self.taken[side]), default=None)

    def beside_peer(self, precision):
        ours, peer = ("Headlight", precision), self.faster_peer(precision)
        if ours not in self.taken:
            return "–"
        if not peer:
            return f"{self.speed(ours):.1f}"
        mark = ", compiled" if peer[0] == "compiled" else ""
        return f"{self.speed(ours):.1f}, {self.speed(peer):.1f} ({self.ratio(ours, peer):.2f}{mark})"

    def of(self, side, other):
        return f"{self.ratio(side, other):.2f}" if side in self.taken and other in self.taken else "–"

    def cells(self):
        plain, narrow = ("Headlight", "float32"), ("Headlight", "bfloat16")
        return [self.beside_peer("float32"), self.of(("products", "float32"), plain),
                self.beside_peer("bfloat16"), self.of(narrow, plain)]


def row(options, model):
    """The cells of each step's table, and what runs here."""
    sides = start(options, model)
    try:
        ours, theirs = sides["Headlight", "float32"], sides.get(("eager", "float32"))
        if ours.failed:
            sys.exit(f"error: {options.bench} {MODELS[model][0]}: {ours.failed}")
        cells = {}
        for step in STEPS if MODELS[model][4] else ["infer"]:
            compared = Comparison(measure(sides, step, options.pairs), options.batch)
            cells[step] = [model, *compared.cells(), f"{ours.memory:.0f}, {theirs.memory:.0f}"]
        for (what, precision), side in sides.items():
            if side.failed:
                print(f"{model}: {what} in {precision} {side.failed}", file=sys.stderr)
        return cells, [ours.says, theirs.says]
    finally:
        for side in sides.values():
            side.close()


def markdown(rows):
    """A table of inference and one of training."""
    tables = []
    for step, title in STEPS.items():
        head = [title, "float32", "products alone", "bfloat16", "over float32", "Peak MB"]
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *(cells[step] for cells in rows if step in cells)]
        tables.append("".join(f"| {' | '.join(line)} |\n" if line[0] != "---" else f"|{'|'.join(line)}|\n"
                              for line in lines))
    return "\n".join(tables)


def with_table(page, heading, table):
    """The page, its tables below the heading being these."""
    found = re.search(rf"(^## {re.escape(heading)}\n(?:(?!## |\|).*\n)*)((?:\|.*\n)+(?:\n(?:\|.*\n)+)*)", page,
                      re.MULTILINE)
    if not found:
        sys.exit(f'error: there is no table below "## {heading}"')
    return page[:found.start(2)] + table + page[found.end(2):]


def share_the_machine(bench):
    """OpenBLAS takes slow ones on a processor that it does not know; Headlight mends that for itself."""
    os.environ.pop("OMP_WAIT_POLICY", None)  # threads of idle sides that spin would take the cores
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
    parser.add_argument("--what", choices=["eager", "compiled", "products"], help=argparse.SUPPRESS)
    parser.add_argument("--precision", choices=["float32", "bfloat16"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.batch, options.threads, options.what, options.precision)
        return
    if not options.bench:
        parser.error("--bench is missing")
    names = options.models.split(";") if options.models else list(MODELS)
    for name in names:
        if name not in MODELS:
            parser.error(f"--models: there is no {name}; there are {'; '.join(MODELS)}")
    if options.write and options.models:
        parser.error("--write needs all models: the tables are replaced as a whole")
    if options.write:  # hours before it is written
        with_table(options.write.read_text(encoding="utf-8"), "Models", "")
    share_the_machine(options.bench)
    rows, said = [], []
    for name in names:
        cells, said = row(options, name)
        rows.append(cells)
        for step, line in cells.items():
            print(f"{step}: {' | '.join(line)}", file=sys.stderr, flush=True)
    print(f"{said[0]}; {said[1]}; {options.threads} threads, batch {options.batch}, {options.pairs} pairs\n")
    print(markdown(rows), end="")
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        options.write.write_text(with_table(page, "Models", markdown(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
