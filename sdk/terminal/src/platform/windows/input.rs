//! Standard input on Windows. A console is read event by event. A file or pipe is read by a thread.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_system::console::{self, Stream};
use bot_cli_system::console::{InputMode, Typing};
use zeroize::Zeroize;

use crate::background::spawn;

/// The file names that refer to standard input.
pub const STDIN_NAMES: &[&str] = &["-", "CON", "CONIN$"];

/// Always returns `false`, because an anonymous pipe has no path.
pub fn is_pipe_at_stdin(_: &Path) -> bool {
    false
}

/// The maximum number of bytes per read.
const PIECE: usize = 64 * 1024;

/// Input that has been received from the system but not yet read.
#[derive(Default)]
struct Taken {
    bytes: VecDeque<u8>,
    /// The first half of a surrogate pair.
    half: Vec<u16>,
    ended: bool,
}

/// Reports whether standard input is a console. Other terminals, such as the one in Git for Windows, use pipes instead, and don't support
/// prompts.
pub fn is_terminal() -> bool {
    console::is_console(Stream::Input)
}

/// Waits at most `patience` for input or its end. Returns `false` if neither arrives.
pub fn wait(patience: Duration) -> io::Result<bool> {
    let mut taken = taken();
    if !taken.bytes.is_empty() || taken.ended {
        return Ok(true);
    }
    if !is_terminal() {
        return wait_for_piece(patience, &mut taken);
    }
    let deadline = Instant::now() + patience;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if !console::wait(left)? {
            return Ok(false);
        }
        if console::gives_lines()? {
            // From here, only Enter or Ctrl-C ends the wait.
            return take_line(&mut taken).map(|()| true);
        }
        take_keys(&mut taken)?;
        if !taken.bytes.is_empty() {
            return Ok(true);
        }
    }
}

/// Reads the available input. Returns 0 at the end of the input.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    while !wait(Duration::from_secs(1))? {}
    let mut taken = taken();
    let length = bytes.len().min(taken.bytes.len());
    for (byte, found) in bytes.iter_mut().zip(taken.bytes.drain(..length)) {
        *byte = found;
    }
    if taken.bytes.is_empty() {
        // The bytes may have been a password.
        taken.bytes.make_contiguous().zeroize();
    }
    Ok(length)
}

/// Always returns `false`, because closing a console terminates its processes.
pub const fn has_hung_up() -> io::Result<bool> {
    Ok(false)
}

/// Always returns `false`, because only Unix reports a lost terminal as an error.
pub const fn is_lost(_: &io::Error) -> bool {
    false
}

fn taken() -> MutexGuard<'static, Taken> {
    static TAKEN: OnceLock<Mutex<Taken>> = OnceLock::new();
    let taken = TAKEN.get_or_init(Mutex::default);
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits at most `patience` for a chunk of piped input. The first call starts the thread that reads the chunks. An empty chunk marks the
/// end of the input.
fn wait_for_piece(patience: Duration, taken: &mut Taken) -> io::Result<bool> {
    static PIECES: OnceLock<Mutex<Receiver<io::Result<Vec<u8>>>>> = OnceLock::new();
    let pieces = PIECES.get_or_init(|| {
        let (sender, pieces) = mpsc::sync_channel(1);
        let reading = spawn(move || {
            loop {
                let mut piece = vec![0; PIECE];
                let read = io::stdin().read(&mut piece).map(|length| {
                    piece.truncate(length);
                    piece
                });
                let is_last = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || is_last {
                    return;
                }
            }
        });
        // Without a thread, the channel is disconnected, which is an error below.
        drop(reading);
        Mutex::new(pieces)
    });
    let pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
    match pieces.recv_timeout(patience) {
        Ok(piece) => {
            let piece = piece?;
            taken.ended = piece.is_empty();
            taken.bytes.extend(piece);
            Ok(true)
        }
        Err(RecvTimeoutError::Timeout) => Ok(false),
        Err(RecvTimeoutError::Disconnected) => {
            thread::sleep(patience);
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
}

fn take_line(taken: &mut Taken) -> io::Result<()> {
    let mut line = vec![0; PIECE];
    let length = io::stdin().read(&mut line)?;
    let text = line[..length].iter().filter(|byte| **byte != b'\r');
    taken.bytes.extend(text);
    // Ctrl-Z and Enter end the input, not the console.
    taken.ended = length == 0;
    line.zeroize();
    Ok(())
}

fn take_keys(taken: &mut Taken) -> io::Result<()> {
    let mut units = std::mem::take(&mut taken.half);
    console::take_keys(&mut units)?;
    let is_high = |unit: &u16| (0xd800..0xdc00).contains(unit);
    if units.last().is_some_and(is_high) {
        taken.half.extend(units.pop());
    }
    let mut text = String::from_utf16_lossy(&units);
    taken.bytes.extend(text.as_bytes());
    text.zeroize();
    units.zeroize();
    Ok(())
}

/// A temporary input mode of the console. Dropping this value restores the previous mode.
pub struct Modes(#[expect(dead_code, reason = "its end is its purpose")] InputMode);

impl Modes {
    /// Makes the console deliver every key unchanged, without echo.
    pub fn keys() -> io::Result<Self> {
        InputMode::begin(Typing::Keys).map(Self)
    }

    /// Makes the console deliver whole lines, without echo.
    pub fn hidden_lines() -> io::Result<Self> {
        InputMode::begin(Typing::HiddenLines).map(Self)
    }
}
