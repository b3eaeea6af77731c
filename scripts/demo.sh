# Sourced by run.sh: the tiny project from start to report, in a folder of its own.
out="$PWD/holonomy-demo"
while [ $# -gt 0 ]; do
    case "$1" in
        --out) [ $# -ge 2 ] || { holo_say "--out needs a folder"; exit 2; }; out=$2; shift 2 ;;
        --out=*) out=${1#--out=}; shift ;;
        -h | --help) printf 'usage: ./run.sh demo [--out DIR]\n\nTrains two arms of the tiny project (two seeds each), evaluates them, prints the needle table\nand writes DIR/report. DIR is holonomy-demo in the current folder unless given.\nExample: ./run.sh demo --out /tmp/demo\n'; exit 0 ;;
        *) holo_say "demo: unknown argument \"$1\"; did you mean --out DIR?"; exit 2 ;;
    esac
done
mkdir -p "$out" 2>/dev/null || { holo_say "$out: cannot be written; give another folder with --out DIR"; exit 5; }
out=$(cd "$out" && pwd)
if [ ! -e "$out/project.json" ]; then
    cp "$HOLO_ROOT/projects/tiny/project.json" "$out/project.json" || { holo_say "$out: cannot be written; give another folder with --out DIR"; exit 5; }
fi
holo_say "training the tiny project in $out (about seven minutes on two cores; run it again to go on after a stop)"
"$HOLONOMY" --batch "$out" --jobs 2 || exit $?
"$HOLONOMY" show "$out" || exit $?
printf '\n'
"$HOLONOMY" stats "$out" || exit $?
"$HOLONOMY" report "$out" --out "$out/report" >/dev/null || exit $?
holo_say "report: $out/report/report.html"
holo_say "look at it in the window: $HOLO_ROOT/run.sh $out"
