#!/bin/sh
# Fills fuzz/corpus with seeds made from the fixtures: whole where they are small, their first
# 16 KiB where not. What is there already stays.
set -eu
cd "$(dirname "$0")"

targets="callgrind_strict callgrind_lenient convert reference splits preprocessed compressed"
for target in $targets; do
    mkdir -p "corpus/$target"
done

# Choices: v4 to v7; traces with outermost costs and proxies; lenient with a derived event; other
# policies and events; JSON; text; stacks; a tree.
choices='\000\000 \001\000 \202\000 \003\000 \340\010 \343\010 \103\003 \014\001 \010\002 \000\340 \003\360 \000\300 \003\320'

find ../fixtures -type f \( -name '*.cg' -o -name '*.out' \) | while read -r file; do
    name=$(echo "${file#../fixtures/}" | tr / -)
    for target in callgrind_strict callgrind_lenient; do
        head -c 16384 "$file" > "corpus/$target/$name"
    done
    { printf '\000\200'; head -c 4096 "$file"; } > "corpus/compressed/$name"
    number=0
    for choice in $choices; do
        number=$((number + 1))
        { printf '%b' "$choice"; head -c 16384 "$file"; } > "corpus/convert/$number-$name"
        cp "corpus/convert/$number-$name" "corpus/reference/$number-$name"
        { printf '%b\005' "$choice"; head -c 16384 "$file"; } > "corpus/splits/$number-$name"
    done
done

find ../fixtures -type f -name '*.pre' -size -64k | while read -r file; do
    name=$(echo "${file#../fixtures/}" | tr / -)
    cp "$file" "corpus/preprocessed/$name"
done
