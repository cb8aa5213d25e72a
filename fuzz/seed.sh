#!/bin/sh
# Fills fuzz/corpus with seeds made from the fixtures: whole where they are small, their first
# 16 KiB where not. What is there already stays.
set -eu
cd "$(dirname "$0")"

targets="callgrind_strict callgrind_lenient convert splits preprocessed"
for target in $targets; do
    mkdir -p "corpus/$target"
done

# Choices: v4 to v7; traces with outermost costs and proxies; lenient with a derived event; other
# policies and events; JSON; text.
choices='\000\000 \001\000 \202\000 \003\000 \340\010 \343\010 \103\003 \014\001 \010\002 \000\340 \003\360'

find ../fixtures -type f \( -name '*.cg' -o -name '*.out' \) | while read -r file; do
    name=$(echo "${file#../fixtures/}" | tr / -)
    for target in callgrind_strict callgrind_lenient; do
        head -c 16384 "$file" > "corpus/$target/$name"
    done
    number=0
    for choice in $choices; do
        number=$((number + 1))
        { printf '%b' "$choice"; head -c 16384 "$file"; } > "corpus/convert/$number-$name"
        { printf '%b\005' "$choice"; head -c 16384 "$file"; } > "corpus/splits/$number-$name"
    done
done

find ../fixtures -type f -name '*.pre' -size -64k | while read -r file; do
    name=$(echo "${file#../fixtures/}" | tr / -)
    cp "$file" "corpus/preprocessed/$name"
done
