#!/usr/bin/env bash
# sweep_throughput.sh PROGRAM [ROUNDS [RUNS [SCENARIO PLACE]]]: the rate of `kagami sweep` against cores times the rate
# of single runs.
#
# A round is RUNS calls of `kagami run` one after another; the same in one shell loop per core, side by side; then a
# sweep of cores x RUNS runs. All set PLACE to 1..1.5 (default: the duration of khr1_pushed). Rates are runs per second
# of wall time; a ratio is taken in each round, and its median over the rounds is printed. On a machine with other work,
# a second process gets less than the first one had alone: the loops side by side show what the cores then give, and the
# processor time per run what the sweep adds. Exit code 6: the ratio to cores x single run is below 0.95.
set -euo pipefail
program=$(realpath "$1")
rounds=${2:-9} runs=${3:-40} scenario=${4:-khr1_pushed} place=${5:-/duration}
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_DATA_HOME=$work/data  # records of motions
cat >sweep.json <<F
{"schema": "kagami.sweep/1", "scenario": "$scenario",
 "parameters": [{"name": "value", "at": "$place", "from": 1, "to": 1.5, "count": $((cores * runs))}],
 "results": [{"name": "hash", "at": "/state_hash"}]}
F
# every cores-th value of the sweep, as options
"$program" sweep ./sweep.json --out values.csv -q >/dev/null
awk -F , -v cores="$cores" 'NR > 1 && (NR - 2) % cores == 0 { print $2 }' values.csv >values
TIMEFORMAT='%R %U %S'
single() {
  while read -r value; do "$program" run "$scenario" --json -q --set "$place=$value" </dev/null >/dev/null; done <values
}
side_by_side() { for _ in $(seq "$cores"); do single & done; wait; }
together() { rm -f table.csv*; "$program" sweep ./sweep.json --out table.csv -q >/dev/null; }
for _ in $(seq "$rounds"); do
  read -r wall user system < <({ time single; } 2>&1)
  read -r wall_2 user_2 system_2 < <({ time side_by_side; } 2>&1)
  read -r wall_3 user_3 system_3 < <({ time together; } 2>&1)
  echo "$wall $user $system $wall_2 $user_2 $system_2 $wall_3 $user_3 $system_3"
done >rounds
# median COLUMN_EXPRESSION
median() {
  awk "{ print $1 }" rounds | sort -g |
    awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}
ratio=$(median "\$1 / \$7")
printf 'scenario %s, %d cores, %d rounds, load %s\n' "$scenario" "$cores" "$rounds" "$(cut -d ' ' -f 1 /proc/loadavg)"
printf 'single run   %8.2f a second, %7.2f ms of processor time\n' "$(median "$runs / \$1")" \
  "$(median "1e3 * (\$2 + \$3) / $runs")"
printf 'side by side %8.2f a second, %7.2f ms of processor time\n' "$(median "$cores * $runs / \$4")" \
  "$(median "1e3 * (\$5 + \$6) / $runs / $cores")"
printf 'sweep        %8.2f a second, %7.2f ms of processor time\n' "$(median "$cores * $runs / \$7")" \
  "$(median "1e3 * (\$8 + \$9) / $runs / $cores")"
printf 'ratio        %8.3f of cores x single run (bound 0.95), %.3f of the loops side by side\n' "$ratio" \
  "$(median "\$4 / \$7")"
awk -v ratio="$ratio" 'BEGIN { exit ratio < 0.95 ? 6 : 0 }'
