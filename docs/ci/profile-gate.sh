#!/bin/sh
# Keeps the profile of a good state as a base, and fails when a later one costs too much.
#
#     profile-gate.sh keep PROFILE...                 on the main branch
#     profile-gate.sh check PROFILE... [OPTION...]    on every other
#
# Options are those of cg-preprocess, such as --max-calls 'PDO->query=10', as many as you like.
#
# BASE: where the base is kept. MAX_GROWTH: how many percent more the total may be, and on lines of
# their own NAME=PERCENT for functions.
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
    if [ -e "$base" ]; then
        set -- --base "$base" "$@"
        while IFS= read -r limit; do
            [ -z "$limit" ] || set -- "--max-growth=$limit" "$@"
        done <<LIMITS
$max_growth
LIMITS
    else
        echo "there is no base yet at $base: run \"profile-gate.sh keep\" on the main branch" >&2
    fi
    if [ -n "${PAGE:-}" ]; then
        # Limits that are not kept are told below.
        said=$(cg-preprocess -q -f html -o "$PAGE" "$@" 2>&1) || [ $? = 3 ] || {
            echo "$said" >&2
            exit 1
        }
    fi
    [ -e "$base" ] || [ "${ALLOW_NO_BASE:-0}" = 1 ]
    report=${REPORT:-$(mktemp)}
    [ -n "${REPORT:-}" ] || trap 'rm -f "$report"' EXIT
    status=0
    cg-preprocess --strict -f markdown --top 20 -o "$report" "$@" || status=$?
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
