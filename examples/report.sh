#!/usr/bin/env bash
# What is stored, largest first, one line each, from `list --json`; needs jq.
set -euo pipefail
toolaria list --json --sort size |
    jq -r '.[] | [.id, .tool, .type, (.chars | tostring), .created] | @tsv' |
    while IFS=$'\t' read -r id tool type chars created; do
        first=$(toolaria fetch "$id" range 0 1 --json | jq -r '.lines[0].text[0:40]')
        printf '%s %-10s %-8s %9s chars  %s  %s\n' "$id" "$tool" "$type" "$chars" "$created" "$first"
    done
