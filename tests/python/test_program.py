# SPDX-License-Identifier: GPL-3.0-or-later
"""The window itself, where HEADLIGHT_PROGRAM names it: one window for several starts, whatever
strangers send to its socket."""
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import time
import unittest
import warnings
from unittest import mock

import torch

import headlight_maps
from models import Vit

PROGRAM = os.environ.get("HEADLIGHT_PROGRAM")


@unittest.skipUnless(PROGRAM and os.path.exists(PROGRAM), "HEADLIGHT_PROGRAM names no headlight")
class ProgramTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        runtime = self.folder / "runtime"
        runtime.mkdir(0o700)
        changed = mock.patch.dict(os.environ, {
            "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(runtime), "OMP_NUM_THREADS": "1",
            "XDG_DATA_HOME": str(self.folder), "HEADLIGHT": PROGRAM})
        changed.start()
        self.addCleanup(changed.stop)
        self.window = subprocess.Popen([PROGRAM, "--no-session", "--threads", "1"],
                                       stderr=subprocess.DEVNULL)
        self.addCleanup(self.window.wait)
        self.addCleanup(self.window.kill)
        self.address = self.wait_for_socket(runtime)

    def wait_for_socket(self, folder):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for path in folder.glob("headlight-*.socket"):
                return str(path)
            time.sleep(0.05)
        self.fail("no window listens")

    def send(self, message, stay=False):
        """What the window answers; nothing where it hangs up, or `stay`."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(30)
        connection.connect(self.address)
        self.addCleanup(connection.close)
        try:
            connection.sendall(message)
            return b"" if stay else connection.recv(64)
        except ConnectionError:
            return b""

    def test_a_window_is_used_again_whatever_strangers_send(self):
        dice = random.Random(7)
        for message in (b"relative.png\0\0", b"\0\0\0", b"/a\0b\0\0", b"\xff\xfe\0\0"):
            self.assertEqual(self.send(message), b"no\n", message)
        self.assertEqual(self.send(b"x" * (3 << 20)), b"")
        for _ in range(20):
            self.send(dice.randbytes(dice.randint(1, 2000)), stay=True)
        warnings.simplefilter("ignore")
        path = headlight_maps.save(Vit(["eager"]), torch.rand(3, 16, 16), self.folder / "a.safetensors")
        again = subprocess.run([PROGRAM, "--reuse", str(path)], timeout=60)
        self.assertEqual(again.returncode, 0)
        headlight_maps.show(Vit(["fused"]), torch.rand(3, 16, 16), self.folder / "b.safetensors")
        self.assertIsNone(self.window.poll())


if __name__ == "__main__":
    unittest.main()
