#!/usr/bin/env bash
# Installs what is missing, builds Headlight and starts it on its built-in sample. Without a display
# the same job is done by command line. Anything given is handed to the program.
. "$(dirname "$0")/setup.sh"

install_packages core gui
build_targets OFF headlight headlight-cli

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$build/app/gui/headlight" "$@"
fi

say "There is no display here: doing the same by command line"
cli=$build/app/cli/headlight-cli
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
