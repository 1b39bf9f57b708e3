#!/bin/sh
# A shell tool for an agent: runs one command line and prints what the agent should see of it.
# usage: agent-shell.sh 'COMMAND LINE' [SECONDS]
# The exit status is the command's; 124 when it took longer than SECONDS (default 120).
set -u
command=${1:?a command line is needed}
exec toolaria run --tool bash --timeout "${2:-120}s" -- sh -c "$command"
