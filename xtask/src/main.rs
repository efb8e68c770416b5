//! `cargo xtask`: builds the release artifacts.

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::main()
}
