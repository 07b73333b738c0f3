# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens files in Headlight's window: in the one that is open, or in a new one."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from .errors import HeadlightError

# A program that has not ended after so many seconds has a window; one that found a window has.
SECONDS_TO_START = 3.0


def temporary_path(name):
    """In a new folder of the system's folder of temporary files. The window reads it as it goes."""
    return pathlib.Path(tempfile.mkdtemp(prefix="headlight-maps-")) / f"{name}.safetensors"


def built_beside():
    """Programs of this repository's builds, the newest first."""
    root = pathlib.Path(__file__).resolve().parents[2]
    found = [path for path in root.glob("build/*/app/gui/headlight") if path.is_file()]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def program_path(program=None):
    program = program or os.environ.get("HEADLIGHT")
    found = shutil.which(program or "headlight")
    if found:
        return found
    if program:
        raise HeadlightError(program, "is no program; give the path of headlight")
    if built_beside():
        return str(built_beside()[0])
    raise HeadlightError("headlight", "was not found; add its folder to PATH, or give its path as "
                         "program or in the environment variable HEADLIGHT")


def failed(path, code, text, files):
    lines = text.strip().splitlines()
    words = lines[0].removeprefix("headlight: ") if lines else f"it ended with code {code}"
    return HeadlightError(path, f"did not open a window: {words} The file is {files[0]}")


def open_window(paths, program=None):
    """Opens files in the window that is open, or starts one. Errors: no program, no display."""
    path, files = program_path(program), [str(pathlib.Path(each).resolve()) for each in paths]
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen([path, "--reuse", *files], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=said,
                                       start_new_session=True)
        except OSError as error:
            raise HeadlightError(path, f"cannot be started ({error.strerror})") from None
        end = time.monotonic() + SECONDS_TO_START
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        if process.returncode:
            said.seek(0)
            text = said.read(4096).decode(errors="replace")
            raise failed(path, process.returncode, text, files)
    process.returncode = 0  # it outlives this program; nobody waits for it
