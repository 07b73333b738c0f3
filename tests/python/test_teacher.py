# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a teacher's logits, and a training that distills from one."""
import json
import pathlib
import tempfile
import unittest

import torch

import headlight_maps
from headlight_maps import HeadlightError
from headlight_maps.teacher import key_of
from program import needs_cli, read_tensors, run


class TeacherTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "teacher.safetensors"

    def test_keys_are_fnv(self):
        # Test vectors of the algorithm's authors (Fowler, Noll, Vo).
        self.assertEqual(key_of("") % 2**64, 0xcbf29ce484222325)
        self.assertEqual(key_of("a") % 2**64, 0xaf63dc4c8601ec8c)
        self.assertEqual(key_of("foobar") % 2**64, 0x85944171f73967e8)

    def test_rows_are_written_as_they_are(self):
        logits, features = torch.randn(3, 5), torch.randn(3, 7).half()
        headlight_maps.save_teacher(self.path, ["a", "b", "c"], logits, features, "vwxyz")
        tensors = read_tensors(self.path)
        self.assertTrue(torch.equal(tensors["logits"], logits))
        self.assertTrue(torch.equal(tensors["features"], features))
        self.assertEqual(tensors["keys"].tolist(), [key_of(name) for name in "abc"])

    def test_what_is_refused(self):
        bad = torch.zeros(2, 3)
        bad[1, 2] = float("nan")
        for options, words in (
                ({}, "logits, features or both"),
                ({"logits": torch.zeros(3, 3)}, "one row for each of the 2 names"),
                ({"logits": bad}, "not finite"),
                ({"logits": torch.zeros(2, 3, dtype=torch.int64)}, "floating-point"),
                ({"logits": torch.zeros(2, 3), "class_names": ["x"]}, "1 names")):
            with self.assertRaises(HeadlightError) as caught:
                headlight_maps.save_teacher(self.path, ["a", "b"], **options)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(HeadlightError):
            headlight_maps.save_teacher(self.path, ["a", "a"], torch.zeros(2, 3))
        self.assertFalse(self.path.exists())

    @needs_cli
    def test_headlight_learns_from_it(self):
        folder = pathlib.Path(self.folder.name)
        classes = [f"c{i}" for i in range(2)]
        names = []
        for name in classes:
            (folder / "data" / "train" / name).mkdir(parents=True)
            (folder / "data" / "val" / name).mkdir(parents=True)
            for number in range(4):
                split = "val" if number == 3 else "train"
                file = folder / "data" / split / name / f"{number}.ppm"
                file.write_bytes(b"P6 16 16 255\n" + bytes([40 * number + 9] * 768))
                if split == "train":
                    names.append(f"train/{name}/{number}.ppm")
        headlight_maps.save_teacher(self.path, names, torch.randn(6, 2), class_names=classes)
        (folder / "config.json").write_text(json.dumps({
            "model": {"image_size": 16, "patch_size": 8, "width": 16, "depth": 1, "heads": 2},
            "data": {"dataset": "image-folder", "path": "data",
                     "teacher_logits": "teacher.safetensors"},
            "training": {"epochs": 1, "batch_size": 3, "distillation": "soft"},
            "telemetry": {"metrics_steps": 1}}))
        run("train", "config.json", "--run", "run", "--device", "cpu", "--threads", "1",
            folder=self.folder.name)
        metrics = (folder / "run" / "metrics.jsonl").read_text()
        self.assertIn("distillation_loss", metrics)


if __name__ == "__main__":
    unittest.main()
