#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws small files of true and found boxes, random ones and those that are hard to get right, and
writes what pycocotools measures on them: tests/golden/ap.

    pip install pycocotools
    python3 tests/golden/make_ap_golden.py [FOLDER]

cases.json is a list of cases: `name`, `truth` (COCO's annotations), `found` (COCO's results) and
`expected`: for all classes (`all`) and each class in the order of its id (`classes`) the twelve
numbers of COCOeval's summary, -1 where nothing counts.
"""
import contextlib
import io
import json
import os
import random
import sys

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ap")


def summary(evaluation, classes):
    """The twelve numbers over `classes` (places), as COCOeval.summarize() takes them."""
    precision, recall = evaluation.eval["precision"], evaluation.eval["recall"]

    def mean(values):
        values = values[values > -1]
        return float(np.mean(values)) if values.size else -1.0

    def ap(area, steps=slice(None)):
        return mean(precision[steps, :, classes, area, 2])

    def ar(area, most):
        return mean(recall[:, classes, area, most])

    return [ap(0), ap(0, slice(0, 1)), ap(0, slice(5, 6)), ap(1), ap(2), ap(3),
            ar(0, 0), ar(0, 1), ar(0, 2), ar(1, 2), ar(2, 2), ar(3, 2)]


def measure(truth, found):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = json.loads(json.dumps(truth))
        coco.createIndex()
        results = coco.loadRes(json.loads(json.dumps(found)))
        evaluation = COCOeval(coco, results, "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    everything = summary(evaluation, slice(None))
    assert np.allclose(everything, evaluation.stats, rtol=0, atol=1e-15)
    count = len(evaluation.params.catIds)
    return {"all": everything, "classes": [summary(evaluation, slice(k, k + 1)) for k in range(count)]}


def number(value, digits):
    value = round(value, digits)
    return int(value) if value == int(value) else value


class Scene:
    """What a case is drawn from. `grid`: whole coordinates, so that overlaps are often equal or
    exactly a least one; `levels`: so many different scores."""

    def __init__(self, seed, images=4, classes=3, boxes=5, side=240, grid=0, levels=0, crowd=0.1,
                 noise=0.12, extra=2, digits=2):
        self.random = random.Random(seed)
        self.side, self.grid, self.levels, self.noise, self.digits = side, grid, levels, noise, digits
        ids = self.random.sample(range(1, 10 * images), images)
        categories = self.random.sample(range(1, 10 * classes), classes)
        self.truth = {"images": [{"id": i, "file_name": f"{i}.png", "width": side, "height": side} for i in ids],
                      "annotations": [],
                      "categories": [{"id": c, "name": f"class {c}"} for c in categories]}
        self.found = []
        for image in ids:
            for _ in range(self.random.randint(0, boxes)):
                self.add_truth(image, self.random.choice(categories), crowd)
            for _ in range(self.random.randint(0, extra)):
                self.add_found(image, self.random.choice(categories), self.box())
        self.random.shuffle(self.found)

    def box(self):
        draw = self.random
        # Small, medium and large ones: sides by their logarithm.
        width, height = (min(self.side, 4 * (self.side / 4) ** draw.random()) for _ in range(2))
        return self.rounded([draw.uniform(0, self.side - width), draw.uniform(0, self.side - height), width, height])

    def rounded(self, box):
        if self.grid:
            return [max(0, round(v / self.grid) * self.grid) for v in box]
        return [number(v, self.digits) for v in box]

    def score(self):
        if self.levels:
            return number(self.random.randint(1, self.levels) / self.levels, 3)
        return number(self.random.random(), 4)

    def add_truth(self, image, category, crowd):
        box = self.box()
        area = box[2] * box[3]
        if self.random.random() < 0.5:
            area *= self.random.uniform(0.3, 1)  # an outline's
        self.truth["annotations"].append({
            "id": len(self.truth["annotations"]) + 1, "image_id": image, "category_id": category, "bbox": box,
            "area": number(area, self.digits), "iscrowd": int(self.random.random() < crowd)})
        for _ in range(self.random.choice([0, 1, 1, 1, 2, 3])):
            moved = [v + self.random.gauss(0, self.noise * box[2 + k % 2]) for k, v in enumerate(box)]
            other = self.random.choice(self.truth["categories"])["id"]
            self.add_found(image, category if self.random.random() < 0.9 else other,
                           self.rounded(moved[:2] + [max(0, v) for v in moved[2:]]))

    def add_found(self, image, category, box):
        self.found.append({"image_id": image, "category_id": category, "bbox": box, "score": self.score()})

    def case(self, name):
        return case(name, self.truth, self.found)


def case(name, truth, found):
    return {"name": name, "truth": truth, "found": found, "expected": measure(truth, found)}


def small_truth(boxes, images=1, classes=1, side=200):
    """boxes: (image, category, box, more), both from 1."""
    return {"images": [{"id": i + 1, "file_name": f"{i + 1}.png", "width": side, "height": side} for i in range(images)],
            "annotations": [{"id": n + 1, "image_id": image, "category_id": category, "bbox": box,
                             "area": box[2] * box[3], "iscrowd": 0, **more}
                            for n, (image, category, box, more) in enumerate(boxes)],
            "categories": [{"id": c + 1, "name": f"class {c + 1}"} for c in range(classes)]}


def results(boxes):
    """boxes: (image, category, box, score)."""
    return [{"image_id": i, "category_id": c, "bbox": b, "score": s} for i, c, b, s in boxes]


def hard_cases():
    box, apart = [10, 10, 40, 40], [100, 100, 40, 40]
    yield case("exactly the least overlaps",
               small_truth([(k + 1, 1, [0, 0, 100, 20], {}) for k in range(11)], images=11),
               results([(k + 1, 1, [0, 0, 50 + 5 * k, 20], 0.9 - 0.01 * k) for k in range(11)]))
    yield case("equal overlaps, the later true box is taken",
               small_truth([(1, 1, [0, 0, 40, 40], {}), (1, 1, [40, 0, 40, 40], {}), (1, 1, [40, 0, 40, 40], {})]),
               results([(1, 1, [20, 0, 40, 40], 0.9), (1, 1, [40, 0, 40, 40], 0.8), (1, 1, [0, 0, 40, 40], 0.7)]))
    yield case("all scores equal", small_truth([(1, 1, box, {}), (2, 1, apart, {})], images=2),
               results([(2, 1, box, 0.5), (1, 1, apart, 0.5), (1, 1, box, 0.5), (2, 1, apart, 0.5)]))
    yield case("duplicates", small_truth([(1, 1, box, {})]), results([(1, 1, box, 0.5)] * 4))
    yield case("a crowd is matched often",
               small_truth([(1, 1, [0, 0, 100, 100], {"iscrowd": 1}), (1, 1, [60, 60, 40, 40], {})]),
               results([(1, 1, [5 * k, 0, 30, 30], 0.9 - 0.1 * k) for k in range(5)] + [(1, 1, [60, 60, 40, 40], 0.3)]))
    yield case("only crowds", small_truth([(1, 1, box, {"iscrowd": 1})]), results([(1, 1, box, 0.5)]))
    yield case("out of the area range",
               small_truth([(1, 1, [0, 0, 31, 31], {}), (1, 1, [50, 50, 33, 33], {}), (1, 1, [100, 0, 97, 97], {})]),
               results([(1, 1, [0, 0, 33, 33], 0.9), (1, 1, [50, 50, 31, 31], 0.8), (1, 1, [100, 0, 90, 97], 0.7)]))
    yield case("areas at the ends of the ranges",
               small_truth([(1, 1, [0, 0, 32, 32], {}), (1, 1, [50, 0, 96, 96], {})]),
               results([(1, 1, [0, 0, 32, 32], 0.5), (1, 1, [50, 0, 96, 96], 0.6), (1, 1, [0, 100, 32, 32], 0.7)]))
    yield case("the file's area decides, not the box's",
               small_truth([(1, 1, [0, 0, 100, 100], {"area": 900}), (1, 1, [100, 100, 10, 10], {"area": 2e10})]),
               results([(1, 1, [0, 0, 100, 100], 0.5), (1, 1, [100, 100, 10, 10], 0.6)]))
    yield case("no boxes at all are true", small_truth([], images=2, classes=2), results([(1, 1, box, 0.5)]))
    yield case("a class without true boxes, one without found ones",
               small_truth([(1, 1, box, {}), (1, 2, apart, {})], classes=3),
               results([(1, 1, box, 0.5), (1, 3, box, 0.6)]))
    yield case("images without true or found boxes",
               small_truth([(2, 1, box, {}), (3, 1, box, {})], images=4), results([(3, 1, box, 0.5), (4, 1, box, 0.9)]))
    yield case("found boxes without area", small_truth([(1, 1, box, {}), (1, 1, [50, 50, 0, 10], {})]),
               results([(1, 1, [10, 10, 0, 0], 0.9), (1, 1, box, 0.8), (1, 1, [50, 50, 0, 10], 0.7)]))
    yield case("sizes whose product is 0", small_truth([(1, 1, [0, 0, 1e-200, 1e-200], {"iscrowd": 1}), (1, 1, box, {})]),
               results([(1, 1, [0, 0, 1e-200, 1e-200], 0.9), (1, 1, box, 0.8)]))
    yield case("outside of the image", small_truth([(1, 1, [-20, -20, 50, 50], {}), (1, 1, [500, 500, 50, 50], {})]),
               results([(1, 1, [-20, -20, 45, 50], 0.9), (1, 1, [500, 500, 50, 50], 0.8)]))
    yield case("an annotation with the id 0", small_truth([(1, 1, box, {"id": 0}), (1, 1, apart, {"id": 5})]),
               results([(1, 1, box, 0.9), (1, 1, apart, 0.8)]))
    yield case("scores below 0 and beyond 1", small_truth([(1, 1, box, {}), (1, 1, apart, {})]),
               results([(1, 1, box, -3), (1, 1, apart, 1e9), (1, 1, [0, 100, 9, 9], 0), (1, 1, [0, 120, 9, 9], -1e-300)]))
    yield case("categories and images that the truth does not list",
               small_truth([(1, 1, box, {}), (7, 1, box, {}), (1, 9, box, {})]), results([(1, 1, box, 0.9), (1, 9, box, 0.95)]))
    many = random.Random(5)
    yield case("more than 100 found boxes",
               small_truth([(1, 1, [10 * k, 0, 9, 9], {}) for k in range(12)]),
               results([(1, 1, [10 * many.randrange(12), 0, 9, number(many.uniform(5, 9), 1)],
                         number(many.random(), 2)) for _ in range(130)]))


def random_cases():
    yield Scene(1).case("random")
    yield Scene(2, images=6, classes=2, boxes=8).case("random, two classes")
    yield Scene(3, levels=4).case("random, few scores")
    yield Scene(4, grid=10, levels=3, boxes=9, side=80, noise=0.25).case("random, whole tens")
    yield Scene(5, crowd=0.5, boxes=7).case("random, many crowds")
    yield Scene(6, images=1, classes=1, boxes=30, noise=0.06, digits=4).case("random, one image")
    yield Scene(7, images=10, classes=6, boxes=2).case("random, many classes")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else FOLDER
    os.makedirs(folder, exist_ok=True)
    cases = [*hard_cases(), *random_cases()]
    with open(os.path.join(folder, "cases.json"), "w", encoding="utf-8") as file:
        file.write("[" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in cases) + "]\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
