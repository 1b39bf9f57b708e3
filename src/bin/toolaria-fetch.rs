//! `toolaria-fetch ID MODE`: the same as `toolaria fetch ID MODE`.

fn main() -> std::process::ExitCode {
    toolaria::cli::main(["toolaria-fetch".into()].into_iter().chain(std::env::args_os().skip(1)))
}
