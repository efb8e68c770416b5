//! `bot-cli`: finds plugins and runs them.

/// The allocator of musl asks the system for memory piece by piece.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli::main()
}
