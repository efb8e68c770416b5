//! A file of an artefact.

use sha2::{Digest as _, Sha256};

/// A file, in memory. Owner and time are the same for all.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// With `/`, and below the root of the artefact.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: Mode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Data,
    Executable,
}

impl Entry {
    pub(crate) fn data(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            mode: Mode::Data,
        }
    }

    pub(crate) fn executable(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: Mode::Executable,
            ..Self::data(path, bytes)
        }
    }

    /// The same file below a folder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self {
            path: format!("{folder}/{}", self.path),
            ..self.clone()
        }
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

impl Mode {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Data => 0o644,
            Self::Executable => 0o755,
        }
    }
}

/// The SHA-256 sum, in hexadecimal digits.
pub(crate) fn sum(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
