#!/usr/bin/env bash
# What ./kagami says and does when something is missing, old, moved, full or broken. cmake, ninja, the compiler and
# apt-get are scripts here, so that it takes seconds; they answer what $answers/NAME holds.
set -uo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failures=0

checkout=$work/kagami answers=$work/answers bin=$work/bin
mkdir -p "$checkout/cmake" "$answers" "$bin"
cp "$source/kagami" "$checkout/"
cp "$source/cmake/build.sh" "$checkout/cmake/"

# fake NAME: a command that notes its arguments, prints $answers/NAME and exits with 1 if there is such a file
fake() {
  cat >"$bin/$1"
  chmod +x "$bin/$1"
}
note='echo "${0##*/} $*" >>"$WORK/calls"; if [ -f "$WORK/answers/${0##*/}" ]; then cat "$WORK/answers/${0##*/}"; exit 1; fi'
printf '#!/bin/bash\n%s\n' "$note" | tee "$bin/apt-get" "$bin/dpkg" >/dev/null
chmod +x "$bin/apt-get" "$bin/dpkg"
fake dpkg-query <<'F'
#!/bin/bash
[ -f "$WORK/installed" ] && echo installed
F
fake sudo <<'F'
#!/bin/bash
while [[ $1 = -* ]]; do shift; done; [ $# -eq 0 ] || exec "$@"
F
fake cmake <<F
#!/bin/bash
while [ \$# -gt 0 ]; do case \$1 in -B) build=\$2 ;; esac; words+=" \$1"; shift; done
echo "cmake\$words" >>"\$WORK/calls"
if grep -qs 'of an older version' "\$build/CMakeCache.txt"; then echo "CMake Error: old"; exit 1; fi
if [ -f "\$WORK/answers/cmake" ]; then cat "\$WORK/answers/cmake"; exit 1; fi
mkdir -p "\$build/tools"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$checkout" >"\$build/CMakeCache.txt"
touch "\$build/build.ninja"
F
fake ninja <<'F'
#!/bin/bash
echo "ninja $*" >>"$WORK/calls"
if [ -f "$WORK/answers/ninja" ]; then cat "$WORK/answers/ninja"; exit 1; fi
echo "[1/2] Building CXX object a.o"; echo "[2/2] Linking CXX executable kagami"
[[ $* != *package ]] || { mkdir -p "$2/packages"; touch "$2/packages/kagami.deb"; }
printf '#!/bin/sh\necho ran "$@"\n' >"$2/tools/kagami"; chmod +x "$2/tools/kagami"
F
fake dpkg-shlibdeps <<'F'
#!/bin/bash
F
fake g++ <<'F'
#!/bin/bash
case $1 in -dump*) echo 12.2.0 ;; *) echo "g++ (Debian) 12.2.0" ;; esac
F
fake g++-old <<'F'
#!/bin/bash
case $1 in -dump*) echo 9.3.0 ;; *) echo "g++-old 9.3.0" ;; esac
F

# kagami ARGS...: the script's output, its exit code in $code
kagami() {
  : >"$work/calls"
  output=$(cd "$work" && WORK=$work PATH=$bin:/usr/bin:/bin "$checkout/kagami" "$@" 2>&1)
  code=$?
}
begin() {
  name=$1
  rm -rf "$answers"/* "$checkout/build" "$work/elsewhere"
  touch "$work/installed"
}
failed() {
  printf '%s: %s\n%s\n' "$name" "$1" "$output"
  failures=$((failures + 1))
}
# expect CODE PATTERN
expect() {
  [ "$code" -eq "$1" ] || failed "exit code $code, expected $1"
  grep -qE -- "$2" <<<"$output" || failed "says not: $2"
}
expect_call() { grep -qE -- "$1" "$work/calls" || failed "did not call: $1, but $(tr '\n' ';' <"$work/calls")"; }
expect_no_call() { ! grep -qE -- "$1" "$work/calls" || failed "called: $1"; }

begin "a replay builds its program alone"
kagami replay walk
expect 0 '^ran replay walk$'
expect_call 'ninja .* kagami$'
expect_call 'cmake .*KAGAMI_TUNE=OFF'
kagami replay walk
expect_no_call 'cmake'

begin "a larger command builds its own program, too"
kagami experiment list
expect 0 '^ran experiment list$'
expect_call 'ninja .* kagami kagami-experiment$'
kagami help dynamics
expect_call 'ninja .* kagami kagami-dynamics$'
kagami sweep --help
expect_call 'ninja .* kagami kagami-sweep kagami-run$'
kagami tune --help
expect_call 'cmake .*KAGAMI_TUNE=ON'
expect_call 'ninja .* kagami kagami-tune$'
kagami board --pty /tmp/x --view
expect_call 'ninja .* kagami kagami-board$'
kagami board --exec program --view
expect_call 'ninja .* kagami$'

begin "packages: what makes a .deb is looked for again"
kagami tune --help
kagami package
expect 0 'made kagami.deb in'
expect_call 'cmake .*KAGAMI_TUNE=ON'
expect_call 'ninja .* package$'

begin "tests: Python is welcome, not needed"
kagami test
expect_call 'cmake .*KAGAMI_PYTHON=AUTO'
kagami test
expect_no_call cmake
mkdir -p "$checkout/build/release/tools/python"
touch "$checkout/build/release/tools/python/left_out"
kagami test
expect_call 'cmake .*KAGAMI_PYTHON=AUTO'

begin "the Python module goes into an environment"
mkdir -p "$work/env/bin"
printf '#!/bin/bash\necho "python $*" >>"$WORK/calls"\n[ ! -f "$WORK/answers/pip" ] || { cat "$WORK/answers/pip"; exit 1; }\n' >"$work/env/bin/python"
chmod +x "$work/env/bin/python"
kagami python "$work/env"
expect 0 "'$work/env/bin/python' has the module kagami"
expect_call "python -m pip install $checkout\$"
echo 'kagami: the compilation failed' >"$answers/pip"
kagami python "$work/env"
expect 1 'the compilation failed.*' && expect 1 'was not installed'

begin "a configuration that was cut short"
mkdir -p "$checkout/build/release"
touch "$checkout/build/release/CMakeCache.txt"
kagami replay
expect 0 'is cut short: it is made anew'

begin "a folder that cannot be written"
KAGAMI_BUILD=/proc/none kagami replay
expect 1 "'/proc/none/release' cannot be written.*KAGAMI_BUILD="
KAGAMI_BUILD=$work/elsewhere kagami replay
expect 0 '^ran replay$'
[ -f "$work/elsewhere/release/build.ninja" ] || failed "not built in KAGAMI_BUILD"

begin "a source folder that has moved"
mkdir -p "$checkout/build/release/CMakeFiles"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$work/gone" >"$checkout/build/release/CMakeCache.txt"
touch "$checkout/build/release/build.ninja"
kagami replay
expect 0 "moved from '$work/gone'"
expect_call cmake
kagami replay
expect_no_call cmake

begin "a build folder of another checkout"
mkdir -p "$work/other" "$checkout/build/release"
touch "$work/other/kagami"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$work/other" >"$checkout/build/release/CMakeCache.txt"
kagami replay
expect 1 "belongs to the source folder '$work/other'; set KAGAMI_BUILD"
expect_no_call cmake

begin "a cache of an older CMake"
mkdir -p "$checkout/build/release"
printf 'of an older version\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$checkout" >"$checkout/build/release/CMakeCache.txt"
kagami replay
expect 0 'is made anew'

begin "a configuration that fails says why"
printf 'CMake Error at tools/CMakeLists.txt:7 (find_package):\n  Could not find\n  fmt.\n\nCall Stack:\n  x\n' >"$answers/cmake"
kagami replay
expect 1 'cannot configure: at tools/CMakeLists.txt:7 \(find_package\): Could not find fmt\.$'
rm "$answers/cmake"
kagami replay
expect 0 '^ran replay$'

begin "a compiler that is too old"
CXX=g++-old kagami replay
expect 1 'g\+\+-old is GCC 9\.3\.0; Kagami needs 12 or newer: set CXX'
CXX=no-compiler kagami replay
expect 1 "the compiler 'no-compiler' does not run"

begin "compilation: the first error alone"
{ echo '[1/9] Building a.o'; echo 'models/a.cpp:3:5: error: x was not declared'; echo '    3 | x'; seq 300; } >"$answers/ninja"
kagami replay
expect 1 'models/a\.cpp:3:5: error: x was not declared'
expect 1 "the whole output is in '$checkout/build/release/last_build.log'"
[ "$(wc -l <<<"$output")" -lt 12 ] || failed "more than the first error"
rm "$answers/ninja"
kagami replay
expect 0 '^ran replay$'

begin "a library that was removed after the first build"
kagami replay
rm "$work/installed"
echo 'tools/a.cpp:3:10: fatal error: fmt/format.h: No such file or directory' >"$answers/ninja"
kagami replay
expect 1 'fatal error: fmt/format.h'
rm "$answers/ninja"
kagami replay
expect_call 'apt-get .*install'

begin "compilation: a full disk, too little memory"
echo 'fatal error: error writing to a.o: No space left on device' >"$answers/ninja"
kagami replay
expect 1 'the disk of .* is full'
echo 'g++: fatal error: Killed signal terminated program cc1plus' >"$answers/ninja"
kagami replay
expect 1 'out of memory: .*KAGAMI_JOBS=1'

begin "packages that cannot be installed"
rm "$work/installed"
while IFS='|' read -r answer sentence; do
  echo "$answer" >"$answers/apt-get"
  kagami replay
  expect 1 "$sentence"
  expect_no_call ninja
done <<'F'
E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)|another process installs packages; call again
E: Failed to fetch http://x  Temporary failure resolving 'x'|is the network up\? Call again
E: Unable to locate package libeigen3-dev|made for Debian 12
E: You don't have enough free space in /var/cache/apt/archives/.|the disk is full
F
echo "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to correct the problem." >"$answers/apt-get"
kagami replay
expect_call 'dpkg --configure -a'
expect 1 'packages cannot be installed'
grep -q 'libeigen3-dev.* to compile Kagami' <<<"$output" || failed "says not what is installed and why"
grep -q nlopt "$work/calls" && failed "installs what a replay does not link"

name="progress without a terminal"
. "$source/cmake/build.sh"
log=$work/log
tell_every=1
output=$( { echo '[1/4] a'; sleep 3.5; echo '[3/4] b'; } | show_progress 2>&1)
[ "$(wc -l <<<"$output")" -ge 4 ] || failed "silent during a long step"
code=0 expect 0 'compiling: 1 of 4 steps, 25 %'
output=$(progress_text 30 120 60)
code=0 expect 0 'compiling: 30 of 120 steps, 25 %, about 3 min left'
output=$(progress_text 30 120 60 bar)
code=0 expect 0 '^\[#####               \]'
output=$(patiently "waiting" sleep 2.5 2>&1)
code=0 expect 0 'waiting \([12] s\)'

[ $failures -eq 0 ] && echo "all as expected"
exit $((failures > 0))
