//! `bot-cli`: finds and runs plugins.

/// The allocator for musl builds, because musl's own allocator requests memory from the system in small pieces.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli::main()
}
