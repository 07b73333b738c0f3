#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains every plan of models/presets/sweeps for a moment, small by flags, and prints a row per
plan: runs finished, runs failed, seconds. Exit code 1 if any run failed or a plan was refused.

    run_small.py build/release/app/cli/headlight-cli
    run_small.py headlight-cli --only ibit-table4,aft-table5 --seconds 300

Data are generated, one seed, one epoch (two steps of sequences). Widths and depths that a variant
sets itself stay as they are, and so do those of models with stages: these runs need memory (some
GiB) and a free disk for a moment (a plan's runs are removed when it ends; --keep FOLDER keeps them).
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PLANS = pathlib.Path(__file__).resolve().parents[2] / "models/presets/sweeps"
BYTES_OF_TEXT = 400_000  # its validation split, a twentieth, holds the longest sequence: 4096
CANCELED = 130

EVERY = {"seeds": 0, "threads": 2}
CLASSIFIER = {
    "data.dataset": "texture-shape", "data.train_samples": 18, "data.validation_samples": 9,
    "training.epochs": 1, "training.batch_size": 9, "training.warmup_epochs": 0,
    "telemetry.als_steps": 0, "model.image_size": 32, "model.drop_path": 0,
}
ONE_STAGE = {"model.depth": 2}  # refused of models with stages, which have depths
DETECTOR = dict(CLASSIFIER, **{
    "data.dataset": "texture-scenes", "data.train_samples": 16, "data.validation_samples": 4,
    "training.batch_size": 8, "model.image_size": 64, "model.layout.size": "xs",
})
SEQUENCE = {
    "data.train_samples": 18, "data.validation_samples": 9, "model.width": 16, "model.depth": 1,
    "model.heads": 2, "model.rank": 2, "training.steps": 2, "training.batch_size": 2,
    "training.warmup_steps": 1, "training.evaluate_steps": 1, "training.evaluate_samples": 2,
    "training.checkpoint_steps": 2,
}
IMAGES = {"data.dataset": "texture-shape", "data.image_size": 4, "model.window": 8}
TEXT = {"model.length": 64, "model.window": 8}
# What a plan needs beside its kind: neither teacher nor weights, which are files; one block a stage.
OF_PLANS = {
    "castling-table1": {"model.depths": "1,1,1"},
    "lsla-table1": {"model.depths": "1,1,1,1"},
    "lsla-table4": {"model.depths": "1,1,1,1"},
    "lsla-table5": {"model.depths": "1,1,1,1"},
    "mait-table6": {"training.distillation": "none"},
    "aft-table8": {"training.weights": ""},
}
STAGES = ("swin", "levit", "mvitv2", "vit_lsla", "h_mait")


def flags_of(plan, text):
    """The flags that make a plan small, by path; `text`: a file for models of text."""
    base = plan["base"]
    flags = dict(EVERY)
    if base.get("task") == "sequence":
        flags.update(SEQUENCE)
        flags.update(dict(TEXT, **{"data.path": text}) if base["data"]["kind"] == "text" else IMAGES)
    elif base["data"]["dataset"] == "coco":
        flags.update(DETECTOR)
    else:
        flags.update(CLASSIFIER)
        if not any(name in json.dumps(plan["base"]) for name in STAGES):
            flags.update(ONE_STAGE)
    flags.update(OF_PLANS.get(plan["name"], {}))
    return flags


def command_of(cli, file, flags, output):
    words = [cli, "sweep", str(file), "--output", str(output), "--no-speed", "--json"]
    for path, value in flags.items():  # apart: "--training.weights=" would lack a value
        words += [f"--{path}", str(value)]
    return words


def last_event(lines, kind):
    for line in reversed(lines.splitlines()):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("event") == kind:
            return event
    return {}


def run_plan(cli, file, text, output, seconds):
    """(runs finished, failed, message): a plan that is refused or never ends fails as a whole."""
    plan = json.loads(file.read_text(encoding="utf-8"))
    total = len(plan.get("variants", plan.get("mechanisms", [])))
    command = command_of(cli, file, flags_of(plan, text), output)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 0, total, f"did not end within {seconds} s"
    except OSError as error:
        return 0, total, f"{cli}: {error.strerror}"
    if done.returncode == CANCELED:
        raise KeyboardInterrupt
    finished = last_event(done.stdout, "finished").get("runs", 0)
    message = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no message"])[-1]
    return finished, total - finished, message


def chosen(only):
    files = {file.stem: file for file in sorted(PLANS.glob("*.json"))}
    names = only.split(",") if only else list(files)
    unknown = [name for name in names if name not in files]
    if unknown:
        sys.exit(f"no plan {', '.join(unknown)} in {PLANS}")
    return [files[name] for name in names]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cli", metavar="HEADLIGHT-CLI", help="the program")
    parser.add_argument("--only", metavar="PLANS", help="these plans, separated by commas")
    parser.add_argument("--seconds", type=int, default=1800, help="bound for one plan (1800)")
    parser.add_argument("--keep", metavar="FOLDER", help="keep all runs in this folder")
    return parser.parse_args()


def main(given):
    failures = 0
    print(f"{'plan':28}{'finished':>10}{'failed':>8}{'seconds':>9}", flush=True)
    for file in chosen(given.only):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "text"
            text.write_bytes(b"a sentence of bytes, over and over\n" * (BYTES_OF_TEXT // 35))
            output = pathlib.Path(given.keep or folder) / file.stem
            begun = time.monotonic()
            finished, failed, message = run_plan(given.cli, file, text, output, given.seconds)
        failures += failed + (1 if message and not failed else 0)
        print(f"{file.stem:28}{finished:10}{failed:8}{time.monotonic() - begun:9.1f}", flush=True)
        if message:
            print(f"    {message}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(arguments()))
