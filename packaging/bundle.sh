#!/usr/bin/env bash
# A folder that runs wherever there is a glibc of this age: bundle.sh BUILD OUTPUT_FOLDER.
# Libraries are found by $ORIGIN, Qt's plugins by qt.conf; AppRun and headlight start the window,
# headlight-cli the command line. Packed as .tar.xz, and as AppImage where appimagetool is.
. "$(dirname "$0")/setup.sh"
built=$1 output=$2
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(commit_time)}
version=$(project_version)
name=headlight-$version-$(uname -m)
bundle=$built/bundle/$name
plugins=$(qtpaths6 --plugin-dir 2>/dev/null || qmake6 -query QT_INSTALL_PLUGINS)
shipped=$built/bundle/shipped.txt

# Of the system's: glibc, which fits the kernel and the loader, and what it finds its users by.
is_of_system() {
  case $(basename "$1") in
    ld-linux*|libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|librt.so.*|libresolv.so.*|libutil.so.*|\
    libanl.so.*|libmvec.so.*|libnss_*|libBrokenLocale.so.*|libthread_db.so.*) return 0 ;;
  esac
  return 1
}

libraries_of() {
  local found missing
  found=$(ldd "$@" 2>/dev/null || true)
  missing=$(sed -n 's/^\s*\(.*\) => not found.*/\1/p' <<<"$found" | sort -u)
  [ -z "$missing" ] || die "these libraries are not found: $(tr '\n' ' ' <<<"$missing")"
  sed -n 's/.* => \(\/.*\) (0x[0-9a-f]*)$/\1/p' <<<"$found" | sort -u
}

copy_plugins() {
  local kind file
  for kind in platforms/libqxcb platforms/libqoffscreen platforms/libqwayland imageformats/libqsvg \
    imageformats/libqjpeg imageformats/libqgif imageformats/libqwebp iconengines/libqsvgicon \
    platforminputcontexts/lib printsupport/lib wayland-shell-integration/lib \
    wayland-graphics-integration-client/lib wayland-decoration-client/lib; do
    for file in "$plugins/$kind"*.so; do
      [ -f "$file" ] || continue
      install -D "$file" "$bundle/plugins/${file#"$plugins/"}"
      echo "$file" >>"$shipped"
    done
  done
  # The decoders of libheif, where they are plugins of its own, as on Debian 13.
  for file in /usr/lib/*/libheif/plugins/libheif-{aomdec,dav1d,libde265}.so; do
    [ -f "$file" ] || continue
    install -D "$file" "$bundle/plugins/libheif/$(basename "$file")"
    echo "$file" >>"$shipped"
  done
}

copy_libraries() {
  local library libraries programs
  mapfile -t programs < <(find "$bundle/bin" "$bundle/plugins" -type f)
  libraries=$(libraries_of "${programs[@]}")
  mkdir -p "$bundle/lib"
  while read -r library; do
    is_of_system "$library" && continue
    install -m 644 "$(realpath "$library")" "$bundle/lib/$(basename "$library")"
    echo "$library" >>"$shipped"
  done <<<"$libraries"
}

set_paths() {
  local file
  for file in "$bundle"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib' "$file"; done
  for file in "$bundle"/lib/*; do patchelf --set-rpath '$ORIGIN' "$file"; done
  find "$bundle/plugins" -name '*.so' -exec patchelf --set-rpath '$ORIGIN/../../lib' {} +
  printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$bundle/bin/qt.conf"
}

# LAUNCHER PROGRAM: figures and the window need a font where the system has none.
write_launcher() {
  cat >"$bundle/$1" <<END
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
if [ -z "\${HEADLIGHT_FONT:-}" ] && [ ! -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]; then
  export HEADLIGHT_FONT="\$here/share/fonts/DejaVuSans.ttf"
fi
if [ ! -e /etc/fonts/fonts.conf ] && [ -z "\${FONTCONFIG_FILE:-}" ]; then
  export FONTCONFIG_FILE="\$here/share/fonts/fonts.conf"
fi
if [ -d "\$here/plugins/libheif" ]; then export LIBHEIF_PLUGIN_PATH="\$here/plugins/libheif"; fi
exec "\$here/bin/$2" "\$@"
END
  chmod 755 "$bundle/$1"
}

say "Bundle"
rm -rf "$built/bundle"
mkdir -p "$bundle" "$output"
: >"$shipped"
DESTDIR="$built/bundle/installed" cmake --install "$built" --prefix /usr --strip >"$built/bundle/install.log"
cp -a "$built/bundle/installed/usr/." "$bundle/"
copy_plugins
copy_libraries
set_paths
font=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
install -D -m 644 "$font" "$bundle/share/fonts/DejaVuSans.ttf"
echo "$font" >>"$shipped"
cat >"$bundle/share/fonts/fonts.conf" <<'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
END
for launcher in "headlight headlight" "AppRun headlight" "headlight-cli headlight-cli"; do
  # shellcheck disable=SC2086
  write_launcher $launcher
done
cp "$bundle/share/applications/headlight.desktop" "$bundle/share/icons/hicolor/scalable/apps/headlight.svg" "$bundle/"
rm -f "$bundle/share/doc/headlight/sbom.spdx.json.gz"
sort -u -o "$shipped" "$shipped"
python3 "$root/packaging/sbom.py" --output "$bundle/sbom.spdx.json" --shipped "$shipped"
cp "$root/LICENSE" "$bundle/"

# Equal folders give equal archives.
tar -C "$built/bundle" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -cf - "$name" |
  xz -6 -T2 >"$output/$name.tar.xz"
say "$output/$name.tar.xz"
if command -v appimagetool >/dev/null; then
  ARCH=$(uname -m) appimagetool --no-appstream "$bundle" "$output/$name.AppImage"
  say "$output/$name.AppImage"
fi
