#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over what changed: tidy_changed.py BUILD, a build folder of the preset `tidy`.

Changed are the sources of core, ui and app that differ from TIDY_BASE (a commit; default: where the
branch left origin/main, else thirty commits ago). Files of one unity source are read together, and
one such source takes about a minute: those with most changes come first, until TIDY_SECONDS
(default 150) are over. It says what it left out. Exit code 1 if clang-tidy finds anything.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = float(os.environ.get("TIDY_SECONDS", 150))
# LibTorch's headers are not all C++20 to clang: what counts is said of our own files.
OURS = re.compile(rf"^{re.escape(str(ROOT))}/(core|ui|app)/.*(error|warning):")
OPTIONS = ["--quiet", "--checks=-bugprone-suspicious-include", "--extra-arg=-Wno-unknown-warning-option",
           "--extra-arg=-ferror-limit=0"]


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.split()


def base():
    if os.environ.get("TIDY_BASE"):
        return os.environ["TIDY_BASE"]
    left = git("merge-base", "origin/main", "HEAD")
    if left and left != git("rev-parse", "HEAD"):
        return left[0]
    commits = git("rev-list", "--max-count=31", "HEAD")
    return commits[-1] if commits else "HEAD"


def changed():
    names = git("diff", "--name-only", "--diff-filter=d", base(), "--", "core", "ui", "app")
    return {str(ROOT / name) for name in names if name.endswith(".cpp")}


def sources_of(path):
    if not path.endswith(".cxx"):
        return {path}
    return set(re.findall(r'#include "(/[^"]+)"', pathlib.Path(path).read_text()))


def jobs(build, files):
    """[(source of the build, changed files in it)], most changed first."""
    entries = {e["file"] for e in json.loads((build / "compile_commands.json").read_text())}
    found = [(entry, sources_of(entry) & files) for entry in sorted(entries)]
    return sorted((job for job in found if job[1]), key=lambda job: -len(job[1]))


def tidy(build, job, end):
    if time.monotonic() > end:
        return job, None
    done = subprocess.run(["clang-tidy-14", "-p", build, *OPTIONS, job[0]], capture_output=True, text=True)
    problems = [line for line in done.stdout.splitlines() if OURS.match(line)]
    if done.returncode < 0 or "compile command" in done.stderr:  # it crashed, or knows no such source
        problems.append(f"{job[0]}: clang-tidy failed: {done.stderr.strip()[-300:]}")
    return job, problems


def main(build):
    files = changed()
    end = time.monotonic() + LIMIT
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: tidy(build, job, end), jobs(build, files)))
    problems = sorted({line for _, lines in results for line in lines or []})
    print("\n".join(problems))
    read = sum(len(job[1]) for job, lines in results if lines is not None)
    for job, lines in results:
        if lines is None:
            print("not read:", *sorted(str(pathlib.Path(name).relative_to(ROOT)) for name in job[1]))
    print(f"{len(files)} sources changed; {read} of them were read, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
