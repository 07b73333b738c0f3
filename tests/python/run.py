#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of python/headlight_maps by a Python that has PyTorch; exit code 77 without one.

    run.py [unittest's arguments]

HEADLIGHT_PYTHON names the Python, such as that of a virtual environment with timm, transformers and
torchvision, which have tests of their own. HEADLIGHT_CLI names headlight-cli; without it the tests
that open files with it are skipped.
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def has_torch(python):
    try:
        return subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0
    except OSError:
        return False


def main(arguments):
    named = os.environ.get("HEADLIGHT_PYTHON")
    for python in [named] if named else [sys.executable, "/usr/bin/python3"]:
        if has_torch(python):
            paths = [str(HERE.parents[1] / "python"), str(HERE), os.environ.get("PYTHONPATH", "")]
            environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths)),
                               PYTHONDONTWRITEBYTECODE="1")
            command = [python, "-m", "unittest"] + (arguments or ["discover", "-s", str(HERE)])
            return subprocess.run(command, cwd=HERE, env=environment).returncode
    print("skipped: no Python with PyTorch; Debian's package is python3-torch")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
