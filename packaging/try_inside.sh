#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Within a bare root (try_packages.sh): one package from its installation to its removal.
set -eu
package=$1
export HOME=/tmp/home LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
mkdir -p "$HOME"
cd "$HOME"

traces() {
  find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /root -o -path /var/cache/apt \
    -o -path /var/log \) -prune -o \( -iname '*headlight*' -o -iname '*safetensors*' \) -print
}

case $package in
  *.deb)
    apt-get install -yq --no-install-recommends "$package"
    window=headlight cli=headlight-cli data=/usr/share/headlight
    ;;
  *)
    mkdir /opt/headlight
    tar -C /opt/headlight --strip-components=1 -xf "$package"
    window=/opt/headlight/headlight cli=/opt/headlight/headlight-cli
    data=/opt/headlight/share/headlight
    ;;
esac

"$cli" --version
# The window on its demo: a screenshot of a real X server, and colors that only an image has (59,000 with the demo).
QT_QPA_PLATFORM=xcb xvfb-run -a -s '-screen 0 1600x1000x24' "$window" --size 1280x800 --no-session \
  --screenshot seen.png
python3 - <<'END'
from PIL import Image
seen = Image.open("seen.png").convert("RGB")
colors = len(seen.getcolors(seen.width * seen.height))
assert seen.size == (1280, 800), seen.size
assert colors > 10000, f"only {colors} colors: no image is shown"
END

# The installed preset, by the name that it has in the sources.
"$cli" train models/presets/demo.json --run run --training.weights "$data/models/demo/demo.safetensors" \
  --training.epochs 1 --data.train_samples 128 --data.validation_samples 64
test -s run/last.safetensors
"$cli" predict "$data/samples/dotted-disc.png" --model run/last.safetensors

case $package in
  *.deb)
    apt-get purge -yq headlight
    if dpkg-query -W headlight 2>/dev/null; then echo "still known to dpkg" >&2; exit 1; fi
    ;;
  *) rm -rf /opt/headlight ;;
esac
left=$(traces)
[ -z "$left" ] || { printf 'left after removal:\n%s\n' "$left" >&2; exit 1; }
