#!/usr/bin/env bash
# list_cycles.sh [TREE]: the groups of folders that include each other in a circle, tests left out. check_layers.cmake
# refuses any; this lists those of another tree, such as an older revision.
set -euo pipefail
cd "${1:-.}"
find . -path ./build -prune -o -path '*/test/*' -prune -o -name '*.[ch]pp' -print | sed 's|^\./||' |
  xargs grep -H '^#include "[^"]*/[^"]*"' |
  sed -E 's|^(.*)/[^/]*:#include "(.*)/[^/]*"$|\1 \2|' | sort -u |
  awk '$1 != $2 { reaches[$1, $2] = 1; is_folder[$1] = is_folder[$2] = 1 }
  END {
    for (k in is_folder) for (i in is_folder) if ((i, k) in reaches)
      for (j in is_folder) if ((k, j) in reaches) reaches[i, j] = 1
    for (i in is_folder) {
      if (!((i, i) in reaches) || (i in listed)) continue
      count++
      group = ""
      for (j in is_folder) if (i == j || ((i, j) in reaches && (j, i) in reaches)) { listed[j] = 1; group = group " " j }
      print "cycle:" group
    }
    print count + 0 " cycles"
  }'
