#!/usr/bin/env bash
# Tries packages as a user does, in a bare root (mmdebstrap; needs root): installs, opens the window
# under Xvfb, looks whether the demo's image is there, trains, removes, and looks for what is left.
#   try_packages.sh SUITE FILE...     FILE: a .deb, or the .tar.xz of a bundle
. "$(dirname "$0")/setup.sh"
suite=${1:?a suite of Debian is missing, such as bookworm}
shift
[ $# -gt 0 ] || die "a package is missing"
[ "$(id -u)" = 0 ] || die "mmdebstrap needs root"
install_packages root

for file in "$@"; do
  say "$(basename "$file") in a bare root of $suite"
  mmdebstrap --variant=apt --include=xvfb,xauth,python3-pil,xz-utils \
    --customize-hook="cp '$(realpath "$file")' '$root/packaging/try_inside.sh' \"\$1/root/\"" \
    --customize-hook="chroot \"\$1\" sh /root/try_inside.sh '/root/$(basename "$file")'" \
    "$suite" /dev/null "$(mirror)" || die "$(basename "$file") failed"
done
say "Installed, seen, trained, removed"
