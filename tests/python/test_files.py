# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that save() writes, and what headlight-cli reads in them."""
import os
import pathlib
import tempfile
import unittest
import warnings

import torch

import headlight_maps
from headlight_maps import HeadlightError, safetensors
from models import Swin, Vit
from program import answer, needs_cli, read_tensors, run


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "maps.safetensors"
        warnings.simplefilter("ignore")

    def save(self, model, images, **options):
        self.assertEqual(headlight_maps.save(model, images, self.path, **options), self.path)

    def test_numbers_are_written_as_they_are(self):
        tensors = {"a": torch.randn(3, 5), "b": torch.randn(7).half(), "c": torch.randn(4).bfloat16(),
                   "d": torch.arange(6).view(2, 3).t(), "e": torch.empty(0, 3),
                   "f": torch.arange(5, dtype=torch.uint8)}
        safetensors.write(self.path, tensors, {"key": "“value”"})
        again = read_tensors(self.path)
        self.assertEqual(list(again), list(tensors))
        for name, tensor in tensors.items():
            self.assertTrue(torch.equal(again[name], tensor), name)

    def test_the_old_file_or_the_new_one(self):
        self.save(Vit(["eager"]), torch.rand(1, 3, 16, 16))
        before = self.path.read_bytes()
        with self.assertRaises(KeyError):
            safetensors.write(self.path, {"a": torch.zeros(3, dtype=torch.complex64)}, {})
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder.name), ["maps.safetensors"])
        self.assertEqual(self.path.stat().st_mode & 0o777, safetensors.readable_mode())

    def test_where_nothing_can_be_written(self):
        for path, words in ((self.folder.name, "is a folder"),
                            (self.path.parent / "gone" / "maps.safetensors", "cannot be written")):
            with self.assertRaises(HeadlightError) as caught:
                headlight_maps.save(Vit(["eager"]), torch.rand(1, 3, 16, 16), path)
            self.assertIn(words, str(caught.exception))
            self.assertIn(str(path), str(caught.exception))

    @needs_cli
    def test_headlight_reads_the_same_numbers(self):
        names = ["tench", "“fish”", "c", "d", "e"]
        images = (torch.rand(2, 3, 16, 24) * 255).round() / 255
        model = Vit(["eager", "fused", "multihead"], prefix=3).eval()
        self.save(model, images, class_names=names, registers=2)
        run("attend", "maps.safetensors", "-o", "again.safetensors", folder=self.folder.name)
        again = read_tensors(self.path.parent / "again.safetensors")
        maps = headlight_maps.collect(model, images)
        for layer, reference in zip(maps.layers, model.seen()):
            written = again[f"attention.{layer.number}"]
            self.assertTrue(torch.equal(written, layer.maps))
            self.assertLess((written - reference).abs().max().item(), 1e-6)
        self.assertTrue(torch.equal(again["logits"], maps.logits))
        self.assertEqual(again["rollout"].shape, (2, 24))
        results = answer("predict", "maps.safetensors", folder=self.folder.name)["results"]
        for result, row in zip(results, maps.logits):
            self.assertEqual(result["top"][0]["index"], row.argmax().item())
            self.assertEqual(result["top"][0]["name"], names[row.argmax().item()])
            self.assertAlmostEqual(result["top"][0]["probability"], row.softmax(0).max().item(), 5)

    @needs_cli
    def test_inspect_lists_what_was_written(self):
        self.save(Vit(["eager"]), torch.rand(2, 3, 16, 16))
        text = run("inspect", self.path).stdout
        for part in ("attention.0", "[2, 2, 17, 17]", "[2, 16, 16, 3]", "prefix: 1"):
            self.assertIn(part, text)

    def test_what_nothing_shows_is_not_written(self):
        self.save(Vit(["eager"]), torch.rand(2, 3, 16, 16))
        self.assertEqual([name for name in read_tensors(self.path) if name.startswith("tokens")], [])

    @needs_cli
    def test_windows_and_half_precision(self):
        self.save(Swin((4, 6), [(0, 0), (1, 1)]), torch.rand(1, 3, 16, 24), logits=False,
                  dtype=torch.float16)
        run("attend", "maps.safetensors", "-o", "again.safetensors", folder=self.folder.name)
        again = read_tensors(self.path.parent / "again.safetensors")
        self.assertEqual(again["attention.1"].shape, (1, 2, 24, 24))
        self.assertLess((again["attention.1"].sum(-1) - 1).abs().max().item(), 2e-3)


if __name__ == "__main__":
    unittest.main()
