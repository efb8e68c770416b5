//! The tests that need more than Rust, in one executable. Each module is a group in `cargo e2e`, which knows the group's requirements.
//!
//! A test fails here if a requirement is missing, and nothing is installed. `cargo e2e` says what would be installed, and skips the groups
//! that can't run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it is doing; clippy knows only functions marked as tests to be such"
)]

mod bot;
mod clients;
mod conversation;
mod cores;
mod deployed;
mod disks;
mod dist;
mod dotenv;
mod features;
mod followed;
mod framework;
mod hosting;
mod keyring;
mod kubernetes;
mod merges;
mod official;
mod offline;
mod owners;
mod packs;
mod pass;
mod plugins;
mod python;
mod running;
mod session;
mod shells;
mod steps;
mod strace;
mod telephony;
mod windows;
