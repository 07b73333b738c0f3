#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reader under mutations, seed after seed, until so many inputs are read or something breaks. Each
reader gets equal time, so that the fast ones read more.

    cmake --preset sanitize && cmake --build --preset sanitize --target fuzz_checkpoint fuzz_readers fuzz_imaging
    python3 tests/fuzz/continuous.py build/sanitize --inputs 100000000

LOG (default: fuzz.jsonl in BUILD) has a line per round: program, seed, mutations, seconds. Called again it
goes on behind the last seed; without --inputs it goes on until Ctrl+C. What broke is kept beside the log,
its output and, of fuzz_readers, its input; exit code 1.

Built with HEADLIGHT_LIBFUZZER, the programs are libFuzzer's. What they found goes into fuzz-corpus beside
the log, where the next round begins.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden"
CHECKPOINTS = ("vit_micro.safetensors", "torch_varied.safetensors", "position_resize.safetensors",
               "torch_varied.pth", "vit_micro_training_checkpoint.pth", "transformers/legacy_pickle/model.pth",
               "transformers/dino_fb/checkpoint.pth", "transformers/openai_clip_jit/ViT-micro.pt")
# How many readers a program counts as: each gets equal time. fuzz_readers has a clock for each of its own.
PROGRAMS = {"fuzz_readers": 1, "fuzz_checkpoint": 10, "fuzz_imaging": 20}
# How many inputs a program says it has read, in its last line.
SAID = re.compile(r"^(?:Done )?(\d+) (?:mutations|mutated images|runs)\b", re.MULTILINE)
# The files where libFuzzer begins. Those of fuzz_readers, reader-NUMBER-FILE, it writes in its first round.
SEEDS = {"fuzz_checkpoint": [GOLDEN / name for name in CHECKPOINTS],
         "fuzz_imaging": sorted(path for folder in ("pillow/formats", "stills")
                                for path in (GOLDEN / folder).iterdir() if path.is_file())}


# Short of what takes two thirds of the time: frames kept after their return, and where a block was made.
QUICK = "detect_stack_use_after_return=0:malloc_context_size=2"
THOROUGH_EVERY = 10  # rounds; those are as the test preset has it


def sanitizer_settings(seed):
    """As the test preset has them: suppressions with their reasons are in tests/sanitizers."""
    presets = json.loads((TESTS.parent / "CMakePresets.json").read_text(encoding="utf-8"))["testPresets"]
    settings = next((each.get("environment", {}) for each in presets if each["name"] == "sanitize"), {})
    settings = {name: value.replace("${sourceDir}", str(TESTS.parent)) for name, value in settings.items()}
    if seed % THOROUGH_EVERY:
        settings["ASAN_OPTIONS"] = f"{settings['ASAN_OPTIONS']}:{QUICK}"
    return settings


def scratch():
    """A folder for the files that are read; in memory where that can be: they are made by the thousand."""
    memory = pathlib.Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="headlight-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)


def find_program(build, name):
    found = [build / "tests/fuzz" / name, build / "tests/fuzz/imaging" / name]
    return next((str(path) for path in found if path.is_file()), None) or sys.exit(
        f"error: {build} has no {name}; build it (see --help)")


def is_libfuzzer(program):
    return b"ERROR: libFuzzer" in pathlib.Path(program).read_bytes()


def fill_corpus(name, corpus):
    corpus.mkdir(parents=True, exist_ok=True)
    for path in SEEDS.get(name, ()):
        shutil.copyfile(path, corpus / f"{path.parent.name}-{path.name}")


def arguments_of(name, seed, seconds, inputs, corpus):
    seconds *= PROGRAMS[name]
    if not corpus:
        files = SEEDS[name] if name == "fuzz_checkpoint" else ()
        return ["--seconds", str(seconds), "--seed", str(seed), *map(str, files)]
    if name == "fuzz_readers":
        seconds *= max(1, len({path.name.split("-")[1] for path in corpus.glob("reader-*")}))
    # Seconds and megabytes for one input as in tests/fuzz/Bounds.h; what broke is kept in `inputs`.
    return [f"-max_total_time={max(1, round(seconds))}", f"-seed={seed}", "-timeout=20", "-rss_limit_mb=4096",
            "-malloc_limit_mb=2048", f"-artifact_prefix={inputs}/", str(corpus)]


def fuzz(program, name, seed, seconds, kept, corpus):
    """One round: the line of the log, and where its output and its files are kept if it broke."""
    with scratch() as inputs:
        line, output = run(program, name, seed, seconds, inputs, corpus)
        if line["code"] == 0 and line["mutations"]:
            return line, None
        kept = kept / f"{name}-{seed}"
        shutil.copytree(inputs, kept, dirs_exist_ok=True)
        (kept / "output.txt").write_text(output, encoding="utf-8")
        return line, kept


def run(program, name, seed, seconds, inputs, corpus):
    settings = {**os.environ, **sanitizer_settings(seed), "TMPDIR": inputs, "HEADLIGHT_TEST_EFFORT": "1"}
    if corpus and name == "fuzz_readers":
        settings["HEADLIGHT_FUZZ_SEEDS"] = str(corpus)
    started = time.monotonic()
    arguments = arguments_of(name, seed, seconds, inputs, corpus)
    result = subprocess.run([program, *arguments], env=settings, check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    said = SAID.findall(result.stdout)
    line = {"program": name, "seed": seed, "mutations": int(said[-1]) if said else 0,
            "seconds": round(time.monotonic() - started, 1), "code": result.returncode}
    return line, result.stdout


def past(log):
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [line for line in map(json.loads, lines) if line["code"] == 0]


def rounds(done):
    """Program and seed, the programs in turns, each behind its last seed."""
    last = {name: max((line["seed"] for line in done if line["program"] == name), default=0)
            for name in PROGRAMS}
    for step in itertools.count(1):
        for name in PROGRAMS:
            yield name, last[name] + step


def fuzz_on(options, programs, log):
    corpora = {name: log.parent / "fuzz-corpus" / name if is_libfuzzer(program) else None
               for name, program in programs.items()}
    for name, corpus in corpora.items():
        if corpus:
            fill_corpus(name, corpus)
    done = past(log)
    total = sum(line["mutations"] for line in done)
    coming, running = rounds(done), set()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, log.open("a", encoding="utf-8") as file:
        while running or not options.inputs or total < options.inputs:
            while len(running) < options.jobs and (not options.inputs or total < options.inputs):
                name, seed = next(coming)
                running.add(pool.submit(fuzz, programs[name], name, seed, options.seconds,
                                        log.parent / "fuzz-kept", corpora[name]))
            finished, running = concurrent.futures.wait(running, return_when="FIRST_COMPLETED")
            for line, kept in (each.result() for each in finished):
                total += line["mutations"]
                file.write(json.dumps(line) + "\n")
                file.flush()
                print(f"{line['program']:16} seed {line['seed']}: {line['mutations']} in {line['seconds']} s, "
                      f"{total} in all", flush=True)
                if kept:
                    print(f"error: {line['program']} broke at seed {line['seed']}, see {kept}", file=sys.stderr)
                    return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder, with sanitizers or without")
    parser.add_argument("--inputs", type=float, default=0, help="until the log has so many; default: for ever")
    parser.add_argument("--seconds", type=float, default=2, help="of a round, for each reader")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    log = (options.log or options.build / "fuzz.jsonl").resolve()
    programs = {name: find_program(options.build, name) for name in PROGRAMS}
    try:
        return fuzz_on(options, programs, log)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
