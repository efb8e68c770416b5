//! `bot-cli-plugin`: lists, adds, upgrades, removes, checks and creates plugins.

/// The allocator of musl asks the system for memory piece by piece.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_plugin::main()
}
