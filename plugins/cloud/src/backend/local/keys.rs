//! The key of a vault, and what is derived from it.

use std::fmt;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::seal::{KEY, Seal};
use crate::random::random;

/// The key of a vault: 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Zeroizing<[u8; KEY]>);

impl Key {
    /// A key of these bytes.
    #[must_use]
    pub const fn new(bytes: Zeroizing<[u8; KEY]>) -> Self {
        Self(bytes)
    }

    /// A new key; the error is that of the system's random numbers.
    pub fn random() -> Result<Self, String> {
        let mut bytes = Zeroizing::new([0; KEY]);
        random(bytes.as_mut_slice())?;
        Ok(Self(bytes))
    }

    #[must_use]
    pub const fn bytes(&self) -> &Zeroizing<[u8; KEY]> {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The keys derived from a vault's key for the vault with this id, as in `VAULT.md`.
pub struct Derived {
    /// Seals the values.
    pub seal: Seal,
    /// Tells the right key from a wrong one; not secret.
    pub name: String,
    file: Zeroizing<[u8; KEY]>,
}

impl Derived {
    /// Derives the keys of the vault with this id.
    #[must_use]
    pub fn new(key: &Key, id: &str) -> Self {
        let values = derived::<KEY>(key, id, "bot-cli vault 2 values");
        let name = derived::<16>(key, id, "bot-cli vault 2 name");
        Self {
            seal: Seal::new(&values),
            name: hex(name.as_slice()),
            file: derived(key, id, "bot-cli vault 2 file"),
        }
    }

    /// The code that authenticates `bytes`, in hexadecimal.
    #[must_use]
    pub fn code(&self, bytes: &[u8]) -> String {
        self.mac(bytes)
            .map_or_else(String::new, |mac| hex(&mac.finalize().into_bytes()))
    }

    /// Whether `code` authenticates `bytes`.
    #[must_use]
    pub fn authenticates(&self, bytes: &[u8], code: &str) -> bool {
        match (self.mac(bytes), unhex(code)) {
            (Some(mac), Some(code)) => mac.verify_slice(&code).is_ok(),
            _ => false,
        }
    }

    fn mac(&self, bytes: &[u8]) -> Option<Hmac<Sha256>> {
        // A key of any length is taken, so this is always there.
        let mut mac = Hmac::new_from_slice(self.file.as_slice()).ok()?;
        mac.update(bytes);
        Some(mac)
    }
}

fn derived<const LENGTH: usize>(key: &Key, id: &str, purpose: &str) -> Zeroizing<[u8; LENGTH]> {
    let mut out = Zeroizing::new([0; LENGTH]);
    let derivation = Hkdf::<Sha256>::new(Some(id.as_bytes()), key.0.as_slice());
    // Only lengths beyond 8160 bytes are refused.
    let _ = derivation.expand(purpose.as_bytes(), out.as_mut_slice());
    out
}

/// Bytes in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
    text
}

/// The bytes of lower-case hexadecimal.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
    if rest.is_empty() {
        bytes.collect()
    } else {
        None
    }
}

#[cfg(test)]
pub mod tests {
    use super::{Key, derived, hex, unhex};

    /// 32 derived bytes in hexadecimal; a shorter key is the beginning of a longer one.
    pub fn derived_hex(key: &Key, id: &str, info: &str) -> String {
        hex(derived::<32>(key, id, info).as_slice())
    }

    #[test]
    fn hexadecimal_is_lower_case_and_whole() {
        assert_eq!(hex(&[0, 0x9f, 0xff]), "009fff");
        assert_eq!(unhex("009fff"), Some(vec![0, 0x9f, 0xff]));
        for text in ["0", "0g", "9F", "00 ", "é"] {
            assert_eq!(unhex(text), None, "{text}");
        }
    }
}
