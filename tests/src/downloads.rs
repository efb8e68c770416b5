//! A server of files over TLS on loopback, which answers with any bytes.

use std::io::{self, BufRead as _, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::service::tls::certified;

/// What the server sends to one client, head and body, and then.
#[derive(Debug, Clone)]
pub struct Answer {
    pub bytes: Vec<u8>,
    pub then: Then,
}

#[derive(Debug, Clone, Copy)]
pub enum Then {
    Close,
    /// Sends nothing more, and keeps the connection.
    Wait,
    /// Sends a byte from time to time.
    Drip,
}

/// The server. It ends with the test's process.
#[derive(Debug)]
pub struct Downloads {
    pub url: String,
    /// The certificate in PEM format.
    pub certificate: String,
}

impl Downloads {
    /// Starts a server that calls `answer` with the path of each request.
    pub fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> io::Result<Self> {
        let (config, certificate) = certified()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let url = format!("https://{}", listener.local_addr()?);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, answer) = (Arc::clone(&config), Arc::clone(&answer));
                thread::spawn(move || serve(stream, config, &*answer));
            }
        });
        Ok(Self { url, certificate })
    }
}

/// Returns a complete answer with this body.
pub fn file(body: &[u8]) -> Answer {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    Answer {
        bytes: [head.as_bytes(), body].concat(),
        then: Then::Close,
    }
}

fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    answer: &dyn Fn(&str) -> Answer,
) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let path = head.split(' ').nth(1).unwrap_or_default();
    let Answer { bytes, then } = answer(path);
    let stream = stream.get_mut();
    stream.write_all(&bytes)?;
    stream.flush()?;
    match then {
        Then::Close => {
            stream.conn.send_close_notify();
            stream.flush()
        }
        Then::Wait => loop {
            thread::park();
        },
        Then::Drip => loop {
            stream.write_all(b"x")?;
            stream.flush()?;
            thread::sleep(Duration::from_millis(200));
        },
    }
}
