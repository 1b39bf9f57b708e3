#!/bin/sh
# A listing of any size: small ones as they are, large ones as a preview, a map and the largest folders.
# usage: find.sh [FOLDER]
set -eu
out=$(find "${1:-.}" 2>/dev/null | toolaria --tool find)
printf '%s\n' "$out"
id=$(printf '%s\n' "$out" | sed -n '1s/.*blob=\([0-9a-f]*\).*/\1/p')
if [ -n "$id" ]; then
    toolaria fetch "$id" outline | head -n 12
    toolaria cat "$id" | sed 's,/[^/]*$,,' | sort | uniq -c | sort -rn | head -n 3
fi
