//! Standard input on Windows: a console, whose events are taken one by one, or a file or a pipe, which a thread reads.

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

/// The names of standard input as a file.
pub const STDIN_NAMES: &[&str] = &["-", "CON", "CONIN$"];

/// Whether a path is another name of the pipe that is standard input. Pipes without a name have no path at all.
pub fn is_pipe_at_stdin(_: &Path) -> bool {
    false
}

/// The amount of piped input that is read at once.
const PIECE: usize = 64 * 1024;

/// What has been taken from standard input and not yet read.
#[derive(Default)]
struct Taken {
    bytes: VecDeque<u8>,
    /// Half of a character.
    half: Vec<u16>,
    ended: bool,
}

/// Whether a person can type there. The pipes of other terminals, such as that of Git for Windows, are no console: nobody is asked
/// there.
pub fn is_terminal() -> bool {
    console::is_console(Stream::Input)
}

/// Waits until there is something to read, or the input has ended; `false` if neither came within that time.
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
            // The rest of the wait is the user's, who ends it with Enter or Ctrl-C.
            return take_line(&mut taken).map(|()| true);
        }
        take_keys(&mut taken)?;
        if !taken.bytes.is_empty() {
            return Ok(true);
        }
    }
}

/// Reads what there is, 0 bytes at the end.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    while !wait(Duration::from_secs(1))? {}
    let mut taken = taken();
    let length = bytes.len().min(taken.bytes.len());
    for (byte, found) in bytes.iter_mut().zip(taken.bytes.drain(..length)) {
        *byte = found;
    }
    if taken.bytes.is_empty() {
        // They may have been a password.
        taken.bytes.make_contiguous().zeroize();
    }
    Ok(length)
}

/// Whether the input was a terminal that has gone. The end of a console ends its processes.
pub const fn has_hung_up() -> io::Result<bool> {
    Ok(false)
}

/// Whether an error says that the input is a terminal that is not this process's any more.
pub const fn is_lost(_: &io::Error) -> bool {
    false
}

fn taken() -> MutexGuard<'static, Taken> {
    static TAKEN: OnceLock<Mutex<Taken>> = OnceLock::new();
    let taken = TAKEN.get_or_init(Mutex::default);
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pieces of piped input, which a thread reads from the first wait on. An empty one is the end.
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
        // Without a thread nothing is ever sent, which shows as an error below.
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
    // Ctrl-Z and Enter: the end of what is typed, not of the console.
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

/// Another way in which the console gives what is typed. It has its old one again when this value is dropped.
pub struct Modes(#[expect(dead_code, reason = "its end is its purpose")] InputMode);

impl Modes {
    /// The console gives every key as it is, and shows none.
    pub fn keys() -> io::Result<Self> {
        InputMode::begin(Typing::Keys).map(Self)
    }

    /// The console gives lines, and shows nothing of them.
    pub fn hidden_lines() -> io::Result<Self> {
        InputMode::begin(Typing::HiddenLines).map(Self)
    }
}
