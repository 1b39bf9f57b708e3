//! `toolaria`: keeps oversized tool results out of an AI agent's context.

fn main() -> std::process::ExitCode {
    toolaria::cli::main(std::env::args_os())
}
