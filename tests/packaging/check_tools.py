#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the tools that run for hours, for a moment and on stand-ins: check_tools.py SOURCES."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(sys.argv[1]).resolve() / "tests"
GROWING = """
import time
kept, end = [], time.monotonic() + 1.2
while time.monotonic() < end:
    kept.append(bytearray(b"x" * {bytes}))
    time.sleep(0.02)
"""


def run(script, *arguments):
    return subprocess.run([sys.executable, str(TESTS / script), *map(str, arguments)], capture_output=True,
                          text=True, check=False)


class Soak(unittest.TestCase):
    def soak(self, *command, hours=1.0 / 3600, growth=20):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log.csv"
            result = run("soak/soak.py", "--hours", hours, "--every", 0.05, "--growth", growth, "--log", log, "--",
                         *command)
            return result, log.read_text(encoding="utf-8").splitlines()

    def test_memory_that_is_flat_passes(self):
        result, log = self.soak(sys.executable, "-c", "import time; time.sleep(30)")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(log[0], "seconds,megabytes")
        self.assertGreater(float(log[-1].split(",")[1]), 1)

    def test_memory_that_grows_is_found(self):
        result, _ = self.soak(sys.executable, "-c", GROWING.format(bytes=2_000_000), growth=10)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("memory grew by", result.stdout)

    def test_what_children_take_counts(self):
        growing = GROWING.format(bytes=2_000_000)
        code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '''{growing}'''])"
        self.assertEqual(self.soak(sys.executable, "-c", code, growth=10)[0].returncode, 1)

    def test_a_command_that_fails_or_ends_too_soon_is_said(self):
        result, _ = self.soak("false")
        self.assertEqual(result.returncode, 1)
        self.assertIn("exit code 1", result.stderr)
        self.assertEqual(self.soak("true", hours=0.2 / 3600)[0].returncode, 2)


class Fuzzing(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.build = pathlib.Path(made.name)
        self.stand_in("fuzz_readers", 'echo "masks 7 mutations, 1 of them accepted"; echo "70 mutations, seed $4"')
        self.stand_in("fuzz_checkpoint", 'echo "40 mutations of 9 inputs, seed $4: 3 accepted"')
        self.stand_in("imaging/fuzz_imaging", 'echo "${2%.*} mutated images, 2 of them still decoded"')

    def stand_in(self, name, body):
        program = self.build / "tests/fuzz" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    def fuzz(self, *more):
        return run("fuzz/continuous.py", self.build, "--seconds", 1, "--jobs", 1, *more)

    def log(self):
        return [json.loads(line) for line in (self.build / "fuzz.jsonl").read_text().splitlines()]

    def test_it_goes_on_to_so_many_and_behind_the_last_seed(self):
        result = self.fuzz("--inputs", 200)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        rounds = [(line["program"], line["seed"], line["mutations"]) for line in self.log()]
        self.assertEqual(rounds, [("fuzz_readers", 1, 70), ("fuzz_checkpoint", 1, 40), ("fuzz_imaging", 1, 20),
                                  ("fuzz_readers", 2, 70)])
        self.assertEqual(self.fuzz("--inputs", 201).returncode, 0)
        self.assertEqual(self.log()[4]["seed"], 3)
        self.assertEqual(sum(line["mutations"] for line in self.log()), 270)
        self.assertEqual(self.fuzz("--inputs", 270).returncode, 0)
        self.assertEqual(len(self.log()), 5)

    def test_what_breaks_ends_it_and_is_kept(self):
        self.stand_in("fuzz_checkpoint",
                      'echo "crashed: iteration 3"; echo bytes >"$TMPDIR/fuzz_readers-input"; exit 134')
        result = self.fuzz("--inputs", 1000)
        self.assertEqual(result.returncode, 1)
        self.assertIn("fuzz_checkpoint broke at seed 1", result.stderr)
        kept = self.build / "fuzz-kept/fuzz_checkpoint-1"
        self.assertIn("iteration 3", (kept / "output.txt").read_text())
        self.assertEqual((kept / "fuzz_readers-input").read_text(), "bytes\n")
        self.assertFalse((self.build / "fuzz-kept/fuzz_readers-1").exists())

    def test_a_program_that_says_nothing_has_broken(self):
        self.stand_in("imaging/fuzz_imaging", "exit 0")
        self.assertEqual(self.fuzz("--inputs", 1000).returncode, 1)

    def test_a_build_without_the_programs_is_said(self):
        (self.build / "tests/fuzz/fuzz_readers").unlink()
        result = self.fuzz("--inputs", 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("has no fuzz_readers", result.stderr)


# Milliseconds that a stand-in takes for each step; compiled half of them, as do products alone.
SERVER = """#!/bin/sh
infer={infer} train={train}
case "$*" in --core) exit ;; esac
case "$*" in
  *"--what compiled"*) {compiled}; infer=$((infer / 2)) train=$((train / 2)) ;;
  *"--what products"*) infer=80 train=200 ;;
esac
case "$*" in *bfloat16*) {narrow}; infer=$((infer / 2)) ;; esac
echo "ready {name}"
while read -r step; do
  case $step in infer) echo $infer ;; train) echo $train ;; esac
done
"""


class Peers(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def compare(self, *more, fails="", narrow=":"):
        for name, infer, train in (("ours", 100, 400), ("theirs", 300, 800)):
            program = self.folder / name
            program.write_text(SERVER.format(name=name, infer=infer, train=train, narrow=narrow,
                                             compiled=fails or ":"))
            program.chmod(0o755)
        return run("bench/peers.py", "--bench", self.folder / "ours", "--python", self.folder / "theirs",
                   "--batch", 8, "--pairs", 2, *more)

    def test_the_faster_peer_counts(self):
        result = self.compare("--models", "DeiT-T;DINOv2-S, 518 pixels")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ours; theirs; 2 threads, batch 8", result.stdout)
        self.assertIn("| DeiT-T | 80.0, 53.3 (1.50, compiled) | 1.25 | 160.0, 106.7 (1.50, compiled) | 2.00 |",
                      result.stdout)
        self.assertIn("| DeiT-T | 20.0, 20.0 (1.00, compiled) | 2.00 | 20.0, 20.0 (1.00, compiled) | 1.00 |",
                      result.stdout)
        self.assertEqual(result.stdout.count("| DINOv2-S, 518 pixels | 80.0"), 1)

    def test_a_peer_that_fails_is_said_and_left_out(self):
        result = self.compare("--models", "DeiT-T", fails="exit 3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("compiled in float32 ended with exit code 3", result.stderr)
        self.assertIn("| DeiT-T | 80.0, 26.7 (3.00) |", result.stdout)
        self.assertIn("| DeiT-T | 20.0, 10.0 (2.00) |", result.stdout)

    def test_a_processor_without_bfloat16_is_said_and_its_columns_are_empty(self):
        result = self.compare("--models", "DeiT-T", narrow="exit 2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Headlight in bfloat16 ended with exit code 2", result.stderr)
        self.assertIn("| DeiT-T | 80.0, 53.3 (1.50, compiled) | 1.25 | – | – |", result.stdout)

    def test_the_table_of_the_help_is_replaced(self):
        page = self.folder / "speed.md"
        page.write_text((TESTS.parent / "resources/help/speed.md").read_text(encoding="utf-8"), encoding="utf-8")
        before = page.read_text(encoding="utf-8")
        old = before[before.index("## Models\n"):before.index("## Models on")]
        self.assertEqual(self.compare("--write", page).returncode, 0)
        after = page.read_text(encoding="utf-8")
        self.assertEqual(after.count("| Swin-T | 80.0, 53.3 (1.50, compiled) | 1.25 |"), 1)
        self.assertNotIn(re.search(r"\| DeiT-T \|.*", old).group(), after)
        for part in (slice(None, before.index("## Models\n")), slice(before.index("## Models on"), None)):
            self.assertIn(before[part], after)
        page.write_text("# Speed\n", encoding="utf-8")
        self.assertIn("no table", self.compare("--write", page).stderr)

    def test_what_does_not_fit_is_said(self):
        self.assertIn("there is no VGG", self.compare("--models", "VGG").stderr)
        self.assertEqual(self.compare("--models", "DeiT-T", "--write", "page.md").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
