#!/usr/bin/env bash
# ./test.sh          builds and runs all tests
# ./test.sh NAME…    those whose name contains one of NAME
# Sets up whatever is missing first.
HOLO_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
. "$HOLO_ROOT/scripts/setup/setup.sh"

holo_packages tests
holo_libtorch
# Servers that check changes set CI; there warnings are errors.
if [ -n "${CI:-}" ]; then holo_build ci; else holo_build release; fi
pattern=$(IFS='|'; printf '%s' "$*")
# Timings of tests are theirs to judge; two at a time keeps those that train from starving each other.
exec ctest --test-dir "$HOLO_ROOT/build/release" --output-on-failure --no-tests=error -j 2 ${pattern:+-R "$pattern"}
