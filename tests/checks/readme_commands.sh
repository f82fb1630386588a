#!/usr/bin/env bash
# Runs the example commands of the README as they stand, with this build's atoll.
#   readme_commands.sh ATOLL SOURCE_FOLDER WORK_FOLDER
set -euo pipefail
atoll=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work/build/bin"
ln -s "$atoll" "$work/build/bin/atoll"
ln -s "$source/examples" "$work/examples"
cd "$work"

commands=$(sed -n 's/^    mpirun -n/mpirun --timeout 100 -n/p' "$source/README.md")
[ "$(wc -l <<<"$commands")" -ge 3 ] || { echo "the README shows fewer than three commands"; exit 1; }
while read -r command; do
  echo "+ $command"
  $command </dev/null
done <<<"$commands"
