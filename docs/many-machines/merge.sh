#!/bin/sh
# Sums up the profiles of a folder with GNU parallel: each by itself, then all of them.
#
#     merge.sh PROFILES SUMS OUTPUT
#
# For more machines, give parallel --sshlogin and --transferfile: see many-machines.md.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: merge.sh PROFILES SUMS OUTPUT" >&2
    exit 2
fi
profiles=$1 sums=$2 output=$3

mkdir -p "$sums"
find "$profiles" -type f -name 'cachegrind.out.*' ! -name '*.webgrind*' -print0 |
    parallel -0 --halt now,fail=1 cg-preprocess -q -f callgrind -o "$sums/{/}.cg" {}
find "$sums" -type f -name '*.cg' -print0 |
    cg-preprocess --files-from - -f callgrind -o "$output"
