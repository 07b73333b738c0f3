#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains the ready detector and the ready segmenter from scratch, with linear-angular and with
softmax attention, and prints what they reach and how long that took. Exit code 1 where AP50 or
mIoU is not above 80 %. Takes a quarter of an hour to half an hour on two cores.

    learn_scenes.py build/release/app/cli/headlight-cli
    learn_scenes.py headlight-cli --only detection --threads 1
"""
import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

PRESETS = pathlib.Path(__file__).resolve().parents[2] / "models/presets"
MEASURES = {"detection": "ap50", "segmentation": "miou"}
MECHANISMS = {"linear_angular": [], "softmax": ["--model.mechanism", "softmax"]}
LEAST = 0.8


def learned(program, preset, mechanism, folder, threads):
    """The measure of the last epoch, and the seconds of all."""
    run = pathlib.Path(folder) / f"{preset}-{mechanism}"
    flags = MECHANISMS[mechanism] + ["--threads", str(threads)]
    subprocess.run([program, "train", str(PRESETS / f"{preset}.json"), "--run", str(run)] + flags,
                   check=True, stdout=subprocess.DEVNULL)
    with open(run / "metrics.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return float(rows[-1][MEASURES[preset]]), sum(float(row["seconds"]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="headlight-cli")
    parser.add_argument("--only", choices=sorted(MEASURES), help="train this preset alone")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for preset in [options.only] if options.only else sorted(MEASURES):
            for mechanism in MECHANISMS:
                value, seconds = learned(options.program, preset, mechanism, folder,
                                         options.threads)
                failed |= value <= LEAST
                print(f"{preset:13} {mechanism:15} {MEASURES[preset]} {100 * value:.1f} %  "
                      f"{seconds:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
