# For an interactive shell or a script: `source rescued.bash`, then `rescued make -j4`.
# The command's standard output and error are one text, in the order written; its exit status is kept.
rescued() {
    toolaria run --tool "$(basename "$1")" -- "$@"
}
