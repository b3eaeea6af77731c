#!/bin/bash
# Builds the engine on a machine with a CUDA device and checks it there: self-test, benchmarks, a short training with a resume, and memory
# running out. Writes one report as JSON and as text into tests/bench/reports/DEVICE-REVISION.{json,txt}.
#
#   scripts/gpu_check.sh [--cpu] [--build DIR] [--out DIR] [--rounds N] [--part P] [--engine FILE]
#   scripts/gpu_check.sh --pack FILE
#
#   --cpu         a dry run without a device: builds without CUDA, runs everything else, names the report cpu-REVISION
#   --build DIR   build folder (build/gpu-check)
#   --out DIR     folder of the report (tests/bench/reports)
#   --rounds N    rounds of the benchmarks (15)
#   --part P      benchmarks to run: rotary, attention, train, eval or all (all)
#   --engine FILE check this engine and build nothing
#   --pack FILE   on Debian or Ubuntu with network (no root needed): writes an archive (.tar.xz, less than 50 MB) of the committed sources and
#                 of the packages that the engine is built with, for a machine that has neither them nor a network:
#                 tar xf FILE && cd holonomy-gpu-check && HOLONOMY_LIBTORCH=… scripts/gpu_check.sh
#
# Needs on the machine: an NVIDIA driver, nvcc (13.0), g++ and CMake 3.25, python3, and LibTorch 2.11 for CUDA: HOLONOMY_LIBTORCH, else the one
# that run.sh fetched, else the torch package of python3. HOLONOMY_DEPENDS names a folder with include/ and lib/ (depends/usr of an unpacked
# archive is found by itself) that holds what is not installed: the headers of nlohmann-json, CLI11, spdlog, fmt and Boost, and OpenSSL, SQLite,
# ICU, SentencePiece, jemalloc.
# A part that fails is reported and the others still run. Exit: 0 all passed, 1 something failed, 2 it could not be built or started.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cpu=0 build=$root/build/gpu-check out=$root/tests/bench/reports rounds=15 part=all engine='' pack=''

say() { printf 'gpu_check: %s\n' "$*" >&2; }
stop() { say "$*"; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --cpu) cpu=1; shift; continue ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --build | --out | --rounds | --part | --engine | --pack) [ $# -ge 2 ] || stop "$1 needs a value." ;;
    *) stop "knows --cpu, --build, --out, --rounds, --part, --engine and --pack, not \"$1\"." ;;
  esac
  case $1 in
    --build) build=$2 ;;
    --out) out=$2 ;;
    --rounds) rounds=$2 ;;
    --part) part=$2 ;;
    --engine) engine=$2 ;;
    --pack) pack=$2 ;;
  esac
  shift 2
done

# ---- what travels ----
if [ -n "$pack" ]; then
  limit=50000000
  for tool in apt-get apt-cache dpkg git g++ xz; do command -v "$tool" >/dev/null || stop "--pack needs $tool."; done
  case $pack in *.tar.xz) ;; *) stop "--pack $pack: the name has to end in .tar.xz." ;; esac
  revision=$(git -C "$root" describe --always --dirty --abbrev=12) || stop "--pack packs the committed sources, and $root is no git checkout."
  case $revision in *-dirty) say "only what is committed is packed; there are changes beside it." ;; esac
  room=$(mktemp -d) || stop "no room for temporary files."
  trap 'rm -rf "$room"' EXIT
  top=$room/holonomy-gpu-check
  depends=$top/depends
  mkdir -p "$depends" "$room/debs" || stop "no room for temporary files."
  git -C "$root" archive HEAD | tar x -C "$top" || stop "the sources cannot be packed."
  printf '%s\n' "${revision%-dirty}" >"$top/REVISION"

  # The run-time package of a -dev package carries its version in its name.
  runtime() { apt-cache depends "$1" | sed -n "s/.*Depends: \\($2\\)\$/\\1/p" | head -1; }
  packages=(nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev libboost-dev libssl-dev libsqlite3-dev libsqlite3-0 libjemalloc-dev libjemalloc2
    libicu-dev libsentencepiece-dev libsentencepiece0)
  for pair in 'libspdlog-dev libspdlog[0-9.]*' 'libfmt-dev libfmt[0-9]*' 'libboost-dev libboost[0-9.]*-dev' 'libssl-dev libssl[0-9a-z]*' 'libicu-dev libicu[0-9]*'; do
    name=$(runtime "${pair% *}" "${pair#* }")
    if [ -n "$name" ]; then packages+=("$name"); fi
  done
  (cd "$room/debs" && apt-get -qq download "${packages[@]}" 2>"$room/apt.log") || stop "apt-get could not fetch the packages: $(tail -n 1 "$room/apt.log")."
  for package in "$room"/debs/*.deb; do
    dpkg -x "$package" "$depends" || stop "$package cannot be unpacked."
  done
  # On Debian some libraries lie in /lib.
  if [ -d "$depends/lib" ]; then cp -a "$depends/lib/." "$depends/usr/lib/" && rm -rf "${depends:?}/lib"; fi
  # Whole folders of Boost stay if anything in them is included, so that another compiler's choices are there too.
  boost=$depends/usr/include/boost
  grep -rhoE '#include <boost/[^>]+>' "$root/core" "$root/app" "$root/kernels" | sort -u >"$room/boost.cpp"
  g++ -std=c++20 -M -isystem "$depends/usr/include" "$room/boost.cpp" | tr ' \\' '\n\n' | sed -n "s|^$boost/||p" >"$room/boost.used"
  [ -s "$room/boost.used" ] || stop "no header of Boost that the sources include was found among the packages."
  for entry in "$boost"/*/; do
    name=$(basename "$entry")
    grep -q "^$name/" "$room/boost.used" || rm -rf "$entry"
  done
  # Static libraries would be most of the size, and nothing links them.
  find "$depends" -name '*.a' -delete
  find "$depends/usr/share" -mindepth 1 -maxdepth 1 ! -name cmake -exec rm -rf {} +
  rm -rf "$depends/usr/bin" "$depends/etc" "$depends"/usr/lib/*/{engines-3,ossl-modules,pkgconfig}
  dangling=$(find "$depends" -xtype l -name '*.so*' -printf '%f ')
  [ -z "$dangling" ] || say "links without their file: $dangling"
  tar c -C "$room" holonomy-gpu-check | xz -T0 -6 >"$pack" || stop "cannot write $pack."
  size=$(stat -c %s "$pack")
  if [ "$size" -ge $limit ]; then
    rm -f "$pack"
    stop "the archive would have $size bytes; allowed: less than $limit. Largest parts: $(cd "$top" && du -ak . | sort -rn | sed -n '2,7p' | tr '\n\t' '; ')"
  fi
  say "packed $revision with its libraries into $pack ($((size / 1000000)) MB); there: tar xf $(basename "$pack") && cd holonomy-gpu-check && scripts/gpu_check.sh"
  exit 0
fi

command -v python3 >/dev/null || stop "python3 is missing."
revision=$(cat "$root/REVISION" 2>/dev/null || git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
if [ "$cpu" = 1 ]; then
  device=cpu
else
  command -v nvidia-smi >/dev/null || stop "there is no nvidia-smi; --cpu makes a dry run without a device."
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
  [ -n "$device" ] || stop "nvidia-smi names no device; --cpu makes a dry run without one."
fi
slug=$(printf '%s' "$device" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9.-')
work=$(mktemp -d) || stop "no room for temporary files."
trap 'rm -rf "$work"' EXIT

# ---- build ----
if [ -z "$engine" ]; then
  libtorch=${HOLONOMY_LIBTORCH:-}
  [ -n "$libtorch" ] || for folder in "${XDG_CACHE_HOME:-$HOME/.cache}/holonomy/libtorch-2.11.0/torch" \
    "$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' 2>/dev/null)"; do
    if [ -e "$folder/lib/libtorch_cpu.so" ] && { [ "$cpu" = 1 ] || [ -e "$folder/lib/libtorch_cuda.so" ]; }; then
      libtorch=$folder
      break
    fi
  done
  [ -e "$libtorch/lib/libtorch_cpu.so" ] || stop "no LibTorch was found; set HOLONOMY_LIBTORCH=DIR (holds include/ and lib/)."
  options=(-DCMAKE_BUILD_TYPE=Release -DHOLONOMY_GUI=OFF -DHOLONOMY_TESTS=OFF "-DHOLONOMY_LIBTORCH=$libtorch" "-DHOLONOMY_REVISION=$revision")
  [ "$cpu" = 1 ] && options+=(-DHOLONOMY_CUDA=OFF) || options+=(-DHOLONOMY_CUDA=ON)
  command -v ninja >/dev/null && options+=(-G Ninja)
  if [ -z "${HOLONOMY_DEPENDS:-}" ] && [ -d "$root/depends/usr" ]; then HOLONOMY_DEPENDS=$root/depends/usr; fi
  if [ -n "${HOLONOMY_DEPENDS:-}" ]; then
    [ -d "$HOLONOMY_DEPENDS/include" ] || stop "HOLONOMY_DEPENDS=$HOLONOMY_DEPENDS has no folder include."
    triplet=$(g++ -print-multiarch 2>/dev/null || true)
    options+=("-DCMAKE_PREFIX_PATH=$HOLONOMY_DEPENDS" "-DCMAKE_LIBRARY_PATH=$HOLONOMY_DEPENDS/lib/${triplet:-x86_64-linux-gnu}"
      "-DCMAKE_CXX_FLAGS=-isystem $HOLONOMY_DEPENDS/include" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,-rpath-link,$HOLONOMY_DEPENDS/lib/${triplet:-x86_64-linux-gnu}")
    export LD_LIBRARY_PATH="$HOLONOMY_DEPENDS/lib/${triplet:-x86_64-linux-gnu}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
  say "building for $device with LibTorch in $libtorch"
  mkdir -p "$build"
  cmake -S "$root" -B "$build" "${options[@]}" >"$build/configure.log" 2>&1 || { grep -A6 'CMake Error' "$build/configure.log" >&2; stop "configuring failed; all of it in $build/configure.log."; }
  cmake --build "$build" -j "$(nproc)" >"$build/build.log" 2>&1 || { grep -A8 -E 'error:|FAILED:' "$build/build.log" | head -40 >&2; stop "the build failed; all of it in $build/build.log."; }
  engine=$build/bin/holonomy-engine
fi
[ -x "$engine" ] || stop "$engine is not there or cannot be run."
engine=$(readlink -f "$engine")
"$engine" version --json >"$work/version.json" || stop "$engine does not start."
where=cuda:0
[ "$cpu" = 1 ] && where=cpu

# ---- checks: each leaves NAME.json (if it has a document), NAME.err and one line "NAME WANTED GOT SECONDS" ----
check() {
  local name=$1 wanted=$2 begin code
  shift 2
  say "$name"
  begin=$(date +%s)
  "$@" >"$work/$name.json" 2>"$work/$name.err"
  code=$?
  printf '%s %s %s %s\n' "$name" "$wanted" "$code" "$(($(date +%s) - begin))" >>"$work/checks"
  [ "$code" = "$wanted" ] || { say "$name: exit $code instead of $wanted; $(tail -n 1 "$work/$name.err")"; return 1; }
}

: >"$work/checks"
check selftest 0 "$engine" selftest --json
check bench 0 "$engine" bench "$part" --rounds "$rounds" --json

# A run of 20 steps that stops at 10 and goes on, beside one that runs through: on a CPU the weights are equal bit by bit.
tiny=(--param train.steps=20 --param train.warmup=5 --param data.synthetic.documents=300 --param data.synthetic.val_documents=32
  --param 'eval.protocols=["perplexity"]' --param eval.perplexity_tokens=2048 --param 'seeds=[1]' --device "$where" --precision fp32 --json)
if check project 0 "$engine" new "$work/tiny" --template tiny --json; then
  arm=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["arms"][0]["name"])' "$work/tiny/project.json")
  cp -r "$work/tiny" "$work/through"
  check train-through 0 "$engine" --batch "$work/through" --arm "$arm" --seed 1 "${tiny[@]}"
  check train-stop 0 "$engine" --batch "$work/tiny" --arm "$arm" --seed 1 --stop-at 10 "${tiny[@]}"
  check train-resume 0 "$engine" --batch "$work/tiny" --arm "$arm" --seed 1 "${tiny[@]}"
  # shellcheck disable=SC2016
  check train-equal 0 bash -c '
    cd "$1" && a=$(ls tiny/runs/*/checkpoints/step-*20/model.safetensors) && b=$(ls through/runs/*/checkpoints/step-*20/model.safetensors) || exit 3
    cmp "$a" "$b" && echo "{\"equal\": true}"' _ "$work"
  # More windows than any memory holds has to end in words and exit 5. On a CPU a limit of address space stands for the device.
  huge=(--arm "$arm" --seed 1 --param train.steps=1 --param 'eval.protocols=[]' --param data.synthetic.documents=300 --param data.synthetic.val_documents=32
    --device "$where" --precision fp32 --json)
  if [ "$cpu" = 1 ]; then
    # shellcheck disable=SC2016
    check out-of-memory 5 bash -c 'ulimit -v 6000000; exec "$@"' _ "$engine" train "$work/tiny" --param train.batch=16384 "${huge[@]}"
  else
    check out-of-memory 5 "$engine" train "$work/tiny" --param train.batch=1048576 "${huge[@]}"
    check selftest-after 0 "$engine" selftest --json
  fi
fi

# ---- report ----
mkdir -p "$out" || stop "cannot write to $out."
if [ "$cpu" = 0 ]; then
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader >"$work/device.txt" 2>&1
else
  grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //' >"$work/device.txt"
fi
python3 - "$work" "$out/$slug-$revision" "$device" "$revision" <<'PYTHON'
import json, os, sys

work, target, device, revision = sys.argv[1:]


def text_of(name):
    path = os.path.join(work, name)
    return open(path, errors="replace").read() if os.path.exists(path) else ""


def document_of(name):
    try:
        return json.loads(text_of(name + ".json"))
    except ValueError:
        return None


checks = []
for line in text_of("checks").splitlines():
    name, wanted, got, seconds = line.split()
    words = text_of(name + ".err").strip().splitlines()
    checks.append({"name": name, "wanted": int(wanted), "exit": int(got), "pass": wanted == got, "seconds": int(seconds), "words": words[-3:]})
selftest, bench = document_of("selftest"), document_of("bench")
rows = [row for document in (selftest, bench) if document for row in document.get("rows", [])]
failed = [row for row in rows if row["pass"] is False]
report = {"format": 1, "device": device, "device_details": text_of("device.txt").strip(), "revision": revision, "version": document_of("version"),
          "checks": checks, "selftest": selftest, "bench": bench, "out_of_memory": document_of("out-of-memory")}
with open(target + ".json", "w") as file:
    json.dump(report, file, indent=1, ensure_ascii=False)
    file.write("\n")

lines = [f"{device}, revision {revision}", report["device_details"], ""]
for check in checks:
    lines.append(f"{'pass' if check['pass'] else 'FAIL'}  {check['name']:16} exit {check['exit']} (wanted {check['wanted']}), {check['seconds']} s"
                 + ("" if check["pass"] or not check["words"] else "  " + check["words"][-1]))
lines.append("")


def shown(value):
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"


for row in rows:
    verdict = {True: "pass", False: "FAIL", None: "    "}[row["pass"]]
    lines.append(f"{verdict}  {row['name']:48} {row['variant']:64} {shown(row['value']):>10} {row['unit'] or '':16} {shown(row['ratio']):>8}  {row['goal'] or ''}"
                 + (f"  {row['note']}" if row["pass"] is None and row["note"] else ""))
good = all(check["pass"] for check in checks) and not failed
lines += ["", f"{len(rows)} rows, {len(failed)} failed; {'all checks passed' if all(c['pass'] for c in checks) else 'some checks failed'}"]
with open(target + ".txt", "w") as file:
    file.write("\n".join(lines) + "\n")
print(target + ".txt")
sys.exit(0 if good else 1)
PYTHON
