# Shared by run.sh and test.sh: installs what is missing, configures and builds. Source it.
#   TORCH_DIR=/path   build against another LibTorch (its unpacked folder) instead of Debian's
#   HEADLIGHT_BUILD   build folder (default: build/release, or build/torch with TORCH_DIR)

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${HEADLIGHT_BUILD:-$root/build/${TORCH_DIR:+torch-}release}

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

# build_targets TESTS(ON|OFF) TARGET…
build_targets() {
  local tests=$1 prefix=()
  shift
  if [ -n "${TORCH_DIR:-}" ]; then prefix=(-DCMAKE_PREFIX_PATH="$TORCH_DIR"); fi
  if [ ! -f "$build/build.ninja" ] || [ "$tests" = ON ]; then
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DHEADLIGHT_TESTS="$tests" -DHEADLIGHT_UNITY=ON "${prefix[@]}" >"$build.log" 2>&1 ||
      { tail -30 "$build.log" >&2; die "configuring failed; all of it is in $build.log"; }
  fi
  say "Building (the first time takes several minutes)"
  ninja -C "$build" "$@"
}
mkdir -p "$root/build"
