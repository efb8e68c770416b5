//! `cargo xtask`: builds what users install.

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::main()
}
