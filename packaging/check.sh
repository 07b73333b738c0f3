#!/usr/bin/env bash
# Checks that read the sources instead of running them. Each can be named; none named: all three.
#   format  every source is formatted as clang-format 14 does it
#   texts   the language of help and interface (tests/texts)
#   tidy    clang-tidy 14 over what changed (cmake/tidy_changed.py)
. "$(dirname "$0")/setup.sh"
cd "$root"

check_format() {
  say "Formatting"
  git ls-files -- 'core/*.cpp' 'core/*.h' 'ui/*.cpp' 'ui/*.h' 'app/*.cpp' 'app/*.h' 'tests/*.cpp' 'tests/*.h' |
    xargs -n 40 -P "$(nproc)" clang-format-14 --dry-run --Werror ||
    die "run: cmake --build build/release --target format"
}

check_texts() {
  say "Texts"
  python3 tests/texts/check_texts.py .
}

check_tidy() {
  say "clang-tidy"
  cmake --preset tidy >build/tidy.log 2>&1 || { tail -30 build/tidy.log >&2; die "configuring failed"; }
  python3 cmake/tidy_changed.py build/tidy
}

install_packages core gui check
for check in ${*:-format texts tidy}; do "check_$check"; done
