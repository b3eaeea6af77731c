#!/bin/bash
# Training speed beside Hugging Face transformers (GPTNeoX, fp32, scaled_dot_product_attention), eager and under torch.compile.
#
#   scripts/compare_transformers.sh [--rounds N] [--threads N] [--steps N] [--out FILE]
#
# Whole processes in turn (ours, eager, compile, ours, …), at least five of each, same cores, threads and shapes: 1M (4×128, 8 heads, T256, B16,
# V512) and 12.5M (8×320, T512, B4, V4096). Every process reports the median of its steady steps; loading and compiling are not counted. Prints
# the median of each program over the rounds and the ratios, with the load of the machine before and after; with --out also one JSON document.
# Ratios wanted: at least 1.5 (1M) and 1.3 (12.5M).
#
# Needs a built engine (HOLONOMY_ENGINE names one, else the newest build/*/bin/holonomy-engine), python3 with venv, and on the first call the
# network: torch and transformers are installed from PyPI into ~/.cache/holonomy/compare-venv (some gigabytes). HOLONOMY_WHEELS names a folder
# with wheels that are at hand already; HOLONOMY_COMPARE_PYTHON a Python that has both packages, and nothing is installed.
set -euo pipefail

rounds=5 threads=$(nproc) steps=10 out=
while [ $# -gt 0 ]; do
  case $1 in
    --rounds) rounds=$2; shift 2 ;;
    --threads) threads=$2; shift 2 ;;
    --steps) steps=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    *) echo "compare_transformers.sh knows --rounds, --threads, --steps and --out, not \"$1\"." >&2; exit 2 ;;
  esac
done

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

ours() {
  "$engine" bench step --rounds "$steps" --threads "$threads" --json --quiet | "$python" -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(json.dumps({"program": "holonomy", "size": row["variant"].split()[0], "tok_s": row["value"]}))'
}

for ((round = 1; round <= rounds; ++round)); do
  echo "round $round of $rounds, load $(load)" >&2
  ours >> "$results"
  for size in 1M 12.5M; do
    for mode in eager compile; do
      OMP_NUM_THREADS=$threads "$python" "$root/scripts/compare_transformers.py" --size "$size" --mode "$mode" --threads "$threads" --steps "$steps" >> "$results"
    done
  done
done

"$python" - "$results" "$before" "$(load)" "$threads" "$out" <<'PYTHON'
import json, statistics, sys

file, before, after, threads, out = sys.argv[1:]
lines = [json.loads(line) for line in open(file)]
goals = {"1M": 1.5, "12.5M": 1.3}
rows = []
for size, goal in goals.items():
    def speeds(program):
        return [line["tok_s"] for line in lines if line["size"] == size and line["program"] == program]
    ours = statistics.median(speeds("holonomy"))
    for goal_name, program in (("T3b", "transformers eager"), ("T3c", "transformers compile")):
        theirs = speeds(program)
        reference = statistics.median(theirs)
        rows.append({"name": f"{goal_name} training ÷ {program}", "variant": f"{size} fp32, {threads} threads", "value": ours, "unit": "tok/s",
                     "reference": reference, "ratio": ours / reference, "goal": f">= {goal}", "pass": ours / reference >= goal,
                     "device": "cpu", "processes": len(theirs)})
        print(f"{rows[-1]['name']:38} {size:6} {ours:10.0f} tok/s  {reference:10.0f} tok/s  {ours / reference:5.2f}  (>= {goal})")
print(f"load {before} before, {after} after")
if out:
    versions = {key: line[key] for line in lines if "torch" in line for key in ("torch", "transformers")}
    json.dump({"format": 1, "load_before": float(before), "load_after": float(after), "versions": versions, "rows": rows, "processes": lines},
              open(out, "w"), indent=2, ensure_ascii=False)
PYTHON
