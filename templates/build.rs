//! Tells cargo which folders are embedded: it sees a changed file by itself, a new one only this way.

fn main() {
    for folder in ["providers", "transports", "project", "guides"] {
        cargo_directive(&format!("rerun-if-changed={folder}"));
    }
}

#[allow(
    clippy::print_stdout,
    reason = "a build script speaks to cargo over stdout"
)]
fn cargo_directive(directive: &str) {
    println!("cargo::{directive}");
}
