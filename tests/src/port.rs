//! Finds free ports for programs that need a port number before they start.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The lowest port. The range is below the one that systems assign to connections, so no connection can take a port before the program
/// does.
const FIRST: u16 = 20_000;
const COUNT: u16 = 10_000;

/// Returns a free local port that the system does not assign to connections. Each call returns a different port.
///
/// # Errors
///
/// Returns an error if no port is free.
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
