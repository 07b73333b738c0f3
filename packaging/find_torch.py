#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PyTorch of this Python, and whether Headlight can be built on it; packaging/run.sh asks.

    python find_torch.py     prints FOLDER VERSION CUDA, a tab between them; CUDA is "cpu" without one

Exit code 1 with a reason where there is none that fits. PyTorch is not imported: that takes seconds,
and its own files say all of this.
"""
import importlib.util
import pathlib
import re
import sys

# From here on all wheels have the C++ ABI of today's compilers; before, some had.
FIRST_OF_TODAY = (2, 7)


def fail(reason):
    sys.exit(f"error: {reason}")


def stated(text, name):
    """A string that version.py assigns, with or without a type."""
    found = re.search(rf"^{name}\s*(?::[^=\n]*)?=\s*['\"]([^'\"]+)['\"]", text, re.MULTILINE)
    return found.group(1) if found else ""


def folder_of(package):
    """Where LibTorch's CMake files are: in the package; conda-forge has them in the environment."""
    for folder in (package, pathlib.Path(sys.prefix)):
        if (folder / "share/cmake/Torch/TorchConfig.cmake").is_file():
            return folder
    fail(f"the PyTorch in {package} has no C++ files (share/cmake/Torch); install it with pip")


def has_todays_abi(folder, version):
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers >= FIRST_OF_TODAY:
        return True
    config = (folder / "share/cmake/Torch/TorchConfig.cmake").read_text(encoding="utf-8")
    return "_GLIBCXX_USE_CXX11_ABI=1" in config


def main():
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        fail(f"{sys.executable} has no PyTorch; install it there, or leave out --torch")
    package = pathlib.Path(spec.origin).parent
    text = (package / "version.py").read_text(encoding="utf-8")
    version, folder = stated(text, "__version__"), folder_of(package)
    if stated(text, "hip"):
        fail(f"PyTorch {version} in {package} is for ROCm; Headlight needs one for CUDA or the CPU")
    if not has_todays_abi(folder, version):
        fail(f"PyTorch {version} in {package} has the C++ ABI from before GCC 5; Headlight needs "
             "2.7 or later (pip install --upgrade torch)")
    print(folder, version, stated(text, "cuda") or "cpu", sep="\t")


if __name__ == "__main__":
    main()
