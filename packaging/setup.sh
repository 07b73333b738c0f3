# shellcheck shell=bash
# Shared by run.sh and test.sh: installs what is missing, configures and builds. Source it.
#   TORCH_DIR=/path   build against another LibTorch (its unpacked folder) instead of Debian's
#   HEADLIGHT_BUILD   build folder (default: build/release; another LibTorch has one of its own)

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${HEADLIGHT_BUILD:-$root/build/release}

say() { printf '\033[1m== %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "packages are missing and this is neither root nor has sudo; install by hand: $missing"
  fi
}

# install_packages GROUP…: those of packages.txt that are not there yet.
install_packages() {
  command -v apt-get >/dev/null || die "this is not Debian: install what packaging/packages.txt lists"
  local group package
  missing=
  for group in "$@"; do
    for package in $(sed -n "s/^$group //p" "$root/packaging/packages.txt"); do
      if [ -n "${TORCH_DIR:-}" ] && [ "$package" = libtorch-dev ]; then continue; fi
      dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
    done
  done
  [ -n "$missing" ] || return 0
  say "Installing:$missing"
  as_root apt-get update -q
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends $missing
}

# active_python: that of the active virtual environment or conda; nothing where neither is active.
active_python() {
  local environment
  for environment in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
    if [ -n "$environment" ] && [ -x "$environment/bin/python" ]; then
      echo "$environment/bin/python"
      return
    fi
  done
}

# As cmake/LibTorch.cmake looks for it.
has_nvcc() {
  command -v "${CUDACXX:-nvcc}" >/dev/null || [ -x "${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}/bin/nvcc" ]
}

# use_torch_folder [VERSION]: what is built on TORCH_DIR lies in a folder of its own.
use_torch_folder() {
  local version=${1:-$(cat "$TORCH_DIR/build-version" 2>/dev/null || true)}
  build=${HEADLIGHT_BUILD:-$root/build/torch-${version:+${version//+/-}-}$(printf %s "$TORCH_DIR" | cksum | cut -d' ' -f1)}
}

# use_python_torch: TORCH_DIR becomes the active Python's PyTorch.
use_python_torch() {
  local python found version cuda
  python=$(active_python)
  command -v "${python:=python3}" >/dev/null ||
    die "no environment is active and there is no python3; activate the one that has PyTorch"
  found=$("$python" "$root/packaging/find_torch.py") || exit 1
  IFS=$'\t' read -r TORCH_DIR version cuda <<<"$found"
  export TORCH_DIR
  use_torch_folder "$version"
  say "PyTorch $version ($cuda) in $TORCH_DIR"
  if [ "$cuda" != cpu ] && ! has_nvcc; then
    say "There is no CUDA toolkit (nvcc): Headlight's own kernels are left out, LibTorch's run on the GPU"
  fi
}

# take_torch --torch python …: sets `taken` to how many arguments named a PyTorch, and uses it.
take_torch() {
  taken=0
  if [ "${1:-}" != --torch ]; then return 0; fi
  [ "${2:-}" = python ] || die "--torch takes python: the active environment's; a folder is named by TORCH_DIR=/path"
  use_python_torch
  taken=2
}

# offer_python_torch: says that there is one, or why not, where nobody asked.
offer_python_torch() {
  local python found
  python=$(active_python)
  if [ -z "$python" ] || [ -n "${TORCH_DIR:-}" ]; then return 0; fi
  "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)' || return 0
  if found=$("$python" "$root/packaging/find_torch.py" 2>&1); then
    found=$(cut -f2 <<<"$found")
    say "PyTorch $found is in the active environment; to build on it: packaging/run.sh --torch python"
  else
    say "Built on Debian's LibTorch: ${found#error: }"
  fi
}

# torch_options: where CMake finds LibTorch, one option a line. An environment of conda-forge has much
# beside it (Qt, OpenCV) that does not go with the system's, so it is not searched as a whole.
torch_options() {
  [ -n "${TORCH_DIR:-}" ] || return 0
  if [ -d "$TORCH_DIR/conda-meta" ]; then
    printf '%s\n' "-DTorch_DIR=$TORCH_DIR/share/cmake/Torch" "-DCaffe2_DIR=$TORCH_DIR/share/cmake/Caffe2" \
      "-DTORCH_LIBRARY=$TORCH_DIR/lib/libtorch.so"
  else
    printf '%s\n' "-DCMAKE_PREFIX_PATH=$TORCH_DIR"
  fi
}

# build_targets TESTS(ON|OFF) TARGET…
build_targets() {
  local tests=$1 prefix
  shift
  mapfile -t prefix < <(torch_options)
  if [ ! -f "$build/build.ninja" ] || [ "$tests" = ON ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DHEADLIGHT_TESTS="$tests" -DHEADLIGHT_UNITY=ON "${prefix[@]}" >"$build.log" 2>&1 ||
      { tail -30 "$build.log" >&2; die "configuring failed; all of it is in $build.log"; }
  fi
  say "Building (the first time takes several minutes)"
  ninja -C "$build" "$@"
}

# The first mirror that apt has here.
mirror() {
  { sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources
    sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list
    echo http://deb.debian.org/debian
  } 2>/dev/null | sed -n 1p
}

# When what is packed was made: with the commit, or with the changelog where there is no git.
commit_time() {
  git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md"
}

project_version() { sed -n 's/^project(Headlight VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt"; }
mkdir -p "$root/build"
if [ -n "${TORCH_DIR:-}" ]; then use_torch_folder; fi
mkdir -p "$(dirname "$build")"
