#!/usr/bin/env bash
# Objects that are compiled for a newer processor than the rest define no weak symbol: the linker could take such an
# inline function for the whole library, which would then fail on an older processor. Nor do they define any function
# or table that others could call by accident: two pointers each, which the choice at run time reads.
#   loops.sh OBJECT...
set -euo pipefail
[ $# -ge 1 ] || { echo "no objects given"; exit 1; }
for object in "$@"; do
  names=$(nm --defined-only "$object")
  weak=$(awk '$(NF - 1) ~ /^[VvWwu]$/ { print $NF }' <<<"$names" | c++filt)
  if [ -n "$weak" ]; then
    echo "$object defines weak symbols:"
    head -20 <<<"$weak"
    exit 1
  fi
  outside=$(awk '$(NF - 1) ~ /^[A-TX-Z]$/ { print $NF }' <<<"$names" |
    c++filt | grep -vE '(float|double)_loops_v[0-9]+$|^__(odr_)?[a-z]*san' || true)
  [ -z "$outside" ] || { echo "$object also defines:"; head -20 <<<"$outside"; exit 1; }
  found=$(c++filt <<<"$names" | grep -cE ' [A-Z] .*::(float|double)_loops_v[0-9]+$' || true)
  [ "$found" -eq 2 ] || { echo "$object defines $found tables, expected 2"; exit 1; }
done
echo "$# objects define their tables and nothing weak"
