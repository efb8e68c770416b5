//! Signals on Unix.

use std::mem::MaybeUninit;
use std::ptr;

/// Reports whether this process ignores a signal. Returns `false` for a number that is not a signal.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action, the call only writes the current one, and there is room for it.
    let asked = unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) };
    if asked != 0 {
        return false;
    }
    // SAFETY: the call was successful and has written the whole structure.
    let action = unsafe { action.assume_init() };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::is_ignored;

    /// Returns the mask of ignored signals that Linux reports for this process.
    fn told() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))
            .unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap()
    }

    #[test]
    fn says_what_the_system_says() {
        // The Rust standard library makes every program ignore this signal.
        assert!(is_ignored(libc::SIGPIPE));
        let told = told();
        for signal in 1..=31 {
            assert_eq!(
                is_ignored(signal),
                told & (1 << (signal - 1)) != 0,
                "{signal}"
            );
        }
        assert!(!is_ignored(0));
        assert!(!is_ignored(1000));
    }
}
