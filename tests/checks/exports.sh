#!/usr/bin/env bash
# libatoll.so shows its own names only: namespace atl, the C entry points atoll_..., and the inline functions of the
# C++ library that the compiler shares between libraries. Anything else could clash with an embedder's names.
#   exports.sh LIBATOLL.SO
set -euo pipefail
library=$1
names=$(nm -DC --defined-only "$library" | sed -E 's/^[0-9a-f]+ +[A-Za-z] //')
own=$(grep -c 'atl::' <<<"$names" || true)
[ "$own" -ge 100 ] || { echo "only $own names of namespace atl in $library: is ATOLL_API in place?"; exit 1; }

kind='((typeinfo|typeinfo name|vtable|VTT|guard variable|non-virtual thunk) (for|to) )?'
foreign=$(grep -vE "^${kind}((unsigned |signed )?[a-z][a-z: ]*[*&]* )?(atl::|std::|__gnu_cxx::|atoll_)" <<<"$names" |
  grep -vE '\b(atl|std)::' | grep -vE '^(__odr_asan|__asan|__ubsan|__tsan|_init|_fini|__bss_start|_edata|_end)' || true)
if [ -n "$foreign" ]; then
  echo "$library also shows:"
  head -20 <<<"$foreign"
  exit 1
fi
leaked=$(grep -E '\b(fmt|nlohmann|CLI|Eigen)::' <<<"$names" | grep -vE '^std::' || true)
if [ -n "$leaked" ]; then
  echo "$library shows names of the libraries that it is built on:"
  head -20 <<<"$leaked"
  exit 1
fi
echo "$own names of namespace atl, none of others"
