//! Checks whether a port is free, and which process holds it.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};

/// The time limit for connecting to a local server.
const PATIENCE: Duration = Duration::from_millis(300);

/// Reports whether a program accepts connections on a local port.
pub fn answers(port: u16) -> bool {
    let addresses = ("localhost", port).to_socket_addrs();
    addresses.is_ok_and(|mut addresses| {
        addresses.any(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok())
    })
}

/// Fails if a port is in use. The error names the process, if it can be identified.
pub fn check_free(port: u16) -> Result<(), Failure> {
    if !answers(port) {
        return Ok(());
    }
    let message = format!("port {port} is taken");
    let failure = |message| Failure::new(Exit::Failed, "port_taken", message);
    // Processes of other users can't be identified.
    Err(match holder(port) {
        Some((name, process)) => failure(format!("{message} by `{name}`, process {process}"))
            .hint(format!("end it: kill {process}")),
        None => failure(message),
    })
}

fn holder(port: u16) -> Option<(String, u32)> {
    let all = listeners::get_all().ok()?;
    let held = all
        .into_iter()
        .find(|one| one.socket.port() == port && one.state == listeners::SocketState::Listen)?;
    Some((held.process.name, held.process.pid))
}
