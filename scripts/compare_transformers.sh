#!/bin/bash
# Training speed beside Hugging Face transformers (GPTNeoX, fp32, scaled_dot_product_attention), eager and under torch.compile, and beside the
# same model in stock eager LibTorch.
#
#   scripts/compare_transformers.sh [--rounds N] [--steps N] [--wall] [--threads N] [--out FILE]
#
# Whole processes in turn (ours, LibTorch, eager, compile, ours, …), at least five of each, same shapes: 1M (4×128, 8 heads, T256, B16, V512) and
# 12.5M (8×320, 8 heads, T512, B4, V4096). Every process reports the median of its steady steps; loading and compiling are not counted. What is
# compared is the processor time of one thread, which other programs disturb least; with --wall the wall clock of N threads (all cores), for a
# machine that does nothing else. Prints the median of each program over the rounds and the ratios, with the load of the machine before and
# after; with --out also one JSON document. Ratios wanted: at least 1.5 (1M) and 1.3 (12.5M).
#
# Needs a built engine (HOLONOMY_ENGINE names one, else the newest build/*/bin/holonomy-engine), python3 with venv, and on the first call the
# network: torch and transformers are installed from PyPI into ~/.cache/holonomy/compare-venv (some gigabytes). HOLONOMY_WHEELS names a folder
# with wheels that are at hand already; HOLONOMY_COMPARE_PYTHON a Python that has both packages, and nothing is installed.
set -euo pipefail

rounds=5 threads=1 steps=10 clock=cpu out=
while [ $# -gt 0 ]; do
  case $1 in
    --wall) [ "$clock" = wall ] || { clock=wall threads=$(nproc); }; shift; continue ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    --rounds | --threads | --steps | --out) [ $# -ge 2 ] || { echo "compare_transformers.sh: $1 needs a value." >&2; exit 2; } ;;
    *) echo "compare_transformers.sh knows --rounds, --steps, --wall, --threads and --out, not \"$1\"." >&2; exit 2 ;;
  esac
  case $1 in
    --rounds) rounds=$2 ;;
    --threads) threads=$2 ;;
    --steps) steps=$2 ;;
    --out) out=$2 ;;
  esac
  shift 2
done
if [ "$clock" = cpu ] && [ "$threads" != 1 ]; then
  echo "compare_transformers.sh: processor time is that of one thread, since threads that wait would count; --wall measures $threads." >&2
  exit 2
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
engine=${HOLONOMY_ENGINE:-}
if [ -z "$engine" ]; then
  engine=$(find "$root/build" -path '*/bin/holonomy-engine' -printf '%T@ %p\n' 2>/dev/null | sort -rn | head -1 | cut -d' ' -f2-)
fi
if [ ! -x "$engine" ]; then
  echo "There is no built engine below $root/build; build it or name one in HOLONOMY_ENGINE." >&2
  exit 2
fi

python=${HOLONOMY_COMPARE_PYTHON:-}
if [ -z "$python" ]; then
  venv=${XDG_CACHE_HOME:-$HOME/.cache}/holonomy/compare-venv
  python=$venv/bin/python
  if ! "$python" -c 'import torch, transformers' 2>/dev/null; then
    echo "Installing torch 2.11.0 and transformers into $venv …" >&2
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet ${HOLONOMY_WHEELS:+--find-links "$HOLONOMY_WHEELS"} torch==2.11.0 transformers >&2
  fi
fi

results=$(mktemp)
trap 'rm -f "$results"' EXIT
load() { cut -d' ' -f1 /proc/loadavg; }
before=$(load)
cpu_time=
[ "$clock" = wall ] || cpu_time=--cpu-time

engine_steps() {  # PART PROGRAM
  "$engine" bench "$1" --rounds "$steps" --threads "$threads" $cpu_time --json --quiet | "$python" -c '
import json, sys
document = json.load(sys.stdin)
for row in document["rows"]:
    print(json.dumps({"program": sys.argv[1], "size": row["variant"].split()[0], "tok_s": row["value"], "revision": document["revision"], "device": row["device"]}))' "$2"
}

for ((round = 1; round <= rounds; ++round)); do
  echo "round $round of $rounds, load $(load)" >&2
  engine_steps step holonomy >> "$results"
  engine_steps eager-step 'eager LibTorch' >> "$results"
  for size in 1M 12.5M; do
    for mode in eager compile; do
      OMP_NUM_THREADS=$threads "$python" "$root/scripts/compare_transformers.py" --size "$size" --mode "$mode" --threads "$threads" --steps "$steps" --clock "$clock" >> "$results"
    done
  done
done

"$python" - "$results" "$before" "$(load)" "$threads" "$clock" "$out" <<'PYTHON'
import json, statistics, sys

file, before, after, threads, clock, out = sys.argv[1:]
lines = [json.loads(line) for line in open(file)]
goals = {"1M": 1.5, "12.5M": 1.3}
opponents = (("T3a", "eager LibTorch"), ("T3b", "transformers eager"), ("T3c", "transformers compile"))
measured = f"{threads} thread{'' if threads == '1' else 's'}, {'processor time' if clock == 'cpu' else 'wall clock'}"
rows = []
for size, goal in goals.items():
    def speeds(program):
        return [line["tok_s"] for line in lines if line["size"] == size and line["program"] == program]
    ours = speeds("holonomy")
    for goal_name, program in opponents:
        theirs = speeds(program)
        ratio = statistics.median(ours) / statistics.median(theirs)
        rounds = [a / b for a, b in zip(ours, theirs)]
        rows.append({"name": f"{goal_name} training ÷ {program}", "variant": f"{size} fp32, {measured}", "value": statistics.median(ours), "unit": "tok/s",
                     "reference": statistics.median(theirs), "ratio": ratio, "ratio_of_rounds": {"min": min(rounds), "max": max(rounds)},
                     "goal": f">= {goal}", "pass": ratio >= goal, "device": "cpu", "processes": len(theirs)})
        print(f"{rows[-1]['name']:38} {size:6} {rows[-1]['value']:10.0f} tok/s  {rows[-1]['reference']:10.0f} tok/s  {ratio:5.2f}"
              f" ({min(rounds):.2f} to {max(rounds):.2f})  (>= {goal}) {'met' if ratio >= goal else 'missed'}")
print(f"{measured}; load {before} before, {after} after")
if out:
    versions = {key: line[key] for line in lines for key in ("torch", "transformers", "revision", "device") if key in line}
    json.dump({"format": 1, "clock": clock, "load_before": float(before), "load_after": float(after), "versions": versions, "rows": rows, "processes": lines},
              open(out, "w"), indent=2, ensure_ascii=False)
PYTHON
