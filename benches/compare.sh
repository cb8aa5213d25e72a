#!/bin/sh
# Compares builds of cg-preprocess on profiles: whole-process times, as ratios to `wc -l`.
#
#   benches/compare.sh PROFILE... -- BINARY... [-- OPTION...]
#
# Needs hyperfine and awk. Times differ from machine to machine, and from day to day; only figures
# of one run are comparable.
set -eu

fail() {
    echo "usage: benches/compare.sh PROFILE... -- BINARY... [-- OPTION...]" >&2
    exit 2
}

profiles= binaries= options= part=0
for word in "$@"; do
    case $part$word in
        0-- | 1--) part=$((part + 1)) ;;
        0*) profiles="$profiles $word" ;;
        1*) binaries="$binaries $word" ;;
        *) options="$options $word" ;;
    esac
done
[ -n "$profiles" ] && [ -n "$binaries" ] || fail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for profile in $profiles; do
    cat "$profile" > /dev/null # into the page cache
    set -- -n 'wc -l' "wc -l $profile"
    for binary in $binaries; do
        set -- "$@" -n "$binary" "$binary -q$options -o $directory/out.pre $profile"
    done
    hyperfine -N --style none --warmup 1 --min-runs 9 --export-csv "$directory/times" "$@" > /dev/null
    echo "$profile$options"
    # command,mean,stddev,median,user,system,min,max
    awk -F, 'NR == 2 { median = $4; least = $7 }
             NR > 1 { printf "  %6.2f x (median)  %6.2f x (least)  %8.3f s  %s\n",
                      $4 / median, $7 / least, $4, $1 }' "$directory/times"
done
