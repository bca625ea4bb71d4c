#!/usr/bin/env bash
# slurm_test.sh PROGRAM: `kagami sweep --slurm` on a cluster of one node, which this script starts and stops.
#
# munged, slurmctld and slurmd run with a configuration, keys, sockets, ports and folders of their own. Checked: the
# table has the bytes of the local one; a lost task is named, and the same command completes the sweep; a job that is
# not waited for is merged later. Exit code 77: not here.
set -uo pipefail
program=$(realpath "$1")
skip() { echo "SKIPPED: $*"; exit 77; }
PATH=$PATH:/usr/sbin:/sbin
for needed in munged slurmctld slurmd sbatch squeue sinfo scontrol scancel; do
  command -v "$needed" >/dev/null || skip "$needed is not installed (Debian: slurm-wlm, munge)"
done
[ "$(id -u)" -eq 0 ] || skip "slurmd needs root here"

work=$(mktemp -d)
chmod 755 "$work"
children=()
failures=0
stop_all() {
  local child
  scancel --full --user=root 2>/dev/null
  for child in "${children[@]}"; do kill "$child" 2>/dev/null; done
  for child in "${children[@]}"; do
    for _ in $(seq 100); do kill -0 "$child" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$child" 2>/dev/null
  done
  rm -rf "$work"
}
trap stop_all EXIT
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
# logs: what the daemons wrote, when they do not come up
logs() { tail -n 15 "$work"/*.log 2>/dev/null; }

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 20000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
host=$(hostname -s)
cores=$(nproc)
mkdir -m 700 "$work/munge" "$work/state"
mkdir -m 755 "$work/spool" "$work/runs" "$work/socket"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
cat >"$work/slurm.conf" <<F
ClusterName=kagami
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/socket/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=2,default_queue_depth=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
F
export SLURM_CONF=$work/slurm.conf

# start NAME COMMAND...: a daemon in the foreground of a job of ours
start() {
  local name=$1
  shift
  "$@" >"$work/$name.out.log" 2>&1 &
  children+=($!)
}
start munged munged --foreground --force --key-file="$work/munge/key" --socket="$work/socket/munge" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" --num-threads=2
for _ in $(seq 100); do [ -S "$work/socket/munge" ] && break; sleep 0.1; done
[ -S "$work/socket/munge" ] || { logs; cat "$work/munge/log"; fail "munged does not come up"; exit 1; }
start slurmctld slurmctld -D -c
start slurmd slurmd -D -N "$host"
for _ in $(seq 300); do
  sinfo --noheader --format=%T 2>/dev/null | grep -q idle && break
  sleep 0.2
done
sinfo --noheader --format=%T 2>/dev/null | grep -q idle || { logs; fail "the node does not come up"; exit 1; }

cd "$work/runs" || exit 1
cat >box.json <<'F'
{"schema": "kagami.sweep/1", "scenario": "falling_box", "draws": 6, "seed": 3,
 "parameters": [{"name": "mass", "at": "/bodies/0/mass", "uniform": [0.5, 2]},
                {"name": "friction", "at": "/surface/mu_static", "values": [0.2, 0.6]}]}
F
# sweep CODE ARGS...: the command with its exit code
sweep() {
  local expected=$1 code=0
  shift
  output=$("$program" sweep box.json "$@" 2>&1) || code=$?
  [ $code -eq "$expected" ] || fail "kagami sweep $*: exit code $code, expected $expected: $output"
}
says() { grep -qE -- "$1" <<<"$output" || fail "says not '$1': $output"; }
same_table() { cmp -s local.csv "$1" || fail "$1 differs from the local table"; }

sweep 0 --out local.csv
sweep 0 --out array.csv --slurm --tasks 3
says 'job [0-9]+ of Slurm: 3 tasks'
same_table array.csv

# as many tasks as processors; options for sbatch; without waiting
sweep 0 --out later.csv --slurm --no-wait --slurm-option partition=all --slurm-option=--time=5
says '--merge makes the table'
number=$(grep -oE 'job [0-9]+' <<<"$output" | head -n 1 | cut -d ' ' -f 2)
for _ in $(seq 600); do
  squeue --noheader --jobs="$number" 2>/dev/null | grep -q . || break
  sleep 0.1
done
sweep 0 --out later.csv --merge
same_table later.csv

# a task that cannot do its runs is named with its last message; the same command goes on
: >lost.csv.runs-2-of-3
exec 9<lost.csv.runs-2-of-3
flock 9
sweep 1 --out lost.csv --slurm --tasks 3
says '4 of 12 runs are missing'
says 'task 2.*another process writes these runs'
exec 9<&-
sweep 0 --out lost.csv --slurm --tasks 3
same_table lost.csv

sweep 1 --out refused.csv --slurm --slurm-option partition=nowhere
says 'sbatch: .*nvalid partition'

[ $failures -eq 0 ] && echo "all as expected"
exit $((failures > 0))
