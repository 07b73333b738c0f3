#!/usr/bin/env bash
# Installs what is missing, builds Headlight and starts it on its built-in sample. Without a display
# the same job is done by command line. Anything given is handed to the program.
#   run.sh --deb FILE …       installs this package of this version instead: no compiler, no build
#   run.sh --torch python …   builds on the PyTorch of the active virtual environment or conda (2.7 or later)
#   TORCH_DIR=/path run.sh …  builds on the LibTorch in this folder
. "$(dirname "$0")/setup.sh"

# require_this_debian VERSION: its last part names the release that a package was made for.
require_this_debian() {
  # shellcheck source=/dev/null
  local made=${1##*~deb} here=$(. /etc/os-release; [ "${ID:-}" != debian ] || echo "${VERSION_ID:-}")
  if [ -n "$here" ] && [ "$made" != "$1" ] && [ "$made" != "$here" ]; then
    die "this package is for Debian $made, and this is Debian $here; packaging/package.sh deb makes one for it"
  fi
}

# install_deb FILE: a package of another version would not be what these sources say.
install_deb() {
  local version
  command -v dpkg-deb >/dev/null || die "this is not Debian; take the bundle (.tar.xz), which runs without installation"
  version=$(dpkg-deb -f "$1" Version) || die "$1: is not a Debian package"
  [ "$(dpkg-deb -f "$1" Package)" = headlight ] || die "$1: is not a package of Headlight"
  case $version in
    "$(project_version)"|"$(project_version)"-*) ;;
    *) die "$1: is version $version, and these sources are $(project_version); run packaging/run.sh without --deb" ;;
  esac
  require_this_debian "$version"
  [ "$(dpkg-query -W -f='${Status} ${Version}' headlight 2>/dev/null)" != "install ok installed $version" ] || return 0
  say "Installing $(basename "$1")"
  missing=$1
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "$(realpath "$1")"
}

if [ "${1:-}" = --deb ]; then
  [ -n "${2:-}" ] || die "--deb needs a file: a package of Headlight $(project_version)"
  [ -f "$2" ] || die "--deb needs a file: $2 is not there"
  install_deb "$2"
  shift 2
  window=headlight cli=headlight-cli
else
  take_torch "$@"
  shift "$taken"
  [ "$taken" -gt 0 ] || offer_python_torch
  install_packages core gui
  build_targets OFF headlight headlight-cli
  window=$build/app/gui/headlight cli=$build/app/cli/headlight-cli
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  [ -n "${DISPLAY:-}" ] || install_packages wayland
  exec "$window" "$@"
fi

say "There is no display here: doing the same by command line"
demo=$root/models/demo/demo.safetensors
out=$(mktemp -d "${TMPDIR:-/tmp}/headlight-XXXXXX")

say "Maps and rollout of the samples"
"$cli" attend "$root"/resources/samples/*.png --model "$demo" --images "$out/maps"

say "A short masked training"
"$cli" train "$root/models/presets/demo.json" --run "$out/run" --masks.scheme sch1 \
  --training.weights "$demo" --training.epochs 1 --data.train_samples 256 --data.validation_samples 128

say "The run's exported config, trained headless"
"$cli" train "$out/run/config.json" --run "$out/replay"
say "Images, runs and checkpoints are in $out"
