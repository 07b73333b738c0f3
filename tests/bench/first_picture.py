#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the window needs to its first picture: from the start of the process to the pixels on a screen.

    python3 tests/bench/first_picture.py [--runs 5] [--cold] [--picture LEFT,TOP,WIDTH,HEIGHT] -- headlight --no-session

Starts an X server of its own (Xvfb), then the command once for itself and --runs times to be measured; with
--cold (root) the kernel forgets before each what it has read of files. Rows of pixels are looked at every few
milliseconds: the window is there when the first of them changes, the picture when those within --picture
(default: the middle third of the screen, where the canvas is) are for the first time what they are after
--settle seconds. Printed are the medians, all runs, and the most memory that the process held.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT = 1280, 800
ROWS = 12  # of pixels that are looked at
ALL_PLANES, Z_PIXMAP = ctypes.c_ulong(-1), 2


class Image(ctypes.Structure):
    """The beginning of Xlib's XImage, up to what is read here."""
    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")] + [("data", ctypes.c_void_p)]


class Screen:
    """An X server with nothing on it, and a look at rows of its pixels."""

    def __init__(self):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24",
                                        "-noreset"], pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        self.name = ":" + os.read(reading, 16).decode().strip()
        self.x = ctypes.CDLL("libX11.so.6")
        self.x.XOpenDisplay.restype = self.x.XGetImage.restype = ctypes.c_void_p
        self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x.XDestroyImage.argtypes = [ctypes.c_void_p]
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(self.name.encode()))
        self.root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))

    def rows(self, left, top, width, height):
        """The bytes of rows spread over this rectangle."""
        return [self.row(left, top + height * i // ROWS, width) for i in range(ROWS)]

    def row(self, left, top, width):
        image = self.x.XGetImage(self.display, self.root, left, top, width, 1, ALL_PLANES, Z_PIXMAP)
        pixels = ctypes.string_at(Image.from_address(image).data, 4 * width)
        self.x.XDestroyImage(image)
        return pixels

    def close(self):
        self.x.XCloseDisplay(self.display)
        self.server.terminate()
        self.server.wait()


def forget_files():
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def peak_memory(process):
    """MB, of this process alone."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def measure(screen, options, home):
    """Seconds to the window, seconds to the picture, MB."""
    empty, seen = screen.rows(0, 0, WIDTH, HEIGHT), []
    if options.cold:
        forget_files()
    environment = dict(os.environ, DISPLAY=screen.name, HOME=home, XDG_RUNTIME_DIR=home, QT_QPA_PLATFORM="xcb")
    start, window = time.perf_counter(), None
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(options.command, env=environment, stdout=words, stderr=words)
        while (now := time.perf_counter() - start) < options.settle:
            if process.poll() is not None:
                words.seek(0)
                sys.exit(f"it ended with {process.returncode}: {words.read().decode(errors='replace')}")
            if window is None and screen.rows(0, 0, WIDTH, HEIGHT) != empty:
                window = now
            seen.append((now, screen.rows(*options.picture)))
            time.sleep(0.005)
        memory = peak_memory(process)
        process.terminate()
        process.wait()
    if window is None:
        sys.exit(f"there was no window after {options.settle} s")
    return window, next(when for when, rows in seen if rows == seen[-1][1]), memory


def rectangle(text):
    sides = [int(side) for side in text.split(",")]
    if len(sides) != 4 or min(sides) < 0 or sides[0] + sides[2] > WIDTH or sides[1] + sides[3] > HEIGHT:
        raise argparse.ArgumentTypeError(f"a rectangle within {WIDTH} × {HEIGHT} has four numbers: {text}")
    return sides


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="forget files before each run; root")
    parser.add_argument("--settle", type=float, default=8, help="seconds after which nothing changes any more")
    parser.add_argument("--picture", type=rectangle, default=[WIDTH // 3, HEIGHT // 3, WIDTH // 3, HEIGHT // 3])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.command = options.command[options.command[:1] == ["--"]:]
    if not options.command:
        parser.error("what is to be started?")
    screen = Screen()
    try:
        with tempfile.TemporaryDirectory() as home:
            measure(screen, options, home)  # so that settings and caches are there
            runs = [measure(screen, options, home) for _ in range(options.runs)]
    finally:
        screen.close()
    for what, unit, values in zip(("window", "picture", "memory"), ("s", "s", "MB"), zip(*runs)):
        print(f"{what:8} {statistics.median(values):8.2f} {unit:2}  of " + " ".join(f"{v:.2f}" for v in values))


if __name__ == "__main__":
    main()
