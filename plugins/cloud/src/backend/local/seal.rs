//! A sealed value: the byte 1, a random nonce of 24 bytes, and what XChaCha20-Poly1305 makes of the value.
//!
//! The place of the value is authenticated with it, so that sealed values can't be put into one another's place.

use bot_cli_sdk::secret::Secret;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::random::random;

/// The version of the form.
const VERSION: u8 = 1;

/// The bytes of a nonce.
const NONCE: usize = 24;

/// The bytes of a key.
pub const KEY: usize = 32;

/// Seals and opens values.
pub struct Seal(XChaCha20Poly1305);

impl Seal {
    /// With the key of a vault.
    #[must_use]
    pub fn new(key: &Zeroizing<[u8; KEY]>) -> Self {
        Self(XChaCha20Poly1305::new((&**key).into()))
    }

    /// The sealed form of `value` for `place`.
    #[must_use]
    pub fn close(&self, place: &str, value: &Secret) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE];
        random(&mut nonce).ok()?;
        self.close_with(&nonce, place, value)
    }

    /// The same with a nonce that is given; a nonce must never be used twice.
    pub(super) fn close_with(
        &self,
        nonce: &[u8; NONCE],
        place: &str,
        value: &Secret,
    ) -> Option<Vec<u8>> {
        let payload = Payload {
            msg: value.expose().as_bytes(),
            aad: place.as_bytes(),
        };
        let sealed = self.0.encrypt(&XNonce::from(*nonce), payload).ok()?;
        Some([&[VERSION], nonce.as_slice(), &sealed].concat())
    }

    /// The value, if it was sealed with this key for this place and nobody changed it.
    #[must_use]
    pub fn open(&self, place: &str, sealed: &[u8]) -> Option<Secret> {
        let (&version, rest) = sealed.split_first()?;
        let (nonce, sealed) = rest
            .split_first_chunk::<NONCE>()
            .filter(|_| version == VERSION)?;
        let payload = Payload {
            msg: sealed,
            aad: place.as_bytes(),
        };
        let value = self.0.decrypt(&XNonce::from(*nonce), payload).ok()?;
        let text = String::from_utf8(value).map_err(|error| Zeroizing::new(error.into_bytes()));
        text.ok().map(Secret::new)
    }
}

#[cfg(test)]
mod tests {
    use bot_cli_sdk::secret::Secret;
    use zeroize::Zeroizing;

    use super::Seal;

    fn seal() -> Seal {
        let mut key = Zeroizing::new([0; 32]);
        for (index, byte) in (0_u8..).zip(key.iter_mut()) {
            *byte = index;
        }
        Seal::new(&key)
    }

    /// The published form; a change of it would make vaults unreadable. The expected bytes come from another
    /// implementation of the algorithm, which gives the vector of its specification, draft-irtf-cfrg-xchacha.
    #[test]
    fn the_form_is_as_documented() {
        let value = Secret::new("correct horse".to_owned());
        let sealed = seal()
            .close_with(&[0x40; 24], "local\0prod\0KEY", &value)
            .unwrap();
        let hex: Vec<String> = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = concat!(
            "01",
            "404040404040404040404040404040404040404040404040",
            "6067121b41f893ebd20956560726eb54cada0331ee1cfc52497f959709"
        );
        assert_eq!(hex.concat(), expected);
    }

    #[test]
    fn only_the_same_key_and_place_open_it() {
        let value = Secret::new("grüße".to_owned());
        let sealed = seal().close("local\0prod\0KEY", &value).unwrap();
        assert_eq!(
            seal().open("local\0prod\0KEY", &sealed),
            Some(value.clone())
        );
        assert_eq!(seal().open("local\0prod\0OTHER", &sealed), None);
        assert_eq!(
            Seal::new(&Zeroizing::new([9; 32])).open("local\0prod\0KEY", &sealed),
            None
        );
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(seal().open("local\0prod\0KEY", &changed), None, "{index}");
        }
        assert_eq!(seal().open("", &[]), None);
        assert_eq!(seal().open("", &[1; 24]), None);
        let again = seal().close("local\0prod\0KEY", &value).unwrap();
        assert_ne!(sealed, again, "nonces are random");
    }
}
