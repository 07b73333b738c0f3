# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of every kind of attention beside the formula, and what else a forward pass gives."""
import unittest
import warnings

import torch
from torch import nn

import headlight_maps
from headlight_maps import HeadlightError, HeadlightWarning
from models import Swin, Vit


def collected(model, images, **options):
    """What is assumed or left out is in its notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return headlight_maps.collect(model, images, **options)


class MapsTest(unittest.TestCase):
    def assertMaps(self, maps, references, tolerance=1e-6):
        self.assertEqual(len(maps.layers), len(references))
        for layer, reference in zip(maps.layers, references):
            self.assertEqual(layer.maps.shape, reference.shape)
            self.assertLess((layer.maps - reference).abs().max().item(), tolerance, layer.name)

    def test_every_kind_of_attention(self):
        for kind in ("eager", "fused", "einsum", "talking", "gated", "multihead"):
            with self.subTest(kind):
                model = Vit([kind, kind])
                self.assertMaps(collected(model.eval(), torch.randn(2, 3, 16, 24)), model.seen())

    def test_encoder_layers_without_their_fast_path(self):
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        model = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.Flatten(2), Transposed(),
                              nn.TransformerEncoder(layer, 3)).eval()
        with torch.no_grad():
            before = model(torch.ones(2, 3, 8, 8))
        maps = collected(model, torch.ones(2, 3, 8, 8))
        self.assertEqual([list(each.maps.shape) for each in maps.layers], [[2, 2, 4, 4]] * 3)
        states = maps.layers[2].tokens
        self.assertLess((states - before).abs().max().item(), 1e-5)

    def test_tokens_logits_and_grid(self):
        model = Vit(["eager", "fused"]).eval()
        images = torch.randn(2, 3, 16, 24)
        maps = collected(model, images)
        with torch.no_grad():
            self.assertTrue(torch.equal(maps.logits, model(images)))
            self.assertTrue(torch.equal(
                model.head(maps.layers[1].tokens[:, 0]), maps.logits))
        self.assertEqual([(each.grid, each.prefix) for each in maps.layers], [((4, 6), 1)] * 2)
        self.assertEqual([each.name for each in maps.layers], ["blocks.0.attn", "blocks.1.attn"])
        self.assertEqual(maps.notes, [])

    def test_the_model_stays_as_it_was(self):
        model = Vit(["eager", "multihead"])
        model.train()
        model.head.eval()
        collected(model, torch.randn(1, 3, 16, 16))
        self.assertTrue(model.training and model.blocks[0].attn.drop.training)
        self.assertFalse(model.head.training)
        for module in model.modules():
            self.assertFalse(module._forward_hooks or module._forward_pre_hooks)
        self.assertTrue(all(p.grad is None for p in model.parameters()))

    def test_a_model_that_fails_stays_as_it_was(self):
        model = Vit(["eager"]).train()
        with self.assertRaises(RuntimeError):
            collected(model, torch.randn(1, 4, 16, 16))
        self.assertTrue(model.training)
        self.assertFalse(any(module._forward_hooks for module in model.modules()))

    def test_tensors_that_a_model_keeps_are_not_marked(self):
        class Keeping(Vit):
            def forward(self, images):
                x = self.embed(images).flatten(2).transpose(1, 2)
                self.kept = (x @ x.transpose(1, 2)).softmax(-1)
                return self.kept @ x
        model = Keeping(["eager"])
        collected(model, torch.randn(1, 3, 16, 16))
        self.assertFalse(hasattr(model.kept, "_headlight_map"))

    def test_masks_scales_and_causal_attention(self):
        from headlight_maps.softmax import map_of_dot_product
        q, k = torch.randn(1, 4, 5, 8), torch.randn(1, 2, 5, 8)
        allowed = torch.rand(5, 5) > 0.4
        allowed[2] = False
        maps = map_of_dot_product(q, k, k, allowed, scale=0.3, enable_gqa=True)
        logits = (q @ k.repeat_interleave(2, 1).transpose(2, 3) * 0.3)
        for i in range(5):
            shares = torch.where(allowed[i], logits[:, :, i].exp(), torch.zeros(()))
            expected = shares / shares.sum(-1, keepdim=True) if allowed[i].any() else shares
            self.assertLess((maps[:, :, i] - expected).abs().max().item(), 1e-6)
        causal = map_of_dot_product(q[:, :2], k, is_causal=True)
        self.assertEqual(causal.triu(1).abs().max().item(), 0)
        added = map_of_dot_product(q[:, :2], k, attn_mask=torch.full((5, 5), 2.5))
        self.assertLess((added - map_of_dot_product(q[:, :2], k)).abs().max().item(), 1e-6)

    def test_half_precision(self):
        model = Vit(["fused"]).bfloat16().eval()
        maps = collected(model, torch.randn(1, 3, 16, 16))
        self.assertEqual(maps.layers[0].maps.dtype, torch.float32)
        self.assertLess((maps.layers[0].maps.sum(-1) - 1).abs().max().item(), 1e-5)
        halves = collected(model, torch.randn(1, 3, 16, 16), dtype=torch.float16)
        self.assertEqual(halves.layers[0].maps.dtype, torch.float16)

    def test_only_some_modules(self):
        maps = collected(Vit(["eager", "fused", "eager"]), torch.randn(1, 3, 16, 16),
                         only=["blocks.1", "blocks.2"])
        self.assertEqual([(each.number, each.name) for each in maps.layers],
                         [(0, "blocks.1.attn"), (1, "blocks.2.attn")])
        self.assertEqual(maps.notes, [])

    def test_data_parallel_models(self):
        model = Vit(["fused"]).eval()
        maps = collected(nn.DataParallel(model), torch.randn(1, 3, 16, 16))
        self.assertMaps(maps, model.seen())

    def test_functions_outside_modules(self):
        class Model(nn.Module):
            def forward(self, images):
                x = images.flatten(2).transpose(1, 2)
                return (x @ x.transpose(1, 2)).softmax(-1) @ x
        images = torch.rand(2, 3, 4, 6)
        maps = collected(Model(), images)
        flat = images.flatten(2).transpose(1, 2)
        self.assertMaps(maps, [(flat @ flat.transpose(1, 2)).softmax(-1).unsqueeze(1)])
        self.assertEqual(maps.layers[0].grid, (4, 6))
        self.assertIn("assuming 4 x 6", maps.notes[0])


class WindowsTest(unittest.TestCase):
    def test_shifted_windows_over_all_tokens(self):
        for sides, shifts in (((4, 6), [(0, 0), (1, 1)]), ((4, 6), [(1, 2)]), ((2, 3), [(1, 1)]),
                              ((5, 7), [(0, 0), (1, 1)])):
            with self.subTest(sides=sides, shifts=shifts):
                model = Swin(sides, shifts).eval()
                if sides == (2, 3):
                    model.blocks[0].shift_size = (0, 0)
                images = torch.randn(2, 3, 4 * sides[0], 4 * sides[1])
                maps = collected(model, images, logits=False)
                for layer, block in zip(maps.layers, model.blocks):
                    self.assertEqual((layer.grid, layer.prefix), (sides, 0))
                    self.assertLess((layer.maps - block.seen).abs().max().item(), 1e-6)
                self.assertEqual(any("edge" in note for note in maps.notes), sides == (5, 7))

    def test_windows_of_unknown_places_are_left_out(self):
        class Named(Swin):
            """Its blocks do not say their windows under the usual names."""
            def forward(self, images):
                self.blocks[0].window_size = None
                return super().forward(images)
        with self.assertRaises(HeadlightError) as caught:
            collected(Named((4, 6), [(0, 0)]), torch.randn(2, 3, 16, 24))
        self.assertIn("places are unknown", str(caught.exception))


class RefusalTest(unittest.TestCase):
    def assertRefused(self, words, model, images=None, **options):
        with self.assertRaises(HeadlightError) as caught:
            collected(model, torch.randn(1, 3, 16, 16) if images is None else images, **options)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_what_has_no_maps(self):
        self.assertRefused(["no softmax attention", "eager"], nn.Conv2d(3, 4, 3))
        self.assertRefused(["torch.nn.Module", "str"], "vit_tiny")
        self.assertRefused(["TorchScript"], torch.jit.script(nn.Conv2d(3, 4, 3)))

    def test_cross_attention_is_left_out_and_named(self):
        class Pool(nn.Module):
            def __init__(self):
                super().__init__()
                self.vit = Vit(["eager"])
                self.pool = nn.MultiheadAttention(5, 1, batch_first=True)

            def forward(self, images):
                x = self.vit(images).unsqueeze(1)
                return self.pool(x, x.expand(-1, 3, -1), x.expand(-1, 3, -1))[0][:, 0]
        maps = collected(Pool().eval(), torch.randn(1, 3, 16, 16), logits=False)
        self.assertEqual(len(maps.layers), 1)
        self.assertIn("left out 1 of 2", maps.notes[0])
        self.assertIn("pool [1, 1, 1, 3]: not tokens × tokens", maps.notes[0])

    def test_channels_are_no_tokens(self):
        class Channels(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Conv2d(3, 9, 4, 4)
                self.inner = Inner()

            def forward(self, images):
                return self.inner(self.embed(images).flatten(2).transpose(1, 2))

        class Inner(nn.Module):
            def forward(self, x):
                return (x.transpose(1, 2) @ x).softmax(-1) @ x.transpose(1, 2)
        self.assertRefused(["inner", "9 tokens", "grid="], Channels())

    def test_shuffled_tokens(self):
        class Masked(Vit):
            def forward(self, images):
                x = self.embed(images).flatten(2).transpose(1, 2)
                order = torch.argsort(torch.rand(x.size(1)))
                return self.blocks(x[:, order])
        self.assertRefused(["sorted", "grid="], Masked(["eager"]))
        maps = collected(Masked(["eager"]), torch.randn(1, 3, 16, 16), grid=(4, 4), logits=False)
        self.assertEqual(maps.layers[0].prefix, 0)

    def test_grids_that_do_not_fit(self):
        self.assertRefused(["17 tokens", "grid="], Vit(["eager"]), grid=(5, 5))
        self.assertRefused(["17 tokens"], Vit(["eager"]), prefix=3)
        self.assertRefused(["(rows, columns)"], Vit(["eager"]), grid=14)
        self.assertRefused(["prefix", "whole number"], Vit(["eager"]), prefix=-1)
        self.assertRefused(["dtype"], Vit(["eager"]), dtype=torch.int8)

    def test_classes(self):
        names = list("abcde")
        maps = collected(Vit(["eager"]), torch.randn(1, 3, 16, 16), class_names=names)
        self.assertEqual(maps.class_names, names)
        by_number = dict(enumerate(names))
        self.assertEqual(collected(Vit(["eager"]), torch.randn(1, 3, 16, 16),
                                   class_names=by_number).class_names, names)
        self.assertRefused(["4 names", "5 columns"], Vit(["eager"]), class_names=names[:4])
        self.assertRefused(["class_names", "list"], Vit(["eager"]), class_names="abcde")
        self.assertRefused(["column"], Vit(["eager"]), class_names={0: "a", 7: "b"})
        self.assertRefused(["class_names", "logits"], Vit(["eager"]), class_names=names,
                           logits=False)

    def test_what_is_taken_for_logits_is_said(self):
        class Features(Vit):
            def forward(self, images):
                x = self.embed(images).flatten(2).transpose(1, 2)
                return self.blocks(x).mean(1)
        model = Features(["eager"])
        self.assertIn("taken for logits", collected(model, torch.randn(1, 3, 16, 16)).notes[0])
        model.num_classes = 0
        self.assertIsNone(collected(model, torch.randn(1, 3, 16, 16)).logits)
        self.assertIsNotNone(collected(model, torch.randn(1, 3, 16, 16), logits=True).logits)

    def test_notes_are_warnings(self):
        with self.assertWarns(HeadlightWarning):
            headlight_maps.collect(Swin((4, 6), [(0, 0)]), torch.randn(1, 3, 16, 24))


class Transposed(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2)


if __name__ == "__main__":
    unittest.main()
