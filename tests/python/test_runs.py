# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as tensors: one that headlight-cli trains, and damaged ones."""
import importlib.util
import json
import math
import os
import pathlib
import random
import struct
import tempfile
import unittest

import torch

import headlight_maps
from headlight_maps import Evolution, HeadlightError
from headlight_maps.crc32c import crc32c, walked
from program import answer, needs_cli, run

PRESET = pathlib.Path(__file__).resolve().parents[2] / "models/presets/demo.json"
SMALL = ["--training.epochs", "2", "--data.train_samples", "128", "--data.validation_samples", "64",
         "--telemetry.als_steps", "2", "--device", "cpu"]


def record(kind, content):
    head = struct.pack("<II", kind, len(content))
    return head + struct.pack("<I", crc32c(head)) + content + struct.pack("<I", crc32c(content))


def described(value, rest=b""):
    text = json.dumps(value).encode()
    return struct.pack("<I", len(text)) + text + rest


BEGINNING = {"run": "", "meaning": "", "signed": False, "rows_sum_to_one": True, "stride": 1,
             "layers": [{"heads": 1, "rows": 1, "columns": 2, "prefix": 0, "queries": [0]}],
             "pictures": [{"index": 3, "label": 1, "name": "a", "bytes": 2}], "classes": ["a", "b"]}
POINT = {"step": 7, "epoch": 0, "als": [[0.5]], "alpha": [[None]], "top": [[[1, 0.75]]],
         "rollout": False, "tensors": [{"name": "w", "shape": [2]}]}
ROWS = bytes([255, 51]) + struct.pack("<f", 0.5) + struct.pack("<2e", 1.5, -2)


def recording(beginning=BEGINNING, point=POINT, rows=ROWS):
    preamble = b"HLEVOLVE" + struct.pack("<I", 1)
    return (preamble + struct.pack("<I", crc32c(preamble)) + record(1, described(beginning, b"xy")) +
            record(9, b"later kinds are passed over") + record(2, described(point, rows)))


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


class RunsTest(Folder):
    def test_lines_become_columns(self):
        self.write("metrics.jsonl", "\n".join([
            '{"type":"start","step":0,"validation_loss":2.5,"top1":0.1,"run":"a"}',
            '{"type":"step","step":1,"loss":2.25,"epoch":0}',
            '{"type":"step","step":2,"loss":null,"epoch":0,"skipped":true}',
            'damaged', '[1]', '{"step":' + "[" * 5000,
            '{"type":"epoch","step":2,"epoch":1,"top1":0.5,"best":true}',
            '{"type":"heads","step":2,"als":[[1,2],[3]],"alpha":[[null,2],[3]],'
            '"readings":[{"scale":4},{}]}',
            '{"type":"step","step":3,"loss":']))
        self.write("masks.jsonl", '{"step":1,"layer":0}\n')
        loaded = headlight_maps.load(self.folder)
        self.assertEqual(loaded.steps["step"].tolist(), [1, 2])
        self.assertEqual(loaded.steps["loss"][0].item(), 2.25)
        self.assertTrue(math.isnan(loaded.steps["loss"][1]))
        self.assertEqual(loaded.steps["skipped"][1].item(), 1)
        self.assertEqual(loaded.epochs["top1"].tolist(), [0.5])
        self.assertEqual(loaded.start, {"step": 0, "validation_loss": 2.5, "top1": 0.1})
        self.assertEqual(loaded.heads["als"].shape, (1, 2, 2))
        self.assertEqual(loaded.heads["als"][0, 1, 0].item(), 3)
        self.assertTrue(math.isnan(loaded.heads["alpha"][0, 0, 0]))
        self.assertEqual(loaded.heads["scale"][0, 0].item(), 4)
        self.assertEqual(loaded.edits, [{"step": 1, "layer": 0}])
        self.assertIsNone(loaded.evolution)
        self.assertEqual(loaded.notes, ["metrics.jsonl: 3 damaged lines were passed over"])

    def test_refusals(self):
        for path, words in ((self.folder / "gone", "is no folder"), (self.folder, "is no run")):
            with self.assertRaises(HeadlightError) as caught:
                headlight_maps.load(path)
            self.assertIn(words, str(caught.exception))
        self.write("config.json", "{}")
        for name in ("metrics.jsonl", "masks.jsonl", "evolution.bin"):
            os.mkfifo(self.folder / name)
            with self.assertRaises(HeadlightError) as caught:
                headlight_maps.load(self.folder)
            self.assertIn("no regular file", str(caught.exception))
            os.unlink(self.folder / name)
        os.symlink("/dev/zero", self.folder / "metrics.jsonl")
        with self.assertRaises(HeadlightError):
            headlight_maps.load(self.folder)

    @needs_cli
    def test_a_run_of_the_program(self):
        run("train", PRESET, "--run", "run", *SMALL, folder=self.folder)
        loaded = headlight_maps.load(self.folder / "run")
        self.assertEqual((loaded.config["name"], loaded.notes), ("demo", []))
        self.assertEqual(loaded.epochs["epoch"].tolist(), [1, 2])
        told = answer("evolution", "run", "--values", "--layer", "2", "--query", "class",
                      "--image", "1", folder=self.folder)
        evolution = loaded.evolution
        self.assertEqual(len(evolution), len(told["points"]))
        for point, expected in zip(evolution.points(), told["points"]):
            self.assertEqual((point.step, point.epoch), (expected["step"], expected["epoch"]))
            self.assertLess((point.als - torch.tensor(expected["als"])).abs().max().item(), 1e-6)
            values = [each["values"] for each in told["maps"]["maps"] if each["step"] == point.step]
            seen = point.maps(2)[1, :, evolution.layers[2].queries.index(0), 1:]
            self.assertLess((seen - torch.tensor(values)).abs().max().item(), 1e-6)
            self.assertEqual(point.rollout().shape, (4, 144))
        self.assertEqual(loaded.heads["step"].tolist(), [p["step"] for p in told["points"]])
        steps, maps = evolution.stacked(2)
        self.assertEqual(maps.shape[:3], (len(evolution), 4, 4))
        if importlib.util.find_spec("PIL"):
            self.assertEqual(evolution.images[0].pixels().shape, (3, 48, 48))


class EvolutionTest(Folder):
    def test_checksums(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        for size in (0, 1, 8191, 8192, 100_003):
            content = random.Random(size).randbytes(size)
            self.assertEqual(crc32c(content), walked(0xFFFFFFFF, content) ^ 0xFFFFFFFF)

    def test_values(self):
        evolution = Evolution(self.write("evolution.bin", recording()))
        self.assertEqual((len(evolution), evolution.notes), (1, []))
        self.assertEqual((evolution.images[0].name, evolution.images[0].png), ("a", b"xy"))
        point = evolution[-1]
        self.assertEqual((point.step, point.top), (7, [[(1, 0.75)]]))
        self.assertEqual(point.maps(0).flatten()[0].item(), 0.5)
        self.assertAlmostEqual(point.maps(0).flatten()[1].item(), 0.1, 7)
        self.assertEqual(point.tensors["w"].tolist(), [1.5, -2])
        self.assertIsNone(point.rollout())
        signed = Evolution(self.write("signed.bin", recording(dict(BEGINNING, signed=True))))
        self.assertEqual(signed[0].maps(0).flatten()[0].item(), 0.5)

    def test_what_grows_and_what_is_damaged(self):
        whole = recording()
        cut = Evolution(self.write("evolution.bin", whole[:-3]))
        self.assertEqual((len(cut), cut.notes), (0, []))
        damaged = bytearray(whole)
        damaged[-6] ^= 1
        evolution = Evolution(self.write("evolution.bin", bytes(damaged)))
        with self.assertRaises(HeadlightError):
            evolution[0]
        self.assertEqual(list(evolution.points()), [])
        self.assertEqual(len(evolution.notes), 1)
        for content, words in ((b"nothing at all, but long", "no recording"),
                               (b"HLEVOLVE" + b"\0" * 8, "no"), (b"", "no beginning")):
            with self.assertRaises(HeadlightError):
                Evolution(self.write("evolution.bin", content))
        self.write("metrics.jsonl", "")
        self.write("evolution.bin", b"nothing at all, but long")
        loaded = headlight_maps.load(self.folder)
        self.assertIsNone(loaded.evolution)
        self.assertIn("not a recording", loaded.notes[0])

    def test_contents_that_lie(self):
        layer = BEGINNING["layers"][0]
        for beginning in (dict(BEGINNING, layers=[]), dict(BEGINNING, layers=[dict(layer, rows=-1)]),
                          dict(BEGINNING, layers=[dict(layer, queries=[2])]),
                          dict(BEGINNING, layers=[dict(layer, heads=True)]),
                          dict(BEGINNING, pictures=[dict(BEGINNING["pictures"][0], bytes=1 << 29)]),
                          [1], "a", dict(BEGINNING, classes=None)):
            with self.assertRaises(HeadlightError):
                Evolution(self.write("evolution.bin", recording(beginning)))
        for point in (dict(POINT, step="a"), dict(POINT, als=[1]), dict(POINT, top=[]),
                      dict(POINT, rollout=True), dict(POINT, tensors=[{"name": "w", "shape": [9]}]),
                      dict(POINT, tensors=[{"name": "w", "shape": [1 << 40, 1 << 40]}]),
                      dict(POINT, tensors=[]), dict(POINT, top=[[[1, 10 ** 400, 3]]]), [],
                      dict(POINT, step=10 ** 30)):
            evolution = Evolution(self.write("evolution.bin", recording(point=point)))
            with self.assertRaises(HeadlightError, msg=str(point)[:80]):
                evolution[0]
        wide = dict(BEGINNING, layers=[dict(layer, heads=4096, rows=1024, columns=1024)])
        with self.assertRaises(HeadlightError):
            Evolution(self.write("evolution.bin", recording(wide)))[0]

    def test_mutations_end_in_a_value_or_an_error(self):
        dice, whole = random.Random(5), recording()
        for _ in range(300):
            content = bytearray(whole)
            for _ in range(dice.randint(1, 4)):
                content[dice.randrange(len(content))] = dice.randrange(256)
            path = self.write("evolution.bin", bytes(content[:dice.randint(1, len(content))]))
            try:
                list(Evolution(path).points())
            except HeadlightError:
                pass

    def test_mutated_contents_with_right_checksums(self):
        dice = random.Random(6)
        beginning, point = described(BEGINNING, b"xy"), described(POINT, ROWS)
        for _ in range(300):
            parts = [bytearray(beginning), bytearray(point)]
            part = parts[dice.randrange(2)]
            part[dice.randrange(len(part))] = dice.randrange(256)
            preamble = recording()[:16]
            content = preamble + record(1, bytes(parts[0])) + record(2, bytes(parts[1]))
            try:
                list(Evolution(self.write("evolution.bin", content)).points())
            except HeadlightError:
                pass


if __name__ == "__main__":
    unittest.main()
