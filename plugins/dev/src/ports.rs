//! The ports on which things answer.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use bot_cli_protocol::failure::{Exit, Failure};

/// The time in which a server of this machine accepts a connection.
const PATIENCE: Duration = Duration::from_millis(300);

/// Whether something listens there.
pub fn answers(port: u16) -> bool {
    let addresses = ("localhost", port).to_socket_addrs();
    addresses.is_ok_and(|mut addresses| {
        addresses.any(|address| TcpStream::connect_timeout(&address, PATIENCE).is_ok())
    })
}

/// Fails with the name of whoever listens there.
pub fn check_free(port: u16) -> Result<(), Failure> {
    if !answers(port) {
        return Ok(());
    }
    let message = format!("port {port} is taken");
    let failure = |message| Failure::new(Exit::Failed, "port_taken", message);
    // Of other users' processes, only the port is known.
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
