//! The `bot-cli-init` plugin, which creates bot projects.

/// Replaces musl's allocator, which is slow with multiple threads and makes creating a project take a fifth longer.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_init::main()
}
