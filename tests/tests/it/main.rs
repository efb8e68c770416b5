//! Every integration test, in one executable: one module a feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it is doing; clippy knows only functions marked as tests to be such"
)]

mod architecture;
mod client;
mod cloud;
mod conversation;
mod framework;
mod host;
mod init;
mod protocol;
mod readme;
mod scaffold;
#[cfg(test)]
mod telephony;
mod wizard;
