#!/usr/bin/env bash
# sweep_throughput.sh PROGRAM [ROUNDS [RUNS [SCENARIO]]]: the rate of `kagami sweep` against cores times the rate of
# single runs.
#
# A round is RUNS processes of kagami-run one after another, then a sweep of cores x RUNS runs of the same scenario with
# the same values. Rates are runs per second of wall time; the ratio is taken in each round, and the median over the
# rounds is printed, so that other work on the machine acts on both. Processor time per run is printed, too: it shows
# what the sweep adds where other work takes a share of the cores. Exit code 6: the ratio is below 0.95.
set -euo pipefail
program=$(realpath "$1")
rounds=${2:-9} runs=${3:-40} scenario=${4:-khr1_pushed}
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >sweep.json <<F
{"schema": "kagami.sweep/1", "scenario": "$scenario",
 "parameters": [{"name": "step", "at": "/duration", "from": 1, "to": 1.5, "count": $((cores * runs))}],
 "results": [{"name": "hash", "at": "/state_hash"}]}
F
# every cores-th value of the sweep, as options
"$program" sweep ./sweep.json --out values.csv -q >/dev/null
awk -F , -v cores="$cores" 'NR > 1 && (NR - 2) % cores == 0 { print $2 }' values.csv >values
TIMEFORMAT='%R %U %S'
single() { while read -r value; do "$program-run" "$scenario" --json -q --set "/duration=$value" >/dev/null; done <values; }
together() { rm -f table.csv*; "$program" sweep ./sweep.json --out table.csv -q >/dev/null; }
for _ in $(seq "$rounds"); do
  read -r wall user system < <({ time single; } 2>&1)
  read -r wall_2 user_2 system_2 < <({ time together; } 2>&1)
  echo "$wall $user $system $wall_2 $user_2 $system_2"
done >rounds
# median COLUMN_EXPRESSION
median() { awk "{ print $1 }" rounds | sort -g | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }
ratio=$(median "\$1 / \$4")
printf 'scenario %s, %d cores, %d rounds, load %s\n' "$scenario" "$cores" "$rounds" "$(cut -d ' ' -f 1 /proc/loadavg)"
printf 'single run   %8.2f a second, %7.2f ms of processor time\n' "$(median "$runs / \$1")" "$(median "1e3 * (\$2 + \$3) / $runs")"
printf 'sweep        %8.2f a second, %7.2f ms of processor time\n' "$(median "$cores * $runs / \$4")" \
  "$(median "1e3 * (\$5 + \$6) / $runs / $cores")"
printf 'ratio        %8.3f of cores x single run (bound 0.95); by processor time %.3f\n' "$ratio" \
  "$(median "(\$2 + \$3) * $cores / (\$5 + \$6)")"
awk -v ratio="$ratio" 'BEGIN { exit ratio < 0.95 ? 6 : 0 }'
