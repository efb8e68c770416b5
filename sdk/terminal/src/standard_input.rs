//! Standard input as a file argument.
//!
//! A plugin's own standard input is its connection to the host. A plugin that opened that input by name would wait for data that is meant
//! for another reader. `Session::stdin` returns the user's piped input.

use std::path::Path;

use crate::platform::input::{STDIN_NAMES, is_pipe_at_stdin};

/// Reports whether a file argument refers to standard input: `-`, a system-specific name, or another path to the same pipe.
pub fn is_named_by(path: &Path) -> bool {
    STDIN_NAMES.iter().any(|name| path == Path::new(name)) || is_pipe_at_stdin(path)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_named_by;

    #[test]
    fn standard_input_has_several_names() {
        for name in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
            assert!(is_named_by(Path::new(name)), "{name}");
        }
        for name in ["", "./-", "stdin", "/dev/fd/999", "/dev/null", "."] {
            assert!(!is_named_by(Path::new(name)), "{name}");
        }
    }
}
