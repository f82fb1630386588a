#!/usr/bin/env bash
# Uses Atoll as others do: from an installed copy, outside the source tree.
#   check.sh install BUILD WORK       installs the build folder into WORK/prefix
#   check.sh cmake WORK PREFIX        builds the consumer with find_package(Atoll), runs it on two ranks
#   check.sh pkg-config WORK PREFIX   the same with pkg-config and a bare compiler
#   check.sh moved WORK               moves the prefix, then both again, and the command
set -euo pipefail
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
cxx=${CXX:-c++}
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH

install_atoll() {
  rm -rf "$2"
  cmake --install "$1" --prefix "$2/prefix" >/dev/null
  "$2/prefix/bin/atoll" --version
}

run_on_two_ranks() { mpirun --timeout 60 -n 2 "$@"; }

with_cmake() {
  rm -rf "$1/cmake"
  cmake -G Ninja -S "$consumer" -B "$1/cmake" -DCMAKE_PREFIX_PATH="$2" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}" >/dev/null
  cmake --build "$1/cmake"
  run_on_two_ranks "$1/cmake/heat"
}

with_pkg_config() {
  local pc lib
  pc=$(dirname "$(find "$2" -name atoll.pc)")
  export PKG_CONFIG_PATH=$pc
  lib=$(pkg-config --variable=libdir atoll)
  mkdir -p "$1/pkg-config"
  # shellcheck disable=SC2046,SC2086
  "$cxx" -O1 ${CXXFLAGS:-} "$consumer/main.cpp" -o "$1/pkg-config/heat" $(pkg-config --cflags --libs atoll) -Wl,-rpath,"$lib"
  run_on_two_ranks "$1/pkg-config/heat"
}

moved() {
  rm -rf "$1/elsewhere" "$1/moved"
  mkdir -p "$1/elsewhere"
  mv "$1/prefix" "$1/elsewhere/atoll"
  with_cmake "$1/moved" "$1/elsewhere/atoll"
  with_pkg_config "$1/moved" "$1/elsewhere/atoll"
  local matrix=$1/elsewhere/atoll/share/atoll/examples/lagoon.mtx
  run_on_two_ranks "$1/elsewhere/atoll/bin/atoll" solve "$matrix"
}

case ${1:-} in
  install) install_atoll "$2" "$3" ;;
  cmake) with_cmake "$2" "$3" ;;
  pkg-config) with_pkg_config "$2" "$3" ;;
  moved) moved "$2" ;;
  *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;;
esac
