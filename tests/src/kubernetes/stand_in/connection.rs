//! Serves one connection: reads, carries out and answers requests, or fails as the test specifies.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

use super::World;
use super::api::{Call, Said};
use super::trouble::{Applied, Fault, Trouble};

/// The interval at which an idle connection checks whether the server has stopped.
const TICK: Duration = Duration::from_millis(5);

pub(super) fn serve(stream: &TcpStream, world: &Arc<World>) -> io::Result<()> {
    stream.set_read_timeout(Some(TICK))?;
    stream.set_nodelay(true)?;
    let mut reader = Reader {
        stream,
        world,
        buffer: Vec::new(),
        limit: usize::MAX,
    };
    loop {
        reader.fill(1)?;
        // From its first byte on a request has its own fate.
        let trouble = world.lock().script.pop_front().flatten();
        if let Some(Fault::CutRequest(bytes)) = trouble.as_ref().map(|it| &it.fault) {
            reader.limit = *bytes;
        }
        let call = reader.call();
        if call.is_err() || reader.limit < usize::MAX {
            // With what was not read thrown away, the other side sees a reset.
            let _ = set_socket_linger(stream, Some(Duration::ZERO));
            return call.map(drop);
        }
        answer(stream, world, call?, trouble)?;
    }
}

fn answer(
    mut stream: &TcpStream,
    world: &Arc<World>,
    call: Call,
    trouble: Option<Trouble>,
) -> io::Result<()> {
    let Some(Trouble { fault, applied }) = trouble else {
        return stream.write_all(&perform(world, &call).bytes());
    };
    if let Fault::Overtaken(patch) = &fault {
        world.lock().store.overtake(&call, patch);
        return stream.write_all(&perform(world, &call).bytes());
    }
    let said = match applied {
        Applied::Yes => perform(world, &call),
        Applied::No => Said::default(),
        Applied::Later(delay) => {
            let world = Arc::clone(world);
            world.lock().working += 1;
            thread::spawn(move || {
                thread::sleep(delay);
                perform(&world, &call);
                world.lock().working -= 1;
            });
            Said::default()
        }
    };
    match fault {
        Fault::CutAnswer(bytes) => {
            let whole = said.bytes();
            // Never whole: that would be no fault.
            let _ = stream.write_all(&whole[..bytes.min(whole.len() - 1)]);
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        Fault::Answer(status, body) => stream.write_all(&Said { status, body }.bytes()),
        // Until the client goes.
        Fault::Silence => loop {
            match stream.read(&mut [0; 64]) {
                Ok(0) => return Ok(()),
                Err(error) if !is_timeout(&error) || world.lock().stopped => return Err(error),
                Ok(_) | Err(_) => {}
            }
        },
        Fault::CutRequest(_) | Fault::Overtaken(_) => Ok(()),
    }
}

fn perform(world: &World, call: &Call) -> Said {
    world.lock().store.answer(call)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

struct Reader<'a> {
    stream: &'a TcpStream,
    world: &'a World,
    buffer: Vec<u8>,
    /// The maximum number of bytes to read from the request.
    limit: usize,
}

impl Reader<'_> {
    /// Reads until the buffer holds this many bytes.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        while self.buffer.len() < bytes {
            if self.buffer.len() >= self.limit {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            let mut block = [0; 16 * 1024];
            let room = block.len().min(self.limit - self.buffer.len());
            match self.stream.read(&mut block[..room]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.buffer.extend_from_slice(&block[..read]),
                Err(error) if !is_timeout(&error) || self.world.lock().stopped => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn call(&mut self) -> io::Result<Call> {
        let end = loop {
            let found = self.buffer.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(found) = found {
                break found + 4;
            }
            self.fill(self.buffer.len() + 1)?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        let header = |name: &str| {
            head.lines().skip(1).find_map(|line| {
                let (found, value) = line.split_once(':')?;
                found.eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let length = header("content-length").and_then(|length| length.parse().ok());
        let length: usize = length.unwrap_or(0);
        self.fill(end + length)?;
        let mut words = head.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = form_urlencoded::parse(query.as_bytes()).into_owned();
        let token = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let call = Call {
            method,
            path: path.to_owned(),
            query: query.collect(),
            token: token.unwrap_or_default().to_owned(),
            accept: header("accept").unwrap_or_default().to_owned(),
            body: self.buffer[end..end + length].to_vec(),
        };
        self.buffer.drain(..end + length);
        Ok(call)
    }
}

impl Said {
    /// Returns the response as HTTP/1.1 bytes.
    fn bytes(&self) -> Vec<u8> {
        let Self { status, body } = self;
        let length = body.len();
        let kind = "content-type: application/json";
        format!("HTTP/1.1 {status} Said\r\n{kind}\r\ncontent-length: {length}\r\n\r\n{body}").into()
    }
}
