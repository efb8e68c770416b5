//! One connection: requests are read, carried out and answered byte by byte, or go wrong as a test asked.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use serde_json::Value;

use super::api::{Call, Said};
use super::trouble::{Applied, Fault, Trouble};
use super::{OTHERS_DELETED, World};

/// The interval at which an idle connection looks whether it is still wanted.
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
        if let Some(Trouble {
            fault: Fault::CutRequest(bytes),
            ..
        }) = &trouble
        {
            reader.limit = *bytes;
        }
        let call = match reader.call() {
            Ok(call) => call,
            Err(error) => {
                // With what was not read thrown away, the other side sees a reset.
                let _ = set_socket_linger(stream, Some(Duration::ZERO));
                return Err(error);
            }
        };
        if let Some(Trouble {
            fault: Fault::CutRequest(_),
            ..
        }) = &trouble
        {
            // It was shorter than the cut, and is not heard all the same.
            let _ = set_socket_linger(stream, Some(Duration::ZERO));
            return Ok(());
        }
        let line = format!("{} {}", call.method, call.path);
        world.lock().sent.push(line);
        answer(stream, world, call, trouble)?;
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
    let said = match (&fault, applied) {
        (Fault::Overtaken(patch), _) => {
            let mut state = world.lock();
            if state.store.overtake(&call, patch) {
                state.sent.push(OTHERS_DELETED.to_owned());
            }
            drop(state);
            Some(perform(world, &call))
        }
        (Fault::Late(late), _) => {
            world.lock().working += 1;
            thread::sleep(*late);
            let said = perform(world, &call);
            world.lock().working -= 1;
            Some(said)
        }
        (_, Applied::Yes) => Some(perform(world, &call)),
        (_, Applied::No) => None,
        (_, Applied::Later(delay)) => {
            let world = Arc::clone(world);
            world.lock().working += 1;
            thread::spawn(move || {
                thread::sleep(delay);
                perform(&world, &call);
                world.lock().working -= 1;
            });
            None
        }
    };
    match fault {
        Fault::Overtaken(_) | Fault::Late(_) => stream.write_all(&said.unwrap_or_default().bytes()),
        Fault::CutAnswer(bytes) => {
            let whole = said.unwrap_or_default().bytes();
            // Never whole: that would be no fault.
            let _ = stream.write_all(&whole[..bytes.min(whole.len() - 1)]);
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        Fault::Answer {
            status,
            retry_after,
            body,
        } => {
            let said = Said {
                status,
                retry_after,
                body,
            };
            stream.write_all(&said.bytes())
        }
        Fault::Silence => loop {
            // Until the client goes.
            match stream.read(&mut [0; 64]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
            if world.lock().stopped {
                return Ok(());
            }
        },
        Fault::CutRequest(_) => Ok(()),
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
    /// The number of bytes of a request that are read at most.
    limit: usize,
}

impl Reader<'_> {
    /// Reads until so many bytes are there.
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
                Err(error) if is_timeout(&error) => {
                    if self.world.lock().stopped {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads a request.
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
        let length: usize = header("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        self.fill(end + length)?;
        let mut words = head.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = form_urlencoded::parse(query.as_bytes()).into_owned();
        let call = Call {
            method,
            path: path.to_owned(),
            query: query.collect(),
            token: header("authorization")
                .and_then(|value| value.strip_prefix("Bearer "))
                .unwrap_or_default()
                .to_owned(),
            accept: header("accept").unwrap_or_default().to_owned(),
            body: self.buffer[end..end + length].to_vec(),
        };
        self.buffer.drain(..end + length);
        Ok(call)
    }
}

impl Said {
    /// The answer as it is written.
    fn bytes(&self) -> Vec<u8> {
        use std::fmt::Write as _;
        let mut head = format!("HTTP/1.1 {} Said\r\n", self.status);
        let kind = if serde_json::from_str::<Value>(&self.body).is_ok() {
            "application/json"
        } else {
            "text/plain"
        };
        let _ = write!(
            head,
            "content-type: {kind}\r\ncontent-length: {}\r\n",
            self.body.len()
        );
        if let Some(seconds) = self.retry_after {
            let _ = write!(head, "retry-after: {seconds}\r\n");
        }
        [head.as_bytes(), b"\r\n", self.body.as_bytes()].concat()
    }
}
