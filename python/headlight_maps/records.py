# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies in the records of evolution.bin. Errors: ValueError; nothing is believed before its
sizes were checked against the bytes that are there."""
import io
import json
import math
import struct

import torch

from .errors import HeadlightError
from .tables import matrix, number

MOST_DESCRIPTION, MOST_POINT_BYTES = 64 << 20, 1 << 30
MOST_HEADS, MOST_SIDE = 4096, 1024


class Pieces:
    """Takes pieces off the front of a record's content. Errors: ValueError."""

    def __init__(self, content):
        self.rest = memoryview(content)

    def take(self, size):
        if size < 0 or size > len(self.rest):
            raise ValueError("it ends early")
        piece, self.rest = self.rest[:size], self.rest[size:]
        return piece

    def numbers(self, count, dtype):
        size = count * torch.tensor([], dtype=dtype).element_size()
        piece = bytearray(self.take(size))
        return torch.frombuffer(piece, dtype=dtype) if size else torch.empty(0, dtype=dtype)

    def description(self):
        size, = struct.unpack("<I", self.take(4))
        if size > MOST_DESCRIPTION:
            raise ValueError("its description is larger than 64 MB")
        try:
            value = json.loads(bytes(self.take(size)))
        except (ValueError, RecursionError):
            raise ValueError("its description is not JSON") from None
        if not isinstance(value, dict):
            raise ValueError("its description is not JSON")
        return value


def whole(value, least, most, name):
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name} is out of range")
    return value


def member(description, name, kind):
    value = description.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"its {name} is missing")
    return value


class RecordedLayer:
    """What is kept of a layer: heads (0: nothing), grid, prefix, and the tokens whose rows are."""

    def __init__(self, description):
        if not isinstance(description, dict):
            raise ValueError("a layer is invalid")
        self.heads = whole(description.get("heads"), 0, MOST_HEADS, "heads")
        self.grid = tuple(whole(description.get(side), 0, MOST_SIDE, side)
                          for side in ("rows", "columns"))
        self.prefix = whole(description.get("prefix"), 0, 66, "prefix")
        self.tokens = self.prefix + self.grid[0] * self.grid[1]
        # -1: the mean of all patches' rows
        self.queries = [whole(query, -1, self.tokens - 1, "a query")
                        for query in member(description, "queries", list)]
        if len(self.queries) > self.tokens + 1:
            raise ValueError("a layer has more rows than tokens")


class RecordedImage:
    """An image of the validation split; `png` is what the model saw."""

    def __init__(self, description, pieces):
        if not isinstance(description, dict):
            raise ValueError("an image is invalid")
        self.index = whole(description.get("index"), 0, 1 << 63, "index")
        self.label = whole(description.get("label"), 0, 1 << 30, "label")
        self.name = member(description, "name", str)
        self.png = bytes(pieces.take(whole(description.get("bytes"), 0, 1 << 30, "bytes")))

    def pixels(self):
        """[3, H, W], bytes. Errors: Pillow is not installed, a damaged image."""
        try:
            from PIL import Image
        except ImportError:
            raise HeadlightError(self.name, "needs Pillow to be decoded: pip install pillow") from None
        try:
            with Image.open(io.BytesIO(self.png)) as image:
                image = image.convert("RGB")
        except (OSError, ValueError) as error:
            raise HeadlightError(self.name, f"cannot be decoded ({error})") from None
        flat = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        return flat.view(image.height, image.width, 3).permute(2, 0, 1).contiguous()


class Point:
    """What was recorded at one step. Rows that were no numbers are NaN."""

    def __init__(self, content, evolution):
        pieces = Pieces(content)
        description = pieces.description()
        self.step = whole(description.get("step"), 0, 1 << 63, "step")
        self.epoch = whole(description.get("epoch"), 0, 1 << 63, "epoch")
        self.als = matrix(member(description, "als", list))
        self.alpha = matrix(member(description, "alpha", list))
        self.top = self.predictions(member(description, "top", list), len(evolution.images))
        self.signed = evolution.signed
        images = len(evolution.images)
        self.rows = [self.read_rows(pieces, (images, layer.heads, len(layer.queries)), layer.tokens)
                     for layer in evolution.layers]
        first = evolution.layers[0].grid
        self.rollout_rows = (self.read_rows(pieces, (images,), first[0] * first[1])
                             if member(description, "rollout", bool) else None)
        self.tensors = {}
        for item in member(description, "tensors", list):
            self.read_tensor(item, pieces)
        if len(pieces.rest):
            raise ValueError("it has more content than declared")

    @staticmethod
    def predictions(lists, images):
        if len(lists) != images:
            raise ValueError("a prediction is missing")
        for classes in lists:
            if not isinstance(classes, list) or len(classes) > 64 or not all(
                    isinstance(item, list) and len(item) == 2 and isinstance(item[0], int)
                    for item in classes):
                raise ValueError("a prediction is invalid")
        return [[(item[0], number(item[1]))
                 for item in classes] for classes in lists]

    @staticmethod
    def read_rows(pieces, shape, width):
        rows = math.prod(shape)
        if rows > MOST_POINT_BYTES // (width + 4):
            raise ValueError("its maps are too large")
        codes = pieces.numbers(rows * width, torch.uint8).view(*shape, width)
        return codes, pieces.numbers(rows, torch.float32).view(*shape, 1)

    def read_tensor(self, item, pieces):
        if not isinstance(item, dict):
            raise ValueError("a tensor is invalid")
        shape = [whole(side, 0, MOST_POINT_BYTES, "a tensor's side")
                 for side in member(item, "shape", list)]
        if math.prod(shape) > MOST_POINT_BYTES:
            raise ValueError("a tensor is too large")
        values = pieces.numbers(math.prod(shape), torch.float16)
        self.tensors[member(item, "name", str)] = values.view(shape)

    def values(self, rows):
        codes, scales = rows
        if self.signed:
            return scales / 127 * (codes.float() - 128)
        return scales / 255 * codes.float()

    def maps(self, layer):
        """[images, heads, queries, tokens]; the queries are Evolution.layers[layer].queries."""
        return self.values(self.rows[layer])

    def rollout(self):
        """[images, patches], or None."""
        return None if self.rollout_rows is None else self.values(self.rollout_rows)
