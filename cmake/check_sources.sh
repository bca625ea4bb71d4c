#!/usr/bin/env bash
# check_sources.sh [--all | --last N | FILE...]
#
# Compiles each source by itself, without precompiled headers and joined files: g++ with warnings as errors, then
# clang-tidy with the checks of .clang-tidy, which are errors, too, as are clang's own warnings. A header is compiled
# alone by g++, so it has to include what it needs; clang-tidy sees it in the sources. --last N: the N files that were
# changed last. Exit: 0 nothing found, 1 findings, 77 no clang-tidy here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/sources
jobs=${KAGAMI_JOBS:-2}

command -v clang-tidy >/dev/null || { echo "check_sources: SKIPPED: needs clang-tidy"; exit 77; }

case ${1:---all} in
  --all) mapfile -t files < <(git ls-files '*.cpp' '*.hpp') ;;
  --last)
    mapfile -t files < <(git log --name-only --pretty=format: -- '*.cpp' '*.hpp' |
      awk -v n="$2" 'NF && !seen[$0]++ && !system("test -f " $0) { print; if (++count == n) exit }')
    ;;
  *) files=("$@") ;;
esac

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKAGAMI_WERROR=ON \
  -DKAGAMI_TESTS=ON -DKAGAMI_BENCH=ON -DKAGAMI_PAGE=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
# FILE, tab, its compiler's words; a header has those of a source in its folder or the one above
sed -nE 's/^  "command": "(.*) -o [^ ]* -c .*",?$/\1/; T file; s/\\(.)/\1/g; s/^[^ ]*ccache //; h
  :file; s/^  "file": "(.*)",?$/\1/; T; G; s/\n/\t/p' $build/compile_commands.json |
  awk -F '\t' -v root="$PWD/" '
    function folder(path) { sub("/?[^/]*$", "", path); return path }
    NR == FNR { sub(root, "", $1); words[$1] = of[folder($1)] = $2; next }
    $1 ~ /^cmake\/test\// { next }
    { found = words[$1] }
    found == "" && $1 ~ /hpp$/ { found = of[folder($1)]; if (found == "") found = of[folder(folder($1))] }
    found != "" { print $1 "\t" found }' - <(printf '%s\n' "${files[@]}") >$build/words.txt

# report FILE TEXT
report() { printf '%s\n' "$2" && echo "$1" >>"$found"; }

check() {
  local file=${1%%$'\t'*} words=${1#*$'\t'} out
  if [[ $file = *.hpp ]]; then
    out=$(printf '#include "%s"\n' "$file" | eval "$words -fsyntax-only -x c++ -" 2>&1) || report "$file" "$out"
    return
  fi
  out=$(eval "$words -fsyntax-only \"\$file\"" 2>&1) || report "$file" "$out"
  out=$(eval "clang-tidy --quiet --warnings-as-errors='*' \"\$file\" -- ${words#* }" 2>/dev/null) || report "$file" "$out"
}
export -f check report
found=$(mktemp)
export found
xargs -d '\n' -r -n 1 -P "$jobs" bash -c 'check "$0"' <$build/words.txt
bad=$(sort -u "$found" | wc -l)
rm -f "$found"
echo "check_sources: $(wc -l <$build/words.txt) files checked, $bad with findings"
[ "$bad" -eq 0 ]
