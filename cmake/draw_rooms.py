#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws cmake/rooms.svg: the rooms of the sources and how often their wings include each other.

    python3 cmake/draw_rooms.py            writes it
    python3 cmake/draw_rooms.py --check    exit code 1 where it is not what the sources give

The rooms and their order come from cmake/folders.txt, the counts from the #include lines of core,
ui and app. Equal sources give equal bytes. On the left is a band for each wing, with a box for each
room; on the right is a matrix of the same wings, because so many arrows would hide each other.
"""
import collections
import os
import re
import sys
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE = "cmake/rooms.svg"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
ENDINGS = (".h", ".cpp", ".cu", ".cuh")
MOST_FILES = 48  # what tests/layers allows in a room

WIDTH, MARGIN = 1200, 16
ROOMS_LEFT, ROOMS_RIGHT = 166, 766  # the boxes lie between
CELL = 26  # of the matrix
BOX, GAP, BAND_GAP = 24, 6, 13  # heights
HEAD = 156  # above the bands
LETTER = 6.9  # the width of an average letter at 12.5 px, generously

HUES = {"app": "#c2693f", "ui": "#3f8f6b", "core": "#4a7fc9"}
STYLE = """
  svg { color: #1f2328; font: 12.5px system-ui, "DejaVu Sans", sans-serif; }
  text { fill: currentColor; }
  .paper, .box { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { color: #e6edf3; }
    .paper, .box { fill: #0d1117; }
  }
  .wing { font-weight: 600; font-size: 14px; }
  .count { text-anchor: end; fill-opacity: .75; font-size: 11.5px; }
  .times { text-anchor: middle; font-size: 11px; }
  .line { stroke: currentColor; stroke-opacity: .13; }
  .self { fill: currentColor; fill-opacity: .13; }
  .band { fill-opacity: .09; } .full { fill-opacity: .28; } .dot { fill-opacity: .3; }
""" + "".join(f"  .{layer}:not(.box) {{ fill: {hue}; }} .{layer}.box {{ stroke: {hue}; }}\n"
              for layer, hue in HUES.items())


def room_order():
    """The rooms of "core", "ui" and "app/cli", each before those that may include it."""
    order = {}
    with open(os.path.join(ROOT, "cmake/folders.txt"), encoding="utf-8") as lines:
        for line in lines:
            layer, colon, rooms = line.partition(": ")
            if colon and not line.startswith("#") and layer != "closed":
                order[layer] = rooms.split()
    return order


def sources():
    """(folder, what it includes) of every source, by path."""
    found = {}
    for top in ("core", "ui", "app"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith(ENDINGS):
                    path = os.path.join(folder, name)
                    room = os.path.relpath(folder, ROOT).replace(os.sep, "/")
                    with open(path, encoding="utf-8", errors="replace") as text:
                        found[room + "/" + name] = (room, INCLUDE.findall(text.read()))
    return found


def wing_of(folder):
    """core/training/run belongs to core/training, ui/canvas to ui, app/cli/options to app/cli."""
    parts = folder.split("/")
    return parts[0] if parts[0] == "ui" else "/".join(parts[:2])


def bands(order):
    """(wing, its rooms), what includes most on top: nothing includes what stands above it."""
    result = [("app/gui", ["app/gui"]),
              ("app/cli", ["app/cli"] + ["app/cli/" + room for room in order["app/cli"][::-1]]),
              ("ui", ["ui/" + room for room in order["ui"][::-1]])]
    rooms = collections.OrderedDict()
    for room in order["core"][::-1]:
        rooms.setdefault(wing_of("core/" + room), []).append("core/" + room)
    return result + list(rooms.items())


def label_of(room, wing):
    if room == "app/cli":
        return "main"
    return room[len(wing) + 1:] or wing.split("/")[1]


class Picture:
    def __init__(self):
        self.parts = []

    def add(self, tag, text=None, **attributes):
        written = "".join(f' {key.rstrip("_").replace("_", "-")}="{value}"'
                          for key, value in attributes.items())
        end = "/>" if text is None else f">{escape(text)}</{tag}>"
        self.parts.append(f"  <{tag}{written}{end}")


def rows_of(rooms, wing):
    """The boxes of a band as rows of (room, label, left, width)."""
    rows, left = [[]], ROOMS_LEFT
    for room in rooms:
        label = label_of(room, wing)
        width = round(LETTER * len(label) + 46)
        if left + width > ROOMS_RIGHT:
            rows, left = rows + [[]], ROOMS_LEFT
        rows[-1].append((room, label, left, width))
        left += width + GAP
    return rows


def draw_room(picture, layer, files, label, left, width, top):
    picture.add("rect", class_=f"{layer} box", x=left, y=top, width=width, height=BOX, rx=3)
    share = round(min(1, files / MOST_FILES) * (width - 2))
    picture.add("rect", class_=f"{layer} full", x=left + 1, y=top + BOX - 5, width=share, height=4)
    picture.add("text", label, x=left + 7, y=top + 16)
    picture.add("text", str(files), class_="count", x=left + width - 7, y=top + 16)


def draw_band(picture, wing, rooms, top, files):
    """Returns its height."""
    rows, layer = rows_of(rooms, wing), wing.split("/")[0]
    height = len(rows) * (BOX + GAP) - GAP + 12
    picture.add("rect", class_=f"{layer} band", x=MARGIN, y=top, width=WIDTH - 2 * MARGIN,
                height=height, rx=4)
    picture.add("rect", class_=f"{layer} edge", x=MARGIN, y=top, width=4, height=height)
    picture.add("text", wing, class_="wing", x=MARGIN + 12, y=top + 23)
    for index, row in enumerate(rows):
        for room, label, left, width in row:
            draw_room(picture, layer, files[room], label, left, width,
                      top + 6 + index * (BOX + GAP))
    return height


def draw_counts(picture, wings, counts, row, middle, left):
    """The row of the matrix that says what `row` includes."""
    largest = max(counts.values())
    for column, other in enumerate(wings):
        x = left + column * CELL + CELL / 2
        if other == row:
            picture.add("rect", class_="self", x=x - 9, y=middle - 9, width=18, height=18, rx=2)
        elif counts[row, other]:
            radius = round(4 + 10 * (counts[row, other] / largest) ** 0.5, 1)
            picture.add("circle", class_=f"{other.split('/')[0]} dot", cx=x, cy=middle, r=radius)
            picture.add("text", str(counts[row, other]), class_="times", x=x, y=middle + 4)


def draw(order, found):
    wings = bands(order)
    names = [wing for wing, _ in wings]
    files = collections.Counter(folder for folder, _ in found.values())
    counts = collections.Counter()
    for folder, included in found.values():
        for name in included:
            wing, other = wing_of(folder), wing_of(os.path.dirname(name))
            if wing in names and other in names and wing != other:
                counts[wing, other] += 1

    picture, top = Picture(), HEAD
    left = WIDTH - MARGIN - 14 - CELL * len(names)
    middles = []
    for wing, rooms in wings:
        height = draw_band(picture, wing, rooms, top, files)
        middles.append(top + height / 2)
        top += height + BAND_GAP
    bottom = top - BAND_GAP
    for column, name in enumerate(names):
        x = left + column * CELL + CELL / 2
        picture.add("line", class_="line", x1=x, y1=HEAD - 8, x2=x, y2=bottom)
        picture.add("text", name.split("core/")[-1],
                    transform=f"translate({x + 4} {HEAD - 14}) rotate(-55)")
    for name, middle in zip(names, middles):
        draw_counts(picture, names, counts, name, middle, left)

    total = sum(files[room] for _, rooms in wings for room in rooms)
    picture.add("text", "The rooms of Headlight", class_="wing", x=MARGIN, y=34)
    for line, text in enumerate([
            f"{sum(len(rooms) for _, rooms in wings)} rooms with {total} source files. "
            "A band is a wing, a box is a room: its name,",
            f"its number of files, and as a bar how full it is (at most {MOST_FILES}).",
            "Read the boxes of a layer like text: a room includes only rooms that come later.",
            "The matrix counts the #include lines from the wing on the left to the wing on top."]):
        picture.add("text", text, x=MARGIN, y=62 + 20 * line)
    return page(picture, bottom + MARGIN)


def page(picture, height):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">')
    title = "  <title>The rooms of Headlight and how often their wings include each other</title>"
    note = "  <!-- Written by cmake/draw_rooms.py; tests compare it with the sources. -->"
    paper = f'  <rect class="paper" width="{WIDTH}" height="{height}"/>'
    return "\n".join([head, title, note, f"  <style>{STYLE}  </style>", paper, *picture.parts,
                      "</svg>", ""])


def main(arguments):
    path = os.path.join(ROOT, PICTURE)
    drawn = draw(room_order(), sources())
    if arguments == ["--check"]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == drawn:
                    return 0
        print(f"{PICTURE} is not what the sources give; run: python3 cmake/draw_rooms.py")
        return 1
    if arguments:
        print(__doc__)
        return 2
    with open(path, "w", encoding="utf-8") as file:
        file.write(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
