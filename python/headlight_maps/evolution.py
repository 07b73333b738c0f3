# SPDX-License-Identifier: GPL-3.0-or-later
"""evolution.bin of a run: maps, ALS, α and predictions of a few images at every recorded step.

The file is read as it is asked for, also while the run goes on, and nothing in it is believed
before its checksum was checked.
"""
import os
import pathlib
import struct

import torch

from .crc32c import crc32c
from .errors import HeadlightError
from .records import Pieces, Point, RecordedImage, RecordedLayer, member

MAGIC, VERSION = b"HLEVOLVE", 1
PREAMBLE, HEAD, CHECKSUM = 16, 12, 4
MOST_CONTENT, MOST_IMAGES, MOST_LAYERS = 512 << 20, 64, 4096
BEGINNING, POINT = 1, 2


class Evolution:
    """Points of a file by index, in the order of their steps: `evolution[-1].maps(layer)`."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.notes = []  # records that were passed over, and why
        self.places = []  # (offset, size) of the contents of points
        self.layers = None
        try:
            with open(self.path, "rb") as stream:
                self.scan(stream)
        except OSError as error:
            raise HeadlightError(self.path, f"cannot be read ({error.strerror})") from None
        if self.layers is None:
            raise HeadlightError(self.path, "has no beginning yet; it is written with the first "
                                 "measurement")

    def scan(self, stream):
        if not self.check_preamble(stream.read(PREAMBLE)):
            return
        size, at = os.fstat(stream.fileno()).st_size, PREAMBLE
        while True:
            stream.seek(at)
            head = stream.read(HEAD)
            if len(head) < HEAD:
                return
            kind, length, checksum = struct.unpack("<III", head)
            if checksum != crc32c(head[:8]) or length > MOST_CONTENT:
                self.notes.append(f"damaged at byte {at}; the rest cannot be read")
                return
            after = at + HEAD + length + CHECKSUM
            if after > size:
                return  # not whole yet
            if kind == BEGINNING and self.layers is None:
                self.read_beginning(self.content(stream, at + HEAD, length))
            elif kind == POINT:
                self.places.append((at + HEAD, length))
            at = after

    def check_preamble(self, first):
        if len(first) < PREAMBLE:
            return False
        version, checksum = struct.unpack("<II", first[8:])
        if not first.startswith(MAGIC) or checksum != crc32c(first[:12]):
            raise HeadlightError(self.path, "is not a recording of a run, or its beginning is damaged")
        if version != VERSION:
            raise HeadlightError(self.path, f"was written by another version of Headlight (format "
                                 f"{version}; this one reads {VERSION}); use that version's package")
        return True

    def content(self, stream, offset, length):
        stream.seek(offset)
        content = stream.read(length + CHECKSUM)
        if len(content) < length + CHECKSUM or struct.unpack(
                "<I", content[length:])[0] != crc32c(content[:length]):
            raise HeadlightError(self.path, f"is damaged at byte {offset}; other points may still be "
                                 "read")
        return content[:length]

    def read_beginning(self, content):
        try:
            pieces = Pieces(content)
            description = pieces.description()
            self.run = member(description, "run", str)
            self.meaning = member(description, "meaning", str)
            self.signed = member(description, "signed", bool)
            layers, images = member(description, "layers", list), member(description, "pictures", list)
            if not layers or len(layers) > MOST_LAYERS or len(images) > MOST_IMAGES:
                raise ValueError("it has no layers, or too many")
            self.class_names = [str(name) for name in member(description, "classes", list)]
            self.images = [RecordedImage(image, pieces) for image in images]
            self.layers = [RecordedLayer(layer) for layer in layers]
        except ValueError as error:
            raise HeadlightError(self.path, f"has an invalid record: {error}") from None

    def __len__(self):
        return len(self.places)

    def __getitem__(self, index):
        offset, length = self.places[index]
        try:
            with open(self.path, "rb") as stream:
                return Point(self.content(stream, offset, length), self)
        except OSError as error:
            raise HeadlightError(self.path, f"cannot be read ({error.strerror})") from None
        except (ValueError, TypeError) as error:
            raise HeadlightError(self.path, f"has an invalid record: {error}") from None

    def points(self):
        """Every point that can be read; the others are in `notes`."""
        for index in range(len(self)):
            try:
                yield self[index]
            except HeadlightError as error:
                if str(error) not in self.notes:
                    self.notes.append(str(error))

    def stacked(self, layer):
        """(steps [P], maps [P, images, heads, queries, tokens])."""
        points = list(self.points())
        if not points:
            raise HeadlightError(self.path, "has no point that can be read")
        return (torch.tensor([point.step for point in points]),
                torch.stack([point.maps(layer) for point in points]))
