#!/usr/bin/env bash
# Makes what is installed elsewhere, into build/packages or $HEADLIGHT_PACKAGES:
#   package.sh deb               a Debian package for this Debian
#   package.sh bundle            a folder that needs nothing but glibc, as .tar.xz (and as AppImage
#                                where appimagetool is)
#   package.sh --suite trixie …  the same for another Debian, built in a bare root (mmdebstrap, root)
#   package.sh twice             builds in two folders and compares the packages, byte for byte
# Nothing named: deb and bundle. Two builds of one commit give the same bytes.
. "$(dirname "$0")/setup.sh"

packages=${HEADLIGHT_PACKAGES:-$root/build/packages}
build=${HEADLIGHT_BUILD:-$root/build/package}
[ -z "${TORCH_DIR:-}" ] || die "what is packed has Debian's LibTorch; leave out TORCH_DIR"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(commit_time)}
export LC_ALL=C.UTF-8 TZ=UTC CCACHE_DISABLE=1
umask 022

configure() {
  # shellcheck source=/dev/null
  . /etc/os-release
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_SYSCONFDIR=/etc -DHEADLIGHT_TESTS=OFF -DHEADLIGHT_UNITY=ON -DHEADLIGHT_PACKAGE=ON \
    -DHEADLIGHT_ZSH_FOLDER=share/zsh/vendor-completions \
    -DHEADLIGHT_DEBIAN_RELEASE="1~deb${VERSION_ID:-0}" \
    ${HEADLIGHT_MAINTAINER:+-DHEADLIGHT_MAINTAINER="$HEADLIGHT_MAINTAINER"} >"$build.log" 2>&1 ||
    { tail -30 "$build.log" >&2; die "configuring failed; all of it is in $build.log"; }
}

build_all() {
  install_packages core gui package
  configure
  say "Building for packages (ten to fifteen minutes on two cores)"
  ninja -C "$build"
}

make_deb() {
  mkdir -p "$packages"
  say "Debian package"
  rm -rf "$build/deb"
  (cd "$build" && cpack -G DEB -B "$build/deb" >"$build/deb.log") ||
    { tail -30 "$build/deb.log" >&2; die "packing failed"; }
  # Debian 13's takes it amiss that there is no web site, and does not say more.
  local deb site=appstream-metadata-validation-failed
  lintian-explain-tags --list-tags 2>/dev/null | grep -x "$site" >/dev/null || site=
  for deb in "$build"/deb/*.deb; do
    lintian ${site:+--suppress-tags "$site"} --fail-on error,warning "$deb" ||
      die "lintian found something in $deb"
    cp "$deb" "$packages/"
    say "$packages/$(basename "$deb")"
  done
}

make_bundle() {
  mkdir -p "$packages"
  "$root/packaging/bundle.sh" "$build" "$packages"
}

# The same in a root that has nothing but apt; sources go in as git has them, packages come out.
in_suite() {
  local suite=$1
  shift
  [ "$(id -u)" = 0 ] || die "--suite needs root, for mmdebstrap"
  install_packages root
  git -C "$root" diff --quiet HEAD || say "What is not committed stays out"
  local sources out=$packages
  mkdir -p "$out"
  sources=$(mktemp)
  git -C "$root" archive --format=tar --prefix=headlight/ HEAD >"$sources"
  say "Building in a bare root of $suite"
  mmdebstrap --variant=apt --include=ca-certificates,git \
    --customize-hook="tar -C \"\$1/root\" -xf '$sources'" \
    --customize-hook="chroot \"\$1\" env SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH HEADLIGHT_PACKAGES=/root/out \
      ${HEADLIGHT_MAINTAINER:+HEADLIGHT_MAINTAINER=$(printf %q "$HEADLIGHT_MAINTAINER")} /root/headlight/packaging/package.sh $*" \
    --customize-hook="cp \"\$1\"/root/out/* '$out/'" \
    "$suite" /dev/null "$(mirror)"
  rm -f "$sources"
}

# Two builds, one after the other, in folders of different names.
make_twice() {
  local first=$root/build/package-first second=$root/build/package-again/deeper
  local pack=$packages
  for build in "$first" "$second"; do
    packages=$build.packages
    rm -rf "$build" "$packages"
    mkdir -p "$build"
    build_all
    make_deb
    make_bundle
  done
  local file
  [ "$(ls "$first.packages")" = "$(ls "$second.packages")" ] || die "two builds make different packages"
  for file in "$first.packages"/*; do
    cmp "$file" "$second.packages/$(basename "$file")" || die "two builds of $(basename "$file") differ"
  done
  mkdir -p "$pack"
  cp "$first.packages"/* "$pack/"
  say "Two builds give the same bytes"
}

suite=
if [ "${1:-}" = --suite ]; then
  suite=${2:?a suite of Debian is missing, such as trixie}
  shift 2
fi
[ $# -gt 0 ] || set -- deb bundle
for what in "$@"; do
  case $what in deb|bundle|twice) ;; *) die "$what: is neither deb, bundle nor twice" ;; esac
done
if [ -n "$suite" ]; then
  in_suite "$suite" "$@"
  exit
fi
[ "$*" = twice ] || build_all
for what in "$@"; do "make_$what"; done
