# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be passed as an image, and what the file shows of it."""
import pathlib
import tempfile
import unittest
import warnings

import torch

import headlight_maps
from headlight_maps import HeadlightError
from headlight_maps.inputs import Inputs, visible
from models import Vit

MEAN, STD = [0.5, 0.4, 0.3], [0.2, 0.25, 0.5]


class Processor:
    """As transformers' processors are called and what they tell."""
    image_mean, image_std = MEAN, STD

    def __call__(self, images, return_tensors):
        assert return_tensors == "pt"
        return {"pixel_values": (images.unsqueeze(0) - column(MEAN)) / column(STD)}


class Takes(Vit):
    def forward(self, pixel_values):
        return {"logits": super().forward(pixel_values), "other": None}


def column(values):
    return torch.tensor(values).view(1, 3, 1, 1)


def collected(image, model=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return headlight_maps.collect(model or Vit(["eager"]), image, **options)


class InputsTest(unittest.TestCase):
    def assertRefused(self, words, image, **options):
        with self.assertRaises(HeadlightError) as caught:
            collected(image, **options)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_one_image_or_several(self):
        image = torch.rand(3, 16, 16)
        one, batch = collected(image), collected(image.unsqueeze(0).repeat(3, 1, 1, 1))
        self.assertEqual(one.layers[0].maps.size(0), 1)
        self.assertEqual(batch.layers[0].maps.size(0), 3)
        several = collected([image, image])
        self.assertEqual(several.image[1].shape, (2, 16, 16, 3))

    def test_colors_are_those_before_normalization(self):
        image = (torch.rand(1, 3, 16, 16) * 255).round() / 255
        name, pixels = collected((image - column(MEAN)) / column(STD), mean=MEAN, std=STD).image
        self.assertEqual((name, pixels.dtype), ("images", torch.uint8))
        self.assertTrue(torch.equal(pixels, (image * 255).round().byte().permute(0, 2, 3, 1)))
        self.assertTrue(torch.equal(collected(image).image[1], pixels))
        name, pixels = collected(image * 4 - 2).image
        self.assertEqual((name, pixels.shape), ("input", (1, 3, 16, 16)))

    def test_gray_images_and_other_channels(self):
        gray = Inputs([], {}, torch.rand(1, 1, 8, 8), None, None)
        self.assertEqual(visible(gray)[1].shape, (1, 8, 8, 1))
        self.assertIsNone(visible(Inputs([], {}, torch.rand(1, 5, 8, 8), None, None)))

    def test_processors(self):
        image = (torch.rand(3, 16, 16) * 255).round() / 255
        maps = collected(image, Takes(["eager"]), transform=Processor())
        self.assertTrue(torch.equal(maps.image[1][0], (image * 255).round().byte().permute(1, 2, 0)))
        self.assertEqual(maps.logits.shape, (1, 5))
        both = collected([image, image], Takes(["eager"]), transform=Processor())
        self.assertEqual(both.logits.shape, (2, 5))

    def test_transforms_of_paths(self):
        try:
            from PIL import Image
        except ImportError:
            self.skipTest("Pillow is not installed")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "image.png"
            Image.new("RGB", (16, 16), (255, 0, 51)).save(path)

            def transform(image):
                flat = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
                return flat.view(16, 16, 3).permute(2, 0, 1) / 255
            maps = collected(path, transform=transform)
            self.assertEqual(maps.image[1][0, 3, 4].tolist(), [255, 0, 51])
            self.assertRefused([str(path), "transform"], path)
            path.write_bytes(b"nothing")
            self.assertRefused([str(path), "cannot be read"], path, transform=transform)

    def test_refusals(self):
        self.assertRefused(["[3, H, W]", "[16, 16]"], torch.rand(16, 16))
        self.assertRefused(["whole numbers", "transform"], torch.zeros(1, 3, 16, 16).byte())
        self.assertRefused(["no tensor", "transform"], object())
        self.assertRefused(["pixel_values"], {"image": torch.rand(1, 3, 16, 16)})
        self.assertRefused(["one size"], [torch.rand(3, 16, 16), torch.rand(3, 8, 8)])
        self.assertRefused(["mean", "three"], torch.rand(3, 16, 16), mean=[1, 2], std=[1, 2, 3])
        self.assertRefused(["std", "three"], torch.rand(3, 16, 16), std=1)


if __name__ == "__main__":
    unittest.main()
