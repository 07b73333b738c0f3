#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a Debian package has in /usr/share/doc: copyright, changelogs, and what is shipped (CMake calls
# it):
#   documents.sh FOLDER VERSION DATE MAINTAINER PROGRAM...
set -eu
out=$1 version=$2 date=$3 maintainer=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C.UTF-8 TZ=UTC

rm -rf "$out"
mkdir -p "$out"
cp "$here/debian/copyright" "$out/copyright"
cp "$here/../CHANGELOG.md" "$out/changelog"
cat >"$out/changelog.Debian" <<END
headlight ($version) unstable; urgency=medium

  * Version ${version%%-*}: see changelog.gz.

 -- $maintainer  $(date -u -R -d "$date")
END
python3 "$here/sbom.py" --output "$out/sbom.spdx.json" --linked "$@"
gzip -9n "$out/changelog" "$out/changelog.Debian" "$out/sbom.spdx.json"
touch "$out/made"
