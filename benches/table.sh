#!/bin/sh
# Prints a Markdown table of what conversions of profiles take, in seconds and MB.
#
#   benches/table.sh PROGRAM PROFILE...
#
# Each row is the fastest of five runs. Needs GNU time (Debian's package time) and an idle machine.
set -eu

[ $# -ge 2 ] || { echo "usage: benches/table.sh PROGRAM PROFILE..." >&2; exit 2; }
program=$1
shift
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# row NAME COMMAND...: elapsed seconds, processor seconds and peak memory of the fastest run
row() {
    name=$1
    shift
    : >"$directory/times"
    for _ in 1 2 3 4 5; do
        command time -a -o "$directory/times" -f '%e %U %S %M' "$@" >/dev/null
    done
    sort -n "$directory/times" | head -n 1 | awk -v name="$name" \
        '{ printf "| %s | %.2f s | %.2f s | %.0f MB |\n", name, $1, $2 + $3, $4 / 1000 }'
}

echo "| profile | elapsed | processor | memory |"
echo "|---|--:|--:|--:|"
for profile in "$@"; do
    size=$(($(wc -c <"$profile") / 1000000))
    row "$(basename "$profile"), $size MB: \`wc -l\`" wc -l "$profile"
    for format in v7 v4 text callgrind json collapsed pprof html; do
        row "\`$format\`" "$program" -q -f $format -o "$directory/out" "$profile"
    done
done
