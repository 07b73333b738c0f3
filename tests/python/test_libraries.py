# SPDX-License-Identifier: GPL-3.0-or-later
"""timm, transformers and torchvision where they are installed: maps beside their own eager ones."""
import importlib.util
import unittest
import warnings

import torch

import headlight_maps


def needs(library):
    return unittest.skipUnless(importlib.util.find_spec(library), f"{library} is not installed")


def collected(model, images, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return headlight_maps.collect(model, images, **options)


class LibrariesTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def assertMaps(self, maps, references, tolerance=1e-6):
        self.assertEqual(len(maps.layers), len(references))
        for layer, reference in zip(maps.layers, references):
            self.assertEqual(layer.maps.shape, reference.shape)
            self.assertLess((layer.maps - reference).abs().max().item(), tolerance, layer.name)

    def eager_of_timm(self, model, images):
        """What its dropout gets, with the fused kernel off."""
        maps = []
        for name, module in model.named_modules():
            if hasattr(module, "fused_attn"):
                module.fused_attn = False
            if name.endswith("attn_drop"):
                module.register_forward_hook(lambda module, args, output: maps.append(args[0]))
        with torch.no_grad():
            logits = model(images)
        return maps, logits

    @needs("timm")
    def test_timm(self):
        import timm
        for name, options, grid, prefix in (
                ("vit_tiny_patch16_224", {"img_size": 64}, (4, 4), 1),
                ("deit_tiny_distilled_patch16_224", {"img_size": 64}, (4, 4), 2),
                ("vit_small_patch14_reg4_dinov2", {"img_size": (56, 84)}, (4, 6), 5),
                ("eva02_tiny_patch14_224", {"img_size": 56}, (4, 4), 1),
                ("cait_xxs24_224", {"img_size": 64}, (4, 4), 0),
                ("convit_tiny", {"img_size": 64}, (4, 4), None)):
            with self.subTest(name):
                model = timm.create_model(name, **options).eval()
                size = options["img_size"]
                images = torch.randn(1, 3, *(size if isinstance(size, tuple) else (size, size)))
                maps = collected(model, images)
                references, logits = self.eager_of_timm(model, images)
                self.assertMaps(maps, references[:len(maps.layers)])
                self.assertEqual({layer.grid for layer in maps.layers}, {grid})
                if prefix is not None:
                    self.assertEqual({layer.prefix for layer in maps.layers}, {prefix})
                if maps.logits is not None:
                    self.assertLess((maps.logits - logits).abs().max().item(), 1e-4)
        self.assertEqual(maps.class_names[1], "goldfish, Carassius auratus")

    @needs("timm")
    def test_features_of_timm_are_no_logits(self):
        import timm
        model = timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=0)
        self.assertIsNone(collected(model, torch.randn(1, 3, 64, 64)).logits)

    @needs("timm")
    def test_transforms_of_timm(self):
        import timm
        from PIL import Image
        model = timm.create_model("vit_tiny_patch16_224")
        maps = collected(model, Image.new("RGB", (300, 280), (200, 100, 0)))
        self.assertEqual(maps.image[1].shape, (1, 224, 224, 3))
        self.assertEqual(maps.image[1][0, 9, 9].tolist(), [200, 100, 0])

    def eager_of_transformers(self, model, images):
        model.set_attn_implementation("eager")
        with torch.no_grad():
            return model(images, output_attentions=True)

    @needs("transformers")
    def test_transformers(self):
        import transformers as t
        sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                     intermediate_size=32, image_size=32, patch_size=8)
        for config, kind, prefix in (
                (t.ViTConfig(**sizes, num_labels=3), t.ViTForImageClassification, 1),
                (t.DeiTConfig(**sizes, num_labels=3), t.DeiTForImageClassification, 2),
                (t.Dinov2WithRegistersConfig(**sizes, num_register_tokens=4),
                 t.Dinov2WithRegistersModel, 5),
                (t.CLIPVisionConfig(**sizes), t.CLIPVisionModel, 1),
                (t.SiglipVisionConfig(**sizes), t.SiglipVisionModel, 0)):
            for attention in ("sdpa", "eager"):
                with self.subTest(kind.__name__, attention=attention):
                    model = kind._from_config(config, attn_implementation=attention).eval()
                    images = torch.randn(2, 3, 32, 32)
                    maps = collected(model, images)
                    output = self.eager_of_transformers(model, images)
                    self.assertMaps(maps, output.attentions)
                    self.assertEqual({layer.prefix for layer in maps.layers}, {prefix})
                    self.assertEqual({layer.grid for layer in maps.layers}, {(4, 4)})
                    if hasattr(output, "logits"):
                        self.assertLess((maps.logits - output.logits).abs().max().item(), 1e-5)

    @needs("transformers")
    def test_class_names_and_towers_of_transformers(self):
        import transformers as t
        sizes = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                     intermediate_size=32)
        config = t.ViTConfig(**sizes, image_size=32, patch_size=8, id2label={0: "a", 1: "b"})
        maps = collected(t.ViTForImageClassification(config), torch.randn(1, 3, 32, 32))
        self.assertEqual(maps.class_names, ["a", "b"])
        clip = t.CLIPModel(t.CLIPConfig(
            vision_config=dict(sizes, image_size=32, patch_size=8),
            text_config=dict(sizes, vocab_size=99, max_position_embeddings=8, eos_token_id=2)))
        inputs = {"pixel_values": torch.randn(1, 3, 32, 32),
                  "input_ids": torch.tensor([[1, 5, 7, 2], [1, 9, 8, 2]])}
        maps = collected(clip, inputs, only="vision_model")
        self.assertEqual([layer.grid for layer in maps.layers], [(4, 4)] * 2)

    @needs("transformers")
    def test_swin_of_transformers(self):
        import transformers as t
        config = t.SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[2, 2],
                              num_heads=[2, 4], window_size=4, num_labels=3)
        model = t.SwinForImageClassification(config).eval()
        images = torch.randn(2, 3, 32, 32)
        maps = collected(model, images)
        self.assertEqual([layer.grid for layer in maps.layers], [(8, 8)] * 2 + [(4, 4)] * 2)
        last = self.eager_of_transformers(model, images).attentions  # of every stage
        for layer, windows in zip(maps.layers[1::2], last):
            own = layer.maps[layer.maps != 0]
            self.assertEqual(own.numel(), (windows != 0).sum().item())
            self.assertLess((own.sort()[0] - windows[windows != 0].sort()[0]).abs().max().item(), 1e-6)
            self.assertLess((layer.maps.sum(-1) - 1).abs().max().item(), 1e-5)
        looks = maps.layers[0].maps[0, 0, 0].view(8, 8) > 0
        self.assertTrue(looks[:4, :4].all() and not looks[4:].any() and not looks[:, 4:].any())

    @needs("transformers")
    def test_patches_cut_before_and_padded(self):
        import transformers as t
        config = t.Siglip2VisionConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                       intermediate_size=32, patch_size=4, num_patches=64)
        model = t.Siglip2VisionModel(config).eval()
        inputs = {"pixel_values": torch.rand(1, 30, 48), "spatial_shapes": torch.tensor([[4, 6]]),
                  "pixel_attention_mask": torch.tensor([[1] * 24 + [0] * 6])}
        maps = collected(model, inputs)
        self.assertEqual([(layer.grid, layer.prefix) for layer in maps.layers], [((4, 6), 0)] * 2)
        self.assertLess((maps.layers[1].maps.sum(-1) - 1).abs().max().item(), 1e-5)
        patch = inputs["pixel_values"][0, 7].view(4, 4, 3)  # row 1, column 1
        difference = maps.image[1][0, 4:8, 4:8].float() - patch * 255
        self.assertLess(difference.abs().max().item(), 0.51)

    @needs("transformers")
    def test_masked_autoencoders_are_refused(self):
        import transformers as t
        config = t.ViTMAEConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                intermediate_size=32, image_size=32, patch_size=8, mask_ratio=0.0)
        with self.assertRaises(headlight_maps.HeadlightError) as caught:
            collected(t.ViTMAEModel(config), torch.randn(1, 3, 32, 32))
        self.assertIn("sorted", str(caught.exception))

    @needs("timm")
    def test_models_that_reorder_tokens_are_refused(self):
        import timm
        with self.assertRaises(headlight_maps.HeadlightError) as caught:
            collected(timm.create_model("hiera_tiny_224"), torch.randn(1, 3, 224, 224))
        self.assertIn("Hiera", str(caught.exception))

    @needs("transformers")
    def test_detection_tokens_stand_before_the_patches(self):
        import transformers as t
        for count, shown in ((3, 3), (80, 80), (1100, 0)):  # more than Headlight shows are left out
            config = t.YolosConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
                                   intermediate_size=32, image_size=[32, 48], patch_size=8,
                                   num_detection_tokens=count)
            model = t.YolosModel(config).eval()
            images = torch.randn(1, 3, 32, 48)
            layer = collected(model, images).layers[1]
            whole = self.eager_of_transformers(model, images).attentions[1]
            order = [0] + list(range(25, 25 + shown)) + list(range(1, 25))
            self.assertEqual((layer.grid, layer.prefix), ((4, 6), 1 + shown))
            difference = layer.maps - whole[..., order, :][..., order]
            self.assertLess(difference.abs().max().item(), 1e-6)

    @needs("torchvision")
    def test_torchvision(self):
        from torchvision import models
        model = models.VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=3).eval()
        images = torch.randn(2, 3, 32, 32)
        maps = collected(model, images, class_names=["a", "b", "c"])
        references = []
        for layer in model.encoder.layers:
            layer.self_attention.register_forward_pre_hook(lambda module, args: references.append(
                torch.nn.functional.multi_head_attention_forward(
                    *(arg.transpose(0, 1) for arg in args), 16, 2, module.in_proj_weight,
                    module.in_proj_bias, None, None, False, 0.0, module.out_proj.weight,
                    module.out_proj.bias, training=False, average_attn_weights=False)[1]))
        with torch.no_grad():
            logits = model(images)
        self.assertMaps(maps, references)
        self.assertTrue(torch.equal(maps.logits, logits))
        self.assertEqual((maps.layers[0].grid, maps.layers[0].prefix), ((4, 4), 1))

    @needs("torchvision")
    def test_swin_of_torchvision(self):
        from torchvision import models
        model = models.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=3).eval()
        maps = collected(model, torch.randn(1, 3, 32, 32))
        self.assertEqual([layer.grid for layer in maps.layers], [(8, 8)] * 2 + [(4, 4)] * 2)
        for layer in maps.layers:
            self.assertLess((layer.maps.sum(-1) - 1).abs().max().item(), 1e-5)
        # A shifted window of four parts of the image holds its corners.
        self.assertGreater(maps.layers[0].maps[0, 0, 0, 27].item(), 0)
        self.assertEqual(maps.layers[0].maps[0, 0, 0, 4].item(), 0)

    @needs("timm")
    def test_compiled_models(self):
        import timm
        model = timm.create_model("vit_tiny_patch16_224", img_size=64).eval()
        images = torch.randn(1, 3, 64, 64)
        maps = collected(torch.compile(model), images)
        self.assertMaps(maps, [layer.maps for layer in collected(model, images).layers])


if __name__ == "__main__":
    unittest.main()
