//! `bot-cli-plugin`: lists, adds, upgrades, removes, checks and creates plugins.

/// Replaces the allocator of musl, which requests memory from the system piece by piece.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_plugin::main()
}
