//! `bot-cli-init`: starts a bot project.

/// The allocator of musl is slow where several threads work: a project takes a fifth longer with it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    bot_cli_init::main()
}
