//! Ports for programs that must be told theirs before they start.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below those that systems give to connections: one of those is anybody's until the program has taken it.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// Returns a port of this machine that is free, that no connection will be given, and that this process gets only once.
///
/// # Errors
///
/// If none is left.
pub fn free_port() -> io::Result<u16> {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    // Processes at once begin at places of their own.
    let start = process::id().wrapping_mul(97);
    (0..COUNT)
        .map(|_| start.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)))
        .filter_map(|place| u16::try_from(place % u32::from(COUNT)).ok())
        .map(|place| FIRST + place)
        .find(|&port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
        .ok_or_else(|| io::Error::from(io::ErrorKind::AddrInUse))
}
