//! `bot-cli-init`: creates a bot project.

/// musl's allocator is slow with several threads: with it, creating a project takes a fifth longer.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_init::main()
}
