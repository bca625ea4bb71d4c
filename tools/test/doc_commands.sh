#!/usr/bin/env bash
# doc_commands.sh PROGRAM SOURCE_FOLDER: every kagami command that a document shows exists with all its options, and the
# complete examples run.
#
# A fenced block "```json my_arm/robot.json" is a file of the page's examples and is written before they run.
#
# Checked: commands in fenced blocks and in `code` of every *.md, and the option tables of docs/commands.md, against the
# help of PROGRAM. Run: commands in fenced blocks, and those in the code of README.md and docs/howto, in a temporary
# folder and with a simulated clock. `not_run` lists the exceptions with their reasons, `expected_code` the examples
# that end with another exit code than 0.
set -uo pipefail
program=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KAGAMI_DATA
export HOME=$work XDG_DATA_HOME=$work/data NO_COLOR=1 COLUMNS=100
problems=0 checked=0 ran=0 skipped=0
script=$(cat "$source/kagami" 2>/dev/null)

problem() { printf '%s\n' "$*"; problems=$((problems + 1)); }

# why an example is not run; empty: it is run
not_run() {
  case "$1" in
    *'--robot /dev/tty'* | *'--mirror /dev/tty'*) echo "needs a robot" ;;
    *'--robot /tmp/khr1'*) echo "needs the virtual boards of a second terminal" ;;
    *'--loop'*) echo "runs until it is interrupted" ;;
    'tune '[!-]* | 'tune') echo "serves the dashboard until it is interrupted" ;;
    'tune --autotune all '*) echo "takes minutes" ;;
    *offset*) echo "needs the controller that the page adds" ;;
    *rod-fall*) echo "needs the experiment that the page adds" ;;
    'experiment run all'*) echo "takes a minute" ;;
    'bench '*) echo "measures; needs the benchmark programs" ;;
    'robot generate '*) echo "compiles" ;;
    *'--help') echo "shows the help that this check reads" ;;
  esac
}

# exit code that a document announces for its example
expected_code() {
  case "$1" in
    *'--fault "0:frozen'*) echo 5 ;;
    *'--fault '*) echo 4 ;;
    'tune --try '*) echo 6 ;;
    *) echo 0 ;;
  esac
}

# lines "PAGE<tab>LINE<tab>fence|code<tab>COMMAND", without ./kagami and comments
shown_commands() {
  (cd "$source" && find . -name '*.md' -not -path './build/*' -not -path './cmake/test/*' -not -path '*/node_modules/*' -not -name CHANGELOG.md |
    sort | while read -r page; do
    awk -v page="${page#./}" '
      function show(kind, text) {
        sub(/^(\.\/)?kagami +/, "", text); sub(/ +#.*$/, "", text); sub(/ \| .*$/, "", text); sub(/[ ;]+$/, "", text)
        print page "\t" NR "\t" kind "\t" text
      }
      /^ *```/ { fence = !fence; next }
      fence {
        if (match($0, /(^|^\$ |; do )(\.\/)?kagami [^;|]*/)) {
          text = substr($0, RSTART, RLENGTH); sub(/^(\$ |; do )/, "", text); show("fence", text)
        }
        next
      }
      {
        rest = $0
        while (match(rest, /`(\.\/)?kagami [^`]*`/)) {
          show("code", substr(rest, RSTART + 1, RLENGTH - 2)); rest = substr(rest, RSTART + RLENGTH)
        }
      }' "$page"
  done)
}

declare -A help_of
# sets `help` to the help text of the command that the words name
ask_help() {
  local key="kagami $*"
  [ -n "${help_of[$key]+set}" ] || help_of[$key]=$("$program" "$@" --help 2>&1)
  help=${help_of[$key]}
}
# of `help`
is_group() { [[ $help =~ Usage:[^$'\n']*\ COMMAND\ \[OPTIONS ]]; }
has_subcommand() { is_group && [[ $help =~ $'\n'\ \ $1[\ $'\n'] ]]; }
has_option() { [[ $'\n'$help$'\n' =~ [[:space:],]$1[[:space:],] ]]; }

# check PLACE COMMAND...: the command and its options exist
check() {
  local place=$1 first second rest option help
  read -r first second _ <<<"$2"
  checked=$((checked + 1))
  case $first in
    test | peers | package | python) # of the script, not of the program
      [[ $script =~ [\ $'\n']$first\) ]] || problem "$place: kagami has no '$first'"
      return ;;
    -*) ask_help ;;
    *[!a-z]* | '') return ;; # a word for the reader to replace, or a sentence
    *)
      ask_help
      if ! has_subcommand "$first"; then
        problem "$place: there is no command '$first'"
        return
      fi
      ask_help "$first"
      if is_group && [[ ${second:--} != -* ]]; then
        if ! has_subcommand "$second"; then
          [[ $second = *[!a-z]* ]] || problem "$place: 'kagami $first' has no '$second'"
          return
        fi
        ask_help "$first" "$second"
      fi ;;
  esac
  rest=" $2"
  while [[ $rest =~ [\ \[](--?[a-zA-Z][a-z-]*)(.*) ]]; do
    option=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
    has_option "$option" || problem "$place: 'kagami $2' has no option $option"
  done
}

# run_example PLACE COMMAND: as shown, with the records of this check in the place of RUN.mcap
run_example() {
  local place=$1 command=$2 why code expected output
  why=$(not_run "$command")
  # what is left to the reader: words in capitals, dots, variables
  [ -n "$why" ] || [[ ! $command =~ (^|[ =/])[A-Z][A-Z_]+($|[ /:]) ]] || [[ $command = *RUN.mcap* || $command = *SESSION* ]] ||
    why="has a part that the reader replaces"
  [[ $command != *'$'* && $command != *...* && $command != *'[MOTION]'* && $command = *' '* || $command = ports ]] ||
    why="has a part that the reader replaces"
  if [ -n "$why" ]; then
    skipped=$((skipped + 1))
    printf '  not run: kagami %s (%s)\n' "$command" "$why"
    return
  fi
  command=${command//\/tmp\//$work/}
  command=${command//\~\/.local\/share\/kagami\/sessions\/SESSION\/run.mcap/RUN.mcap}
  command=${command//OTHER.mcap/$work/other/run.mcap}
  command=${command//RUN.mcap/$work/run/run.mcap}
  [[ $command != replay\ * || $command = *--clock* ]] || command+=" --clock virtual"
  # in front: behind --exec the words are another program's
  [[ $command != board\ * ]] || command="board --seconds 5 ${command#board }"
  expected=$(expected_code "$command")
  output=$(cd "$work" && eval "timeout 120 \"\$program\" $command" 2>&1 </dev/null)
  code=$?
  ran=$((ran + 1))
  [ $code -eq "$expected" ] || problem "$place: 'kagami $2' ends with $code, expected $expected: $(tail -n 3 <<<"$output")"
}

for record in run other; do
  "$program" replay bow --on stand --clock virtual --no-report --out "$work/$record" >/dev/null 2>&1 ||
    problem "kagami replay bow does not run"
done

# the files that pages show: the second word behind the fence is the path, below the temporary folder
write_files() {
  find "$source/docs" "$source"/*.md -name '*.md' 2>/dev/null | sort | while read -r page; do
    awk -v work="$work" '
      /^```[a-z]+ +[A-Za-z0-9_][A-Za-z0-9_\/.-]*$/ && $2 !~ /\.\./ {
        file = work "/" $2; folder = file; sub(/\/[^\/]*$/, "", folder); system("mkdir -p \"" folder "\"")
        printf "" > file; next
      }
      /^```/ { if (file) close(file); file = "" }
      file { print > file }' "$page"
  done
}
write_files

declare -A done_already
while IFS=$'\t' read -r page line kind command; do
  check "$page:$line" "$command"
  if [ "$kind" = fence ] || [[ $page = README.md || $page = docs/howto/* ]]; then
    [ -n "${done_already[$command]+set}" ] && continue
    done_already[$command]=1
    [[ $command != test* && $command != peers* && $command != python* ]] || continue
    run_example "$page:$line" "$command"
  fi
done < <(shown_commands)

# the option tables: "## replay" and below it rows "| `--speed N` | ..."
section=
ask_help
while IFS= read -r row; do
  case $row in
    '## '*) section=${row#'## '} ;;
    '| `--'*)
      has_subcommand "${section%% *}" || continue
      cell=${row#'| '}
      cell=${cell%%' | '*}
      options=
      while [[ $cell =~ (--[a-z][a-z-]*)(.*) ]]; do
        options+=" ${BASH_REMATCH[1]}"
        cell=${BASH_REMATCH[2]}
      done
      check "docs/commands.md, $section" "$section$options"
      ;;
  esac
done <"$source/docs/commands.md"

printf '%d commands checked, %d examples run, %d not run, %d problems\n' $checked $ran $skipped $problems
[ $checked -gt 0 ] && [ $problems -eq 0 ]
