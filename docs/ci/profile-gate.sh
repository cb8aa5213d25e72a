#!/bin/sh
# Keeps the profile of a good state as a base, and fails when a later one costs too much.
#
#     profile-gate.sh keep PROFILE...       on the main branch
#     profile-gate.sh check PROFILE...      on every other
#
# BASE: where the base is kept. MAX_GROWTH: how many percent more the total may be.
# REPORT: where check writes its report, in Markdown. PAGE: where it writes a page with the profile,
# and with what changed.
# ALLOW_NO_BASE=1: pass as long as there is no base, as in the change that introduces the gate.
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
    [ ! -e "$base" ] || set -- --base "$base" "$@"
    if [ -n "${PAGE:-}" ]; then
        cg-preprocess -q -f html -o "$PAGE" "$@"
    fi
    if [ ! -e "$base" ]; then
        echo "there is no base yet at $base: run \"profile-gate.sh keep\" on the main branch" >&2
        [ "${ALLOW_NO_BASE:-0}" = 1 ]
        exit
    fi
    report=${REPORT:-$(mktemp)}
    [ -n "${REPORT:-}" ] || trap 'rm -f "$report"' EXIT
    status=0
    cg-preprocess --strict -f markdown --top 20 -o "$report" \
        --max-growth "$max_growth" "$@" || status=$?
    cat "$report"
    # GitHub shows this file on the page of the run.
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        cat "$report" >>"$GITHUB_STEP_SUMMARY"
    fi
    exit "$status"
    ;;
*)
    echo "profile-gate.sh: expected keep or check, not $what" >&2
    exit 2
    ;;
esac
