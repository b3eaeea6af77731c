#!/usr/bin/env bash
# ./run.sh                 the window on the tiny sample project (without a display: the demo)
# ./run.sh demo [--out D]  the tiny project headless: trains, evaluates, prints tables, writes a report
# ./run.sh ARGS…           passes on to holonomy
# Sets up whatever is missing first.
HOLO_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
. "$HOLO_ROOT/scripts/setup/setup.sh"

if ! holo_is_built; then
    holo_packages
    holo_libtorch
    holo_build release holonomy holonomy-engine
fi
HOLONOMY="$HOLO_ROOT/build/release/bin/holonomy"

has_display() { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; }

if [ $# -eq 0 ]; then
    has_display && exec "$HOLONOMY" "$HOLO_ROOT/projects/tiny"
    holo_say "there is no display; running the demo"
    set -- demo
fi
if [ "$1" != demo ]; then
    exec "$HOLONOMY" "$@"
fi
shift
. "$HOLO_ROOT/scripts/demo.sh"
