#!/usr/bin/env bash
# libatoll.so shows its own names only: namespace atl, the C entry points atoll_..., and what the compiler shares
# between libraries of the C++ library's templates. Anything else could clash with an embedder's names.
#   exports.sh LIBATOLL.SO
set -euo pipefail
library=$1
names=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//')

# Mangled names: a special name's prefix, Z for local, N for nested, qualifiers, then the outermost namespace.
prefix='_Z(T[VTIS]|TC|T[hv][0-9_n]*_|GV|GR)?Z*N?[KVrRO]*'
own=$(grep -cE "^${prefix}3atl" <<<"$names" || true)
[ "$own" -ge 100 ] || { echo "only $own names of namespace atl in $library: is ATOLL_API in place?"; exit 1; }

allowed="^(${prefix}(3atl|S[tabsiod]|9__gnu_cxx)|atoll_|__(odr_)?(asan|ubsan|tsan|lsan)|__sanitizer)"
foreign=$(grep -vE "$allowed" <<<"$names" | grep -vE '^(_init|_fini|__bss_start|_edata|_end|DW\.ref\.__gxx_personality_v0)$' || true)
if [ -n "$foreign" ]; then
  echo "$library also shows:"
  head -20 <<<"$foreign" | c++filt
  exit 1
fi
echo "$own names of namespace atl, none of others"
