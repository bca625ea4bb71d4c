# Functions of ./kagami: packages, configuration, compilation. What fails says so in a sentence with its remedy, and a
# second call repairs what the first one left.
#
# They expect `root`, the source folder, `build`, the build folder, `jobs`, and `log`, a file for what commands print.

tell_every=20  # s between lines where there is no terminal

say() { printf 'kagami: %s\n' "$*" >&2; }

# fail SENTENCE...: the end of this call
fail() {
  say "$@"
  exit 1
}

# on_terminal TEXT: a line that the next one replaces
on_terminal() { if [ -t 2 ]; then printf '\r\033[K%.*s' $((${COLUMNS:-80} - 1)) "$*" >&2; fi; }

# patiently WHAT COMMAND...: runs a quiet command, its output in $log, and says from time to time that it still runs
patiently() {
  local what=$1 started=$SECONDS told=$SECONDS pid code=0
  shift
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill "$pid" 2>/dev/null; exit 130' INT  # a command in the background ignores Ctrl-C
  while kill -0 "$pid" 2>/dev/null; do
    on_terminal "kagami: $what ($((SECONDS - started)) s)"
    if [ ! -t 2 ] && [ $((SECONDS - told)) -ge "$tell_every" ]; then
      say "$what ($((SECONDS - started)) s)"
      told=$SECONDS
    fi
    sleep 0.2
  done
  wait "$pid" || code=$?
  trap - INT
  on_terminal ""
  return $code
}

# --- packages

# prints what of "command:package" and "package" words is not there
missing() {
  local word
  for word in "$@"; do
    case $word in
      *:*) command -v "${word%%:*}" >/dev/null 2>&1 || printf '%s\n' "${word#*:}" ;;
      *) dpkg-query -W -f='${db:Status-Status}' "$word" 2>/dev/null | grep -qx installed || printf '%s\n' "$word" ;;
    esac
  done
}

# install_missing WHY WORD...: installs the missing of the given words, or prints the line to type and stops
install_missing() {
  local why=$1 packages as_root=()
  shift
  mapfile -t packages < <(missing "$@")
  [ ${#packages[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null 2>&1 ||
    fail "these are missing $why: ${packages[*]}; install them (the names are Debian's) and call again"
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      as_root=(sudo)
    else
      say "these packages are missing $why; install them as root and call again:"
      printf 'apt-get install -y --no-install-recommends %s\n' "${packages[*]}" >&2
      exit 1
    fi
  fi
  [ ${#as_root[@]} -eq 0 ] || sudo -v
  say "installing ${packages[*]} $why"
  if ! apt_install "${packages[@]}" && grep -q 'dpkg --configure -a' "$log"; then
    patiently "finishing an interrupted installation" "${as_root[@]}" dpkg --configure -a &&
      apt_install "${packages[@]}" || fail "$(why_apt_failed)"
  elif [ -n "$(missing "$@")" ]; then
    fail "$(why_apt_failed)"
  fi
}

# apt_install PACKAGE...
apt_install() {
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -qq)
  patiently "reading the list of packages" "${apt[@]}" update &&
    patiently "installing packages" "${apt[@]}" install -y --no-install-recommends "$@"
}

why_apt_failed() {
  local line
  line=$(grep -m1 -E '^(E|Err):|^E ' "$log" || tail -n 1 "$log")
  if grep -qiE 'could not get lock|unable to (acquire|lock)' "$log"; then
    echo "another process installs packages; call again when it has finished (apt-get: $line)"
  elif grep -qiE 'no space left|enough free space' "$log"; then
    echo "the disk is full: make room and call again (apt-get: $line)"
  elif grep -qiE 'temporary failure|could not (resolve|connect)|connection|unable to fetch|failed to fetch|timed out' "$log"; then
    echo "packages cannot be downloaded: is the network up? Call again when it is (apt-get: $line)"
  elif grep -qiE 'unable to locate|no installation candidate' "$log"; then
    echo "this system does not offer a package that Kagami needs; it is made for Debian 12 (apt-get: $line)"
  else
    echo "packages cannot be installed (apt-get: $line)"
  fi
}

# --- the compiler and the build folder

# at_least VERSION WANTED
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

check_compiler() {
  local compiler=${CXX:-g++} version
  version=$("$compiler" -dumpfullversion -dumpversion 2>/dev/null) ||
    fail "the compiler '$compiler' does not run; set CXX to one that does, or unset it"
  case $("$compiler" --version 2>/dev/null | head -n 1) in
    *clang*) at_least "$version" 14 || fail "$compiler is clang $version; Kagami needs 14 or newer: set CXX" ;;
    *) at_least "$version" 12 || fail "$compiler is GCC $version; Kagami needs 12 or newer: set CXX, as in CXX=g++-12" ;;
  esac
}

# makes the build folder usable: writable, and of this source folder
prepare_build_folder() {
  local home=""
  mkdir -p "$build" 2>/dev/null && [ -w "$build" ] ||
    fail "'$build' cannot be written; build elsewhere: KAGAMI_BUILD=~/kagami-build ./kagami ..."
  [ -f "$build/CMakeCache.txt" ] || return 0
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  [ "$home" = "$root" ] && return 0
  if [ -n "$home" ] && [ -f "$home/kagami" ] && [ ! "$home" -ef "$root" ]; then
    fail "'$build' belongs to the source folder '$home'; set KAGAMI_BUILD to a folder of this one's own"
  elif [ -n "$home" ]; then
    say "the source folder has moved from '$home': everything is compiled again"
  else
    say "the configuration in '$build' is cut short: it is made anew"
  fi
  forget_configuration
}

forget_configuration() { rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles" "$build/build.ninja" "$build"/.with-*; }

# configure PART...: build/release with the parts asked for (TESTS, BENCH, PAGE, TUNE, IDENTIFY, PYTHON); a part stays on once it
# was asked for
configure() {
  local part value left_out options=() is_needed=0 fresh=1
  prepare_build_folder
  if [ ! -f "$build/build.ninja" ]; then
    check_compiler
    is_needed=1
    options=(-DKAGAMI_TESTS=OFF -DKAGAMI_TUNE=OFF -DKAGAMI_IDENTIFY=OFF -DKAGAMI_PAGE=OFF -DKAGAMI_PCH=ON -DKAGAMI_UNITY=ON
      "-DKAGAMI_WERROR=${KAGAMI_WERROR:-OFF}")
  fi
  for part in "$@"; do
    [ -f "$build/.with-$part" ] || is_needed=1
    value=ON
    # a page or Python module that cannot be built is left out; one that was left out is tried again
    case $part in
      PAGE) left_out=$build/tools/dashboard/page/built/left_out ;;
      PYTHON) left_out=$build/tools/python/left_out ;;
      *) left_out= ;;
    esac
    if [ -n "$left_out" ]; then
      value=AUTO
      [ ! -f "$left_out" ] || is_needed=1
    fi
    options+=("-DKAGAMI_$part=$value")
  done
  [ $is_needed -eq 1 ] || return 0
  [ ! -f "$build/CMakeCache.txt" ] || fresh=0
  if ! patiently "configuring '$build'" cmake --preset release -S "$root" -B "$build" "${options[@]}"; then
    rm -f "$build/.packages"  # the next call looks whether they are there
    [ $fresh -eq 0 ] || fail "$(why_cmake_failed)"
    say "the configuration in '$build' is of another version: it is made anew"
    forget_configuration
    configure "$@"
    return
  fi
  for part in "$@"; do touch "$build/.with-$part"; done
}

why_cmake_failed() {
  if grep -qi 'no space left' "$log"; then
    echo "the disk of '$build' is full: make room and call again"
  else
    # the message is the first paragraph after "CMake Error at FILE:LINE"
    awk '/^CMake Error/ { found = 1; printf "cannot configure: %s", substr($0, 13); next }
      found && NF { sub(/^ +/, ""); printf " %s", $0; some = 1 } found && !NF && some { exit }
      END { if (!found) print "cannot configure: cmake said nothing" }' "$log"
  fi
}

# --- compilation

# shows what ninja finishes: a bar on a terminal, else a line at least every $tell_every s. A build with nothing to do
# says nothing. (A dry run cannot tell: ninja then stops at the check of the globbed folders.)
show_progress() {
  local line part="" started=$SECONDS told="" done=0 all=0 code
  while :; do
    code=0
    IFS= read -r -t 1 line || code=$?
    if [ $code -gt 128 ]; then
      part+=$line  # time is up within a line
    elif [ $code -ne 0 ]; then
      break
    elif [[ $part$line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      part=""
      done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
      [[ $line == *Re-checking* || $line == *Re-running* ]] && all=0
    else
      part=""
    fi
    [ "$all" -gt 0 ] || continue
    if [ -t 2 ]; then
      on_terminal "$(progress_text "$done" "$all" $((SECONDS - started)) bar)"
    elif [ -z "$told" ] || [ $((SECONDS - told)) -ge "$tell_every" ]; then
      say "$(progress_text "$done" "$all" $((SECONDS - started)))"
      told=$SECONDS
    fi
  done
  on_terminal ""
}

# progress_text DONE ALL SECONDS [bar]
progress_text() {
  local share=$(($1 * 100 / $2)) left="" bar=""
  if [ "$3" -ge 5 ] && [ "$1" -gt 0 ]; then
    local seconds=$(($3 * ($2 - $1) / $1))
    left=", about $((seconds >= 90 ? (seconds + 30) / 60 : seconds)) $([ $seconds -ge 90 ] && echo min || echo s) left"
  fi
  if [ "${4:-}" = bar ]; then
    bar=$(printf '%*s' $((share / 5)) "")
    bar=$(printf '[%-20s] ' "${bar// /#}")
  fi
  printf '%scompiling: %d of %d steps, %d %%%s' "$bar" "$1" "$2" "$share" "$left"
}

# compile TARGET...
compile() {
  if ! ninja -C "$build" -j "$jobs" "$@" 2>&1 | tee "$log" | show_progress; then
    rm -f "$build/.packages"
    if [ -s "$log" ]; then cp "$log" "$build/last_build.log" 2>/dev/null || true; fi
    why_compilation_failed >&2
    exit 1
  fi
}

why_compilation_failed() {
  if grep -qi 'no space left on device' "$log"; then
    say "the disk of '$build' is full: a build takes 0.2 GB, with the tests 1 GB; make room and call again"
  elif grep -qE 'Killed signal|out of memory|cannot allocate memory' "$log"; then
    say "the compiler ran out of memory: close other programs, or call with KAGAMI_JOBS=1"
  elif grep -qE ': (fatal )?error: |undefined reference' "$log"; then
    # the first error with the lines that explain it
    grep -m1 -A4 -E ': (fatal )?error: |undefined reference' "$log"
    say "the build failed at the first error above; the whole output is in '$build/last_build.log'"
  else
    grep -v '^\[[0-9]*/[0-9]*\] ' "$log" | tail -n 3
    say "the build failed; the whole output is in '$build/last_build.log'"
  fi
}
