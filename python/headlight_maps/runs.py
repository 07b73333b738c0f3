# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's folder as tensors. Reads only, also while the run goes on.

Lines that are damaged or not whole yet are passed over, as the window does, and counted in `notes`.
"""
import dataclasses
import json
import os
import pathlib
import typing

import torch

from .errors import HeadlightError
from .evolution import Evolution
from .tables import column, matrix, number, stacked

MOST_LINE = 16 << 20
WHOLE = {"step", "steps", "epoch", "skipped_steps", "peak_bytes"}
SEQUENCE = "validation"


@dataclasses.dataclass
class Run:
    folder: pathlib.Path
    config: dict
    steps: dict   # a column of numbers for each key of the lines of steps: "step", "loss", …
    epochs: dict  # … of epochs: "epoch", "train_loss", "validation_loss", "top1", …
    start: dict   # before the first step: "validation_loss", "top1", "top5"
    heads: dict   # "step" [P], "als" and "alpha" [P, layers, heads], and readings [P, layers]
    edits: list   # mask edits with their steps, as they were logged
    evolution: typing.Optional[Evolution]
    notes: list = dataclasses.field(default_factory=list)

    def __repr__(self):
        return (f"Run({str(self.folder)!r}: {len(self.steps.get('step', []))} steps, "
                f"{len(self.epochs.get('step', []))} epochs, "
                f"{len(self.heads['step'])} measurements of heads)")


def small_file(path):
    """Its bytes, or None where there is none. Links, pipes and devices are refused."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or not path.is_file():
        raise HeadlightError(path, "is no regular file, and runs have no other")
    try:
        return path.read_bytes()
    except OSError as error:
        raise HeadlightError(path, f"cannot be read ({error.strerror})") from None


def json_or_none(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def lines_of(path, notes):
    """The objects of a file of JSON lines that have a step."""
    if not os.path.lexists(path):
        return
    if path.is_symlink() or not path.is_file():
        raise HeadlightError(path, "is no regular file, and runs have no other")
    damaged = 0
    with open(path, "rb") as stream:
        while line := stream.readline(MOST_LINE):
            if not line.endswith(b"\n"):
                break  # being written, or too long to be a run's
            value = json_or_none(line)
            if isinstance(value, dict) and isinstance(value.get("step"), int):
                yield value
            else:
                damaged += 1
    if damaged:
        notes.append(f"{path.name}: {damaged} damaged lines were passed over")


def columns(lines):
    names = list(dict.fromkeys(name for line in lines for name in line))
    return {name: column([line.get(name) for line in lines], name in WHOLE)
            for name in names if name not in ("type", "run")}


def readings(lines):
    """{name: [P, layers]} of what mechanisms measure of themselves."""
    def of_layer(line, layer):
        layers = line.get("readings")
        values = layers[layer] if isinstance(layers, list) and layer < len(layers) else {}
        return values if isinstance(values, dict) else {}

    depth = max((len(line["readings"]) for line in lines
                 if isinstance(line.get("readings"), list)), default=0)
    names = {name for line in lines for layer in range(depth) for name in of_layer(line, layer)}
    return {name: torch.tensor([[number(of_layer(line, layer).get(name)) for layer in range(depth)]
                                for line in lines]) for name in sorted(names)}


def matrices(lines, name):
    def one(line):
        try:
            return matrix(line.get(name) or [])
        except (TypeError, ValueError):
            return torch.empty(0, 0)
    return stacked([one(line) for line in lines])


def heads_of(lines):
    table = {"step": column([line["step"] for line in lines], True)}
    table.update((name, matrices(lines, name)) for name in ("als", "alpha"))
    table.update(readings(lines))
    return table


def require_run(folder):
    if not folder.is_dir():
        raise HeadlightError(folder, "is no folder; give the folder of a run (train --run FOLDER)")
    if not any((folder / name).exists() for name in ("metrics.jsonl", "config.json")):
        raise HeadlightError(folder, "is no run: it has neither metrics.jsonl nor config.json. Give "
                             "the folder of one run, not the one that holds several")


def load(run):
    """Metrics, head metrics, mask edits and evolution of the run in the folder `run`."""
    folder = pathlib.Path(run)
    require_run(folder)
    notes = []
    config = json_or_none(small_file(folder / "config.json") or b"{}")
    if not isinstance(config, dict):
        notes.append("config.json is damaged and was passed over")
        config = {}
    kinds = {}
    for line in lines_of(folder / "metrics.jsonl", notes):
        kinds.setdefault(str(line.get("type")), []).append(line)
    start = {name: value for name, value in (kinds.get("start") or [{}])[-1].items()
             if name not in ("type", "run")}
    edits = list(lines_of(folder / "masks.jsonl", notes))
    recording = folder / "evolution.bin"
    return Run(folder, config, columns(kinds.get("step", [])),
               columns(kinds.get("epoch", []) or kinds.get(SEQUENCE, [])), start,
               heads_of(kinds.get("heads", [])), edits, evolution_of(recording, notes), notes)


def evolution_of(path, notes):
    """Nothing where none was recorded; one that is damaged does not hide the metrics."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink() or not path.is_file():
        raise HeadlightError(path, "is no regular file, and runs have no other")
    try:
        return Evolution(path)
    except HeadlightError as error:
        notes.append(str(error))
        return None
