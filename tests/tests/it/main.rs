//! Tests that need no software beyond the Rust toolchain and its requirements, in one executable with one module per feature. The others
//! are in `tests/e2e`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it is doing; clippy knows only functions marked as tests to be such"
)]

use std::fs;
use std::path::Path;

mod architecture;
mod cloud;
mod dev;
mod documents;
mod host;
mod init;
mod kubernetes;
mod mistakes;
mod newcomer;
mod protocol;
mod readme;
mod scaffold;
mod wizard;

/// Compares `actual` with a file next to the tests. If `UPDATE=1` is set in the environment, writes the file first.
fn assert_snapshot(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it")
        .join(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        actual,
        expected,
        "{} differs; UPDATE=1 rewrites it",
        path.display()
    );
}
