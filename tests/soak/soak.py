#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a program's memory stays flat over hours: runs a command, and again when it ends well.

    python3 tests/soak/soak.py --hours 4 -- env QT_QPA_PLATFORM=offscreen HEADLIGHT_MONKEY_EVENTS=2000000 \\
        HEADLIGHT_MONKEY_PAUSE=5 QTEST_FUNCTION_TIMEOUT=20000000 build/release/tests/gui/gui_MonkeyTest -maxwarnings 0
    python3 tests/soak/soak.py --hours 4 -- build/release/app/cli/headlight-cli train models/presets/demo.json \\
        --run /tmp/soak --training.epochs 100000

Sampled is the resident memory of the command and all that it starts; the log (CSV) has seconds and MB.
Compared are the medians of the second and the last quarter of each run of at least eight samples.
Exit code 1 where memory grew by more than --growth MB, or the command failed; 0 where it stayed flat.
"""
import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

FEWEST_SAMPLES = 8  # two a quarter
PAGE = os.sysconf("SC_PAGE_SIZE")


def parents():
    """Who started whom: the parent of each process that is there now."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
    return found


def tree_of(root):
    started_by, tree, grown = parents(), {root}, True
    while grown:
        more = {child for child, parent in started_by.items() if parent in tree} - tree
        tree, grown = tree | more, bool(more)
    return tree


def resident_megabytes(root):
    pages = 0
    for process in tree_of(root):
        try:
            pages += int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * PAGE / 1e6


def growth_of(samples):
    """MB from the second quarter (what is warmed up) to the last; nothing where there are too few."""
    if len(samples) < FEWEST_SAMPLES:
        return None
    quarter = len(samples) // 4
    return statistics.median(samples[-quarter:]) - statistics.median(samples[quarter:2 * quarter])


def stop(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def watch(options, end, log, started):
    """One run of the command: its samples, and its exit code, or nothing where the time was over."""
    process = subprocess.Popen(options.command, start_new_session=True, stdout=subprocess.DEVNULL)
    samples = []
    try:
        while process.poll() is None and time.monotonic() < end:
            samples.append(resident_megabytes(process.pid))
            log.write(f"{time.monotonic() - started:.1f},{samples[-1]:.1f}\n")
            log.flush()
            try:
                process.wait(min(options.every, max(0.0, end - time.monotonic())))
            except subprocess.TimeoutExpired:
                continue
        return samples, process.poll()
    finally:
        stop(process)


def soak(options, log):
    started = time.monotonic()
    end, worst, runs = started + options.hours * 3600, None, 0
    while time.monotonic() < end:
        samples, code = watch(options, end, log, started)
        runs += 1
        if code:
            print(f"error: run {runs} ended with exit code {code}", file=sys.stderr)
            return 1
        grown = growth_of(samples)
        if grown is not None:
            worst = grown if worst is None else max(worst, grown)
    if worst is None:
        print(f"error: no run lasted for {FEWEST_SAMPLES} samples; ask for a longer one, or a smaller --every",
              file=sys.stderr)
        return 2
    print(f"{runs} runs in {options.hours:g} hours; memory grew by {worst:.1f} MB at most "
          f"({options.growth:g} are allowed); samples are in {options.log}")
    return 1 if worst > options.growth else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=4)
    parser.add_argument("--every", type=float, default=10, help="seconds between two samples")
    parser.add_argument("--growth", type=float, default=50, help="MB that are allowed")
    parser.add_argument("--log", type=pathlib.Path, default=pathlib.Path("soak.csv"))
    parser.add_argument("command", nargs="+", help="behind --")
    options = parser.parse_args()
    with options.log.open("w", encoding="utf-8") as log:
        log.write("seconds,megabytes\n")
        return soak(options, log)


if __name__ == "__main__":
    sys.exit(main())
