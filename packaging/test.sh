#!/usr/bin/env bash
# Installs what is missing, builds Headlight and passes every test.
#   test.sh --torch python …  on the PyTorch of the active virtual environment or conda
#   TORCH_DIR=/path test.sh … on the LibTorch in this folder; anything else given is handed to ctest
. "$(dirname "$0")/setup.sh"

take_torch "$@"
shift "$taken"
install_packages core gui test
build_targets ON
cd "$build"
# Programs share the cores (in seven shares, tests/CMakeLists.txt): threads that wait should sleep
# instead of spinning.
export OMP_WAIT_POLICY=passive
# On a processor that OpenBLAS does not know every program would start twice (core/base/Processor.h).
if [ -z "${OPENBLAS_CORETYPE:-}" ]; then
  if grep -qw avx512vl /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX
  elif grep -qw avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=Haswell
  fi
fi
ctest --output-on-failure -j7 "$@" && exit
failed=$?
say "What failed, once more (all of it is in $build/Testing/Temporary/LastTest.log)"
awk -f "$root/packaging/failures.awk" Testing/Temporary/LastTest.log | cut -c1-400 | tail -n 120
exit $failed
