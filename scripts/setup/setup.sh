# Sourced by run.sh and test.sh: sets up what is missing (system packages, LibTorch, build). One line a step on standard error,
# silent and quick when there is nothing to do, never asks.
set -u
holo_say() { printf 'holonomy: %s\n' "$*" >&2; }
holo_fail() { printf 'holonomy: %s\n' "$*" >&2; exit 1; }

HOLO_TORCH_VERSION=2.11.0
HOLO_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}"
case "$HOLO_CACHE" in /*) ;; *) HOLO_CACHE="$HOME/.cache" ;; esac
HOLO_CACHE="$HOLO_CACHE/holonomy"

holo_packages() {
    local packages=(build-essential cmake ninja-build ccache pkg-config python3 python3-pip git ca-certificates
        qt6-base-dev libqcustomplot-dev libmuparser-dev libgl1-mesa-dev
        nlohmann-json3-dev libcli11-dev libspdlog-dev libsqlite3-dev libboost-dev libssl-dev libjemalloc-dev
        libsentencepiece-dev libicu-dev fonts-dejavu-core)
    [ "${1:-}" = tests ] && packages+=(xvfb xauth locales desktop-file-utils)
    # The Svg module's package changed its name between releases.
    if dpkg-query -W -f='${Status}' qt6-svg-dev 2>/dev/null | grep -q 'ok installed' || ! apt-cache show libqt6svg6-dev >/dev/null 2>&1; then
        packages+=(qt6-svg-dev)
    else
        packages+=(libqt6svg6-dev)
    fi
    local package missing=()
    for package in "${packages[@]}"; do
        case "$package" in
            python3-pip) python3 -m pip --version >/dev/null 2>&1 && continue ;;
            build-essential) command -v g++ >/dev/null && command -v make >/dev/null && continue ;;
            python3 | git | cmake | ccache) command -v "$package" >/dev/null && continue ;;
        esac
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    command -v apt-get >/dev/null || holo_fail "these packages are missing and there is no apt-get to install them: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || holo_fail "these packages are missing; as root: apt-get install ${missing[*]}"
        as_root=(sudo -n)
    fi
    holo_say "installing system packages: ${missing[*]}"
    local log="$HOLO_CACHE/apt.log"
    mkdir -p "$HOLO_CACHE"
    { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null ||
        holo_fail "apt-get could not install ${missing[*]}; its last line: $(tail -n 1 "$log") (all of it in $log)"
}

holo_libtorch() {
    if [ -n "${HOLONOMY_LIBTORCH:-}" ]; then
        [ -e "$HOLONOMY_LIBTORCH/lib/libtorch_cpu.so" ] || holo_fail "HOLONOMY_LIBTORCH=$HOLONOMY_LIBTORCH holds no lib/libtorch_cpu.so"
        return 0
    fi
    local kind=cpu
    command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 && kind=cuda
    local folder="$HOLO_CACHE/libtorch-$HOLO_TORCH_VERSION"
    local pins="$HOLO_ROOT/scripts/setup/libtorch-$kind.txt"
    [ -e "$folder/torch/lib/libtorch_cpu.so" ] && { [ $kind = cpu ] || [ -e "$folder/torch/lib/libtorch_cuda.so" ]; } && return 0
    holo_say "fetching LibTorch $HOLO_TORCH_VERSION ($kind; once for all checkouts, into $HOLO_CACHE)"
    mkdir -p "$HOLO_CACHE" || holo_fail "cannot write to $HOLO_CACHE; set XDG_CACHE_HOME to a folder with 2 GB of space"
    local work
    work=$(mktemp -d "$HOLO_CACHE/.fetch.XXXXXX") || holo_fail "cannot write to $HOLO_CACHE"
    local platforms=() glibc
    for glibc in 28 27 26 25 24 18 17 12 5; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
    if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: --python-version 3.11 \
        --implementation cp --abi cp311 "${platforms[@]}" --platform manylinux2014_x86_64 --platform any -d "$work/wheels" -r "$pins" >"$work/pip.log" 2>&1; then
        local why
        why=$(tail -n 1 "$work/pip.log")
        rm -rf "$work"
        holo_fail "LibTorch could not be fetched: $why (set HOLONOMY_LIBTORCH=DIR to use one that you have)"
    fi
    local flag=()
    [ $kind = cuda ] && flag=(--cuda)
    python3 "$HOLO_ROOT/scripts/setup/unpack_wheels.py" "${flag[@]}" "$work"/wheels/*.whl "$work/unpacked" ||
        { rm -rf "$work"; holo_fail "LibTorch could not be unpacked in $HOLO_CACHE; is the disk full?"; }
    rm -rf "$folder"
    mv "$work/unpacked" "$folder" || holo_fail "cannot move LibTorch to $folder"
    rm -rf "$work"
}

# holo_build PRESET [TARGET…]: configures when needed and builds the targets, or everything.
holo_build() {
    local preset=$1
    shift
    local build="$HOLO_ROOT/build/release" log="$HOLO_ROOT/build/build.log"
    mkdir -p "$build"
    if [ ! -e "$build/build.ninja" ] || [ "$(cat "$build/.preset" 2>/dev/null)" != "$preset ${HOLONOMY_LIBTORCH:-}" ]; then
        holo_say "configuring ($preset)"
        (cd "$HOLO_ROOT" && cmake --preset "$preset") >"$log" 2>&1 || { grep -A6 -E 'CMake Error' "$log" | head -n 20 >&2; holo_fail "configuring failed; all of it in $log"; }
        printf '%s' "$preset ${HOLONOMY_LIBTORCH:-}" >"$build/.preset"
    fi
    holo_say "building (the first time this takes a quarter of an hour on two cores)"
    touch "$build/.building"
    (cd "$HOLO_ROOT" && cmake --build "$build" ${1:+--target "$@"}) >"$log" 2>&1 || { grep -E -A8 'error:|FAILED:|fatal' "$log" | head -n 40 >&2; holo_fail "the build failed; all of it in $log"; }
    mv "$build/.building" "$build/.built"
}

# True if nothing changed since the last finished build.
holo_is_built() {
    local built="$HOLO_ROOT/build/release/.built"
    [ -e "$built" ] && [ -x "$HOLO_ROOT/build/release/bin/holonomy" ] && [ -x "$HOLO_ROOT/build/release/bin/holonomy-engine" ] &&
        [ -z "$(cd "$HOLO_ROOT" && find app core kernels widgets resources cmake CMakeLists.txt CMakePresets.json -newer "$built" -print -quit 2>/dev/null)" ]
}
