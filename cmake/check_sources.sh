#!/usr/bin/env bash
# check_sources.sh [--all | --since COMMIT | FILE...]
#
# Compiles each source by itself, without precompiled headers and joined files: g++ with warnings as errors, then
# clang-tidy with the checks of .clang-tidy, which are errors, too, as are clang's own warnings. A header is compiled
# alone by g++, so it has to include what it needs; clang-tidy sees it in the sources.
#
# --since COMMIT (default: HEAD~20): the files changed since, newest first. KAGAMI_CHECK_SECONDS limits the time; the
# files left over are counted. Exit: 0 nothing found, 1 findings, 77 no clang-tidy here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/sources
jobs=${KAGAMI_JOBS:-2}
export limit=${KAGAMI_CHECK_SECONDS:-0}

command -v clang-tidy >/dev/null || { echo "check_sources: SKIPPED: needs clang-tidy"; exit 77; }

# newest change first, each file once
changed_since() {
  git log --name-only --pretty=format: "$1..HEAD" -- '*.cpp' '*.hpp' | awk 'NF && !seen[$0]++'
}

case ${1:---since} in
  --all) mapfile -t files < <(git ls-files '*.cpp' '*.hpp') ;;
  --since)
    base=${2:-HEAD~20}
    git rev-parse -q --verify "$base^{commit}" >/dev/null || base=$(git rev-list --max-parents=0 HEAD | tail -1)
    mapfile -t files < <(changed_since "$base")
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
  if [ "$limit" -gt 0 ] && [ "$(date +%s)" -gt "$deadline" ]; then echo "$file" >>"$left"; return; fi
  if [[ $file = *.hpp ]]; then
    out=$(printf '#include "%s"\n' "$file" | eval "$words -fsyntax-only -x c++ -" 2>&1) || report "$file" "$out"
    return
  fi
  out=$(eval "$words -fsyntax-only \"\$file\"" 2>&1) || report "$file" "$out"
  out=$(eval "clang-tidy --quiet --warnings-as-errors='*' \"\$file\" -- ${words#* }" 2>/dev/null) || report "$file" "$out"
}
export -f check report
found=$(mktemp) left=$(mktemp)
deadline=$(($(date +%s) + limit))
export found left deadline
xargs -d '\n' -r -n 1 -P "$jobs" bash -c 'check "$0"' <$build/words.txt
checked=$(wc -l <$build/words.txt) bad=$(sort -u "$found" | wc -l) over=$(wc -l <"$left")
rm -f "$found" "$left"
echo "check_sources: $((checked - over)) files checked, $bad with findings, $over left for lack of time"
[ "$bad" -eq 0 ]
