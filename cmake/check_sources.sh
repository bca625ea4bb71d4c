#!/usr/bin/env bash
# check_sources.sh [--all | --last N | FILE...]
#
# Compiles each source by itself, without precompiled headers and joined files: g++ with warnings as errors, then
# clang-tidy with the checks of .clang-tidy, which are errors, too, as are clang's own warnings. A header is compiled
# alone by g++, so it has to include what it needs; clang-tidy sees it in the sources. --all gives clang-tidy several
# sources joined, as KAGAMI_UNITY does: most of its time goes into the headers. --last N: the N files that were changed
# last. Exit: 0 nothing found, 1 findings, 77 no clang-tidy here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/sources
jobs=${KAGAMI_JOBS:-2}
joined=0

command -v clang-tidy >/dev/null || { echo "check_sources: SKIPPED: needs clang-tidy"; exit 77; }

case ${1:---all} in
  --all)
    joined=1
    mapfile -t files < <(git ls-files '*.cpp' '*.hpp')
    ;;
  --last)
    mapfile -t files < <(git log --name-only --pretty=format: -- '*.cpp' '*.hpp' |
      awk -v n="$2" 'NF && !seen[$0]++ && !system("test -f " $0) { print; if (++count == n) exit }')
    ;;
  *) files=("$@") ;;
esac

# configured FOLDER OPTION...: the commands that compile everything
configured() {
  cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKAGAMI_WERROR=ON \
    -DKAGAMI_TESTS=ON -DKAGAMI_BENCH=ON -DKAGAMI_PAGE=OFF -DKAGAMI_PYTHON=AUTO -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${@:2}" >/dev/null
}

configured $build -DKAGAMI_UNITY=OFF
# FILE, tab, its compiler's words; a header has those of a source in its folder or the one above
sed -nE 's/^  "command": "(.*) -o [^ ]* -c .*",?$/\1/; T file; s/\\(.)/\1/g; s/^[^ ]*ccache //; h
  :file; s/^  "file": "(.*)",?$/\1/; T; G; s/\n/\t/p' $build/compile_commands.json |
  awk -F '\t' -v root="$PWD/" '
    function folder(path) { sub("/?[^/]*$", "", path); return path }
    # of a folder whose sources belong to several targets: the words with most include folders
    function learn(name, text) { if (length(text) > length(of[name])) of[name] = text }
    NR == FNR { sub(root, "", $1); words[$1] = $2; learn(folder($1), $2); next }
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
  [ "$joined" -eq 1 ] || eval "tidy \"\$file\" -- ${words#* }"
}

# tidy FILE ARGUMENT...
tidy() {
  local file=$1 out
  shift
  out=$(clang-tidy --quiet --warnings-as-errors='*' "$file" "$@" 2>/dev/null) || report "$file" "$out"
}

found=$(mktemp)
export -f check tidy report
export found joined
xargs -d '\n' -r -n 1 -P "$jobs" bash -c 'check "$0"' <$build/words.txt
if [ $joined -eq 1 ]; then
  configured $build-joined -DKAGAMI_UNITY=ON
  # without what the build generates
  sed -nE 's/^  "file": "(.*)",?$/\1/p' $build-joined/compile_commands.json | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done |
    xargs -d '\n' -r -I {} -P "$jobs" bash -c 'tidy "$0" "$@"' {} -p $build-joined \
      --checks=-bugprone-suspicious-include --extra-arg=-Wno-unknown-warning-option
fi
bad=$(sort -u "$found" | wc -l)
rm -f "$found"
echo "check_sources: $(wc -l <$build/words.txt) files checked, $bad with findings"
[ "$bad" -eq 0 ]
