#!/bin/sh
# Saves the profile of a good state as a base, and fails if a later one exceeds a limit.
#
#     profile-limits.sh keep PROFILE... [--each-part]   on the main branch
#     profile-limits.sh check PROFILE... [OPTION...]    on every branch
#
# Any options of cg-preprocess, such as --max-calls 'PDO->query=10'. With --each-part, limits on the total cost apply to
# each profile, or to each named part of one; limits on calls or names still apply to all profiles together.
#
# BASE: the directory of the base (default: profile-base).
# MAX_GROWTH: the largest growth of the total in percent (default: 2; empty: no limit); on further lines, NAME=PERCENT for
# functions.
# REPORT: also writes the Markdown to this file. HTML: writes the HTML report to this file.
# ALLOW_NO_BASE=1: passes without a base. The Markdown says that nothing was compared.
set -eu

base=${BASE:-profile-base}
max_growth=${MAX_GROWTH-2}

if [ $# -lt 2 ]; then
    echo "usage: profile-limits.sh keep|check PROFILE..." >&2
    exit 2
fi
what=$1
shift

case $what in
keep)
    each_part=
    for argument; do
        shift
        case $argument in
        --each-part) each_part=1 ;;
        *) set -- "$@" "$argument" ;;
        esac
    done
    trap 'rm -rf "$base.new"' EXIT
    rm -rf "$base.new"
    mkdir -p "$base.new"
    cg-preprocess --strict -f callgrind -o "$base.new/base.cg" "$@"
    if [ -n "$each_part" ]; then
        # The merged profile has no parts.
        rm "$base.new/base.cg"
        for file; do
            # The others are options and their values.
            case $file in -*) continue ;; esac
            [ -e "$file" ] || continue
            copy=$base.new/$(basename "$file")
            if [ -e "$copy" ]; then
                echo "profile-limits.sh: several profiles are called ${copy##*/}: keep them in bases of their own (BASE)" >&2
                exit 2
            fi
            cp -R "$file" "$copy"
        done
    fi
    rm -rf "$base"
    mv "$base.new" "$base"
    ;;
check)
    report=${REPORT:-$(mktemp)}
    table=$(mktemp)
    messages=$(mktemp)
    trap 'rm -f "$table" "$messages"; [ -n "${REPORT:-}" ] || rm -f "$report"' EXIT
    note=
    if [ -d "$base" ]; then
        for file in "$base"/*; do
            set -- --base "$file" "$@"
        done
        given=$#
        while IFS= read -r limit; do
            [ -z "$limit" ] || set -- "--max-growth=$limit" "$@"
        done <<LIMITS
$max_growth
LIMITS
        if [ -n "$max_growth" ] && [ $# -eq "$given" ]; then
            echo "profile-limits.sh: MAX_GROWTH contains no limit" >&2
            exit 2
        fi
    else
        note="there is no base at $base: run \"profile-limits.sh keep\" on the main branch"
        echo "$note" >&2
    fi
    # Without a limit on costs, --each-part is wrong usage.
    limits_costs=
    for argument; do
        case $argument in --max-growth* | --max-cost*) limits_costs=1 ;; esac
    done
    for argument; do
        shift
        [ "$argument" = --each-part ] && [ -z "$limits_costs" ] || set -- "$@" "$argument"
    done
    status=0
    if [ -n "${HTML:-}" ]; then
        # Failed limits are reported below.
        cg-preprocess -q -f html -o "$HTML" "$@" 2>"$messages" || status=$?
        [ "$status" != 3 ] || status=0
        [ "$status" = 0 ] || cat "$messages" >&2
    fi
    if [ "$status" = 0 ]; then
        cg-preprocess --strict -f markdown --top 20 -o "$table" "$@" 2>"$messages" || status=$?
        cat "$messages" >&2
    fi
    {
        [ -z "$note" ] || printf '**Nothing was compared**: %s.\n\n' "$note"
        case $status in
        0 | 3) cat "$table" ;;
        *)
            printf '**The profile was not checked**:\n\n'
            { grep '^error:' "$messages" || tail -n 5 "$messages"; } | sed 's/^/    /'
            ;;
        esac
    } >"$report"
    cat "$report"
    # GitHub shows this file in the summary of the run.
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
        cat "$report" >>"$GITHUB_STEP_SUMMARY"
    fi
    if [ "$status" = 0 ] && [ -n "$note" ] && [ "${ALLOW_NO_BASE:-0}" != 1 ]; then
        status=1
    fi
    exit "$status"
    ;;
*)
    echo "profile-limits.sh: expected keep or check, not $what" >&2
    exit 2
    ;;
esac
