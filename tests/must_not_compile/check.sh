#!/usr/bin/env bash
# A snippet must compile as it stands, and must not with -DWRONG, for the reason on its first line.
#   check.sh COMPILER SNIPPET FLAGS...
set -euo pipefail
compiler=$1 snippet=$2
shift 2
reason=$(sed -n '1s|^// expect: ||p' "$snippet")
[ -n "$reason" ] || { echo "$snippet: the first line must be '// expect: TEXT OF THE ERROR'"; exit 1; }
compile() { "$compiler" -std=c++20 -fsyntax-only -Werror=unused-result -Wall "$@"; }

compile "$@" "$snippet" || { echo "$snippet does not even compile without -DWRONG"; exit 1; }
if text=$(compile -DWRONG "$@" "$snippet" 2>&1); then
  echo "$snippet compiles with -DWRONG, but must not"
  exit 1
fi
grep -qF "$reason" <<<"$text" || { echo "refused for another reason than '$reason':"; echo "$text"; exit 1; }
echo "refused: $reason"
