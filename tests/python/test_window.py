# SPDX-License-Identifier: GPL-3.0-or-later
"""How show() finds and starts the program, with scripts in its place."""
import os
import pathlib
import stat
import tempfile
import time
import unittest
import warnings
from unittest import mock

import torch

import headlight_maps
from headlight_maps import HeadlightError, window
from models import Vit


class WindowTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        warnings.simplefilter("ignore")

    def program(self, text):
        path = self.root / "headlight"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def show(self, **options):
        return headlight_maps.show(Vit(["eager"]), torch.rand(3, 16, 16), **options)

    def test_the_program_gets_the_file(self):
        program = self.program(f'printf "%s\\n" "$@" > "{self.root}/arguments"\n')
        path = self.show(path=self.root / "a b.safetensors", program=program)
        self.assertEqual(path, self.root / "a b.safetensors")
        self.assertEqual((self.root / "arguments").read_text(), f"--reuse\n{path}\n")

    def test_without_a_path_the_file_is_temporary(self):
        with mock.patch.dict(os.environ, {"HEADLIGHT": self.program("exit 0\n")}), \
                mock.patch.object(tempfile, "tempdir", str(self.root)):
            path = self.show()
        self.assertTrue(path.exists())
        self.assertEqual((path.parents[1], path.name), (self.root, "Vit.safetensors"))

    def test_a_window_that_stays_is_not_waited_for(self):
        program = self.program(f'echo $$ > "{self.root}/pid"; exec sleep 60\n')
        with mock.patch.object(window, "SECONDS_TO_START", 0.3):
            begin = time.monotonic()
            self.show(path=self.root / "maps.safetensors", program=program)
            self.assertLess(time.monotonic() - begin, 20)
        process = int((self.root / "pid").read_text())
        os.kill(process, 15)
        os.waitpid(process, 0)

    def test_what_the_program_says_is_the_error(self):
        program = self.program('echo "headlight: no display (DISPLAY is not set)." >&2; exit 5\n')
        with self.assertRaises(HeadlightError) as caught:
            self.show(path=self.root / "maps.safetensors", program=program)
        for part in ("no display", str(self.root / "maps.safetensors")):
            self.assertIn(part, str(caught.exception))
        self.assertTrue((self.root / "maps.safetensors").exists())

    def test_no_program(self):
        with self.assertRaises(HeadlightError) as caught:
            self.show(path=self.root / "maps.safetensors", program="/gone/headlight")
        self.assertIn("/gone/headlight", str(caught.exception))
        with mock.patch.dict(os.environ, {"PATH": str(self.root)}), \
                mock.patch.object(window, "built_beside", lambda: []):
            os.environ.pop("HEADLIGHT", None)
            with self.assertRaises(HeadlightError) as caught:
                window.program_path()
        self.assertIn("PATH", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
