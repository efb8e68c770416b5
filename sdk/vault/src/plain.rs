//! A decrypted document, and the reasons why there is none.

use std::fmt;

use crate::files::Reason;

/// A decrypted document, which is wiped when it is dropped.
#[derive(Default)]
pub struct Plain(pub Vec<u8>);

impl Drop for Plain {
    fn drop(&mut self) {
        // `Zeroize` writes byte by byte, which takes as long as decrypting.
        self.0.fill(0);
        zeroize::optimization_barrier(&self.0[..]);
    }
}

impl fmt::Debug for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Plain(…)")
    }
}

/// The reason why an encrypted document can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The file could not be read.
    Unread(Reason),
    /// The document is encrypted with another key or passphrase.
    OtherKey,
    /// A later version of this program wrote the document.
    Later,
    /// The document is damaged or was not written by this program.
    Damaged(String),
    /// One set was not written by this program. The others can be used.
    Set(String),
}
