//! Console events and keys.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Console::{
    CONSOLE_MODE, CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, ENABLE_ECHO_INPUT,
    ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT, ENABLE_PROCESSED_OUTPUT,
    ENABLE_VIRTUAL_TERMINAL_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GenerateConsoleCtrlEvent,
    GetConsoleMode, GetNumberOfConsoleInputEvents, GetStdHandle, INPUT_RECORD, KEY_EVENT,
    ReadConsoleInputW, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
    SetConsoleCtrlHandler, SetConsoleMode,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;
use windows_sys::core::BOOL;

use crate::done;

/// An event that the console sends to all of its processes, or to one process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Break, or the event that [`send_break`] sends.
    Break,
    /// The window is being closed, the user is logging out, or the system is shutting down. The system terminates the process when the
    /// listener returns, or after a few seconds.
    End,
}

type Listener = Box<dyn Fn(Event) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// Registers `heard` as the listener for console events, which then no longer terminate the process. The listener runs on its own thread.
/// Returns `false` and changes nothing if a listener is already registered.
pub fn listen(heard: impl Fn(Event) + Send + Sync + 'static) -> io::Result<bool> {
    if LISTENER.set(Box::new(heard)).is_err() {
        return Ok(false);
    }
    // SAFETY: the handler is a static function, has the expected signature and does not unwind.
    done(unsafe { SetConsoleCtrlHandler(Some(handle), 1) })?;
    Ok(true)
}

/// Passes a console event to the listener, if one is registered.
///
/// # Safety
/// A panic in the listener aborts the process, because this function can't unwind.
unsafe extern "system" fn handle(event: u32) -> BOOL {
    let event = match event {
        CTRL_C_EVENT => Event::Interrupt,
        CTRL_BREAK_EVENT => Event::Break,
        // Close, log-off and shutdown.
        CTRL_CLOSE_EVENT.. => Event::End,
    };
    match LISTENER.get() {
        Some(heard) => {
            heard(event);
            1
        }
        None => 0,
    }
}

/// Sends Ctrl-Break to the processes in `group` that share this process's console. A group's id is the process id of its first process.
pub fn send_break(group: u32) -> io::Result<()> {
    // SAFETY: the arguments are two numbers.
    done(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    const fn number(self) -> STD_HANDLE {
        match self {
            Self::Input => STD_INPUT_HANDLE,
            Self::Output => STD_OUTPUT_HANDLE,
            Self::Error => STD_ERROR_HANDLE,
        }
    }
}

/// Reports whether the stream is a console. Other terminals, such as the one in Git for Windows, use pipes instead.
#[must_use]
pub fn is_console(stream: Stream) -> bool {
    mode(stream).is_ok()
}

/// Enables escape sequences in the stream's console.
pub fn show_sequences(stream: Stream) -> io::Result<()> {
    let more = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    set_mode(stream, mode(stream)? | more)
}

/// The form in which the console delivers typed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// Single keys, without echo. Keys that don't produce a character arrive as escape sequences, as on other terminals.
    Keys,
    /// Whole lines, without echo.
    HiddenLines,
}

/// The previous mode of standard input, which is restored when this value is dropped.
#[derive(Debug)]
pub struct InputMode(CONSOLE_MODE);

impl InputMode {
    /// Changes the mode of the console at standard input.
    pub fn begin(typing: Typing) -> io::Result<Self> {
        let before = mode(Stream::Input)?;
        let now = match typing {
            Typing::Keys => {
                before & !(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT)
                    | ENABLE_VIRTUAL_TERMINAL_INPUT
            }
            Typing::HiddenLines => before & !ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT,
        };
        set_mode(Stream::Input, now)?;
        Ok(Self(before))
    }
}

impl Drop for InputMode {
    fn drop(&mut self) {
        // There is nothing to restore if the console is gone.
        let _ = set_mode(Stream::Input, self.0);
    }
}

/// Reports whether the console at standard input delivers whole lines.
pub fn gives_lines() -> io::Result<bool> {
    Ok(mode(Stream::Input)? & ENABLE_LINE_INPUT != 0)
}

/// Waits at most `patience` for any event from the console at standard input, not only keys. Returns `false` if no event arrives.
pub fn wait(patience: Duration) -> io::Result<bool> {
    let limit = u32::try_from(patience.as_millis()).unwrap_or(u32::MAX - 1);
    let input = handle_of(Stream::Input)?;
    // SAFETY: the handle belongs to the process, and the call fails if the handle is unusable.
    match unsafe { WaitForSingleObject(input, limit) } {
        WAIT_OBJECT_0 => Ok(true),
        WAIT_TIMEOUT => Ok(false),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Reads the pending console events of standard input without blocking, and appends the typed UTF-16 code units to `typed`.
pub fn take_keys(typed: &mut Vec<u16>) -> io::Result<()> {
    let input = handle_of(Stream::Input)?;
    let mut left = 0;
    // SAFETY: the handle belongs to the process, and the number is written to a variable.
    done(unsafe { GetNumberOfConsoleInputEvents(input, &raw mut left) })?;
    for _ in 0..left {
        let mut record = INPUT_RECORD::default();
        let mut count = 0;
        // SAFETY: the buffer has room for the one requested record.
        done(unsafe { ReadConsoleInputW(input, &raw mut record, 1, &raw mut count) })?;
        if count == 1 && u32::from(record.EventType) == KEY_EVENT {
            // SAFETY: the event type identifies this union field as the one that was written.
            let key = unsafe { record.Event.KeyEvent };
            // SAFETY: both fields of this union are numbers, and the `W` call writes this one.
            let unit = unsafe { key.uChar.UnicodeChar };
            if key.bKeyDown != 0 && unit != 0 {
                typed.extend((0..key.wRepeatCount.max(1)).map(|_| unit));
            }
        }
    }
    Ok(())
}

fn mode(stream: Stream) -> io::Result<CONSOLE_MODE> {
    let mut mode = 0;
    let handle = handle_of(stream)?;
    // SAFETY: the handle belongs to the process, and the call fails if it is not a console.
    done(unsafe { GetConsoleMode(handle, &raw mut mode) })?;
    Ok(mode)
}

fn set_mode(stream: Stream, mode: CONSOLE_MODE) -> io::Result<()> {
    let handle = handle_of(stream)?;
    // SAFETY: as above.
    done(unsafe { SetConsoleMode(handle, mode) })
}

fn handle_of(stream: Stream) -> io::Result<HANDLE> {
    // SAFETY: the argument is a number.
    let handle = unsafe { GetStdHandle(stream.number()) };
    if handle == INVALID_HANDLE_VALUE {
        Err(io::Error::last_os_error())
    } else if handle.is_null() {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(handle)
    }
}
