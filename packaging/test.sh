#!/usr/bin/env bash
# Installs what is missing, builds Headlight and passes every test.
. "$(dirname "$0")/setup.sh"

install_packages core gui test
build_targets ON
cd "$build"
exec ctest --output-on-failure -j2 "$@"
