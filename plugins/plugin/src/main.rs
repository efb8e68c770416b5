//! `bot-cli-plugin`: lists, adds, upgrades, removes, checks and creates plugins.

/// Replaces musl's allocator, which requests memory from the system in small pieces.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_plugin::main()
}
