//! `cargo xtask`: builds the release artefacts.

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::main()
}
