#!/usr/bin/env bash
# Installs what is missing, builds Headlight and starts it on its built-in sample. Without a display
# the same job is done by command line. Anything given is handed to the program.
#   run.sh --deb FILE …       installs this package of this version instead: no compiler, no build
#   run.sh --torch python …   builds on the PyTorch of the active virtual environment or conda (2.7 or later)
#   TORCH_DIR=/path run.sh …  builds on the LibTorch in this folder
. "$(dirname "$0")/setup.sh"

# install_deb FILE: a package of another version would not be what these sources say.
install_deb() {
  local version
  version=$(dpkg-deb -f "$1" Version) || die "$1: is not a Debian package"
  [ "$(dpkg-deb -f "$1" Package)" = headlight ] || die "$1: is not a package of Headlight"
  case $version in
    "$(project_version)"|"$(project_version)"-*) ;;
    *) die "$1: is version $version, and these sources are $(project_version); run packaging/run.sh without --deb" ;;
  esac
  [ "$(dpkg-query -W -f='${Version}' headlight 2>/dev/null)" != "$version" ] || return 0
  say "Installing $(basename "$1")"
  missing=$1
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "$(realpath "$1")"
}

if [ "${1:-}" = --deb ]; then
  [ -f "${2:-}" ] || die "--deb needs a file: a package of Headlight $(project_version)"
  install_deb "$2"
  shift 2
  window=headlight cli=headlight-cli
else
  if [ "${1:-}" = --torch ]; then
    [ "${2:-}" = python ] || die "--torch takes python: the active environment's; a folder is named by TORCH_DIR=/path"
    use_python_torch
    shift 2
  else
    offer_python_torch
  fi
  install_packages core gui
  build_targets OFF headlight headlight-cli
  window=$build/app/gui/headlight cli=$build/app/cli/headlight-cli
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
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
