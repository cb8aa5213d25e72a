#!/bin/sh
# Keeps the profile of a good state as a base, and fails when a later one costs too much.
#
#     profile-gate.sh keep PROFILE...       on the main branch
#     profile-gate.sh check PROFILE...      on every other
#
# BASE: where the base is kept. MAX_GROWTH: how many percent more the total may be.
set -eu

base=${BASE:-profile-base/base.cg}
max_growth=${MAX_GROWTH:-2}

if [ $# -lt 2 ]; then
    echo "usage: profile-gate.sh keep|check PROFILE..." >&2
    exit 2
fi
what=$1
shift

case $what in
keep)
    mkdir -p "$(dirname "$base")"
    trap 'rm -f "$base.new"' EXIT
    cg-preprocess --strict -f callgrind -o "$base.new" "$@"
    mv "$base.new" "$base"
    ;;
check)
    table=$(mktemp)
    trap 'rm -f "$table"' EXIT
    status=0
    cg-preprocess --strict -f text --top 20 -o "$table" \
        --base "$base" --max-growth "$max_growth" "$@" || status=$?
    cat "$table"
    # GitHub shows this file on the page of the run.
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        { echo '```'; cat "$table"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
    fi
    exit "$status"
    ;;
*)
    echo "profile-gate.sh: expected keep or check, not $what" >&2
    exit 2
    ;;
esac
