#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Manual pages and completions, made by the programs from their option tables (CMake calls it):
#   manuals.sh FOLDER HEADLIGHT_CLI [HEADLIGHT]
set -eu
out=$1 cli=$2 window=${3:-}
# English, whoever builds; and as any machine would write it.
unset LANGUAGE DISPLAY WAYLAND_DISPLAY
export LC_ALL=C.UTF-8 HEADLIGHT_LOCALE=/nonexistent QT_QPA_PLATFORM=offscreen

rm -rf "$out"
mkdir -p "$out/man1" "$out/bash" "$out/zsh" "$out/fish"
"$cli" man --folder "$out/man1"
"$cli" completions bash >"$out/bash/headlight-cli"
"$cli" completions zsh >"$out/zsh/_headlight-cli"
"$cli" completions fish >"$out/fish/headlight-cli.fish"
if [ -n "$window" ]; then
  "$window" --print-man >"$out/man1/headlight.1"
  "$window" --print-completions bash >"$out/bash/headlight"
  "$window" --print-completions zsh >"$out/zsh/_headlight"
  "$window" --print-completions fish >"$out/fish/headlight.fish"
fi
gzip -9n "$out"/man1/*.1
touch "$out/made"
