//! Hides what the service, or a proxy in front of it, repeats of the secrets that were sent.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bot_cli_protocol::secret::Secret;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use zeroize::Zeroizing;

/// Takes the place of a text that repeats a secret.
pub const HIDDEN: &str = "[hidden]";

/// A repetition of so many letters and digits tells something, wherever in a secret they stand.
const TELLING: usize = 8;

/// Fields of an answer that name things. A value may equal such a name, so only long repetitions are hidden there.
const NAMES: [&str; 10] = [
    "name",
    "verboseName",
    "type",
    "region",
    "status",
    "fieldName",
    "code",
    "display_name",
    "defaultRegion",
    "source",
];

/// A value this long is no name of a region or a set by chance.
const NO_NAME: usize = 12;

/// The token and the values that were sent.
#[derive(Default)]
pub struct Redactor(Vec<Secret>);

impl Redactor {
    /// Hides these secrets from now on, as well as earlier ones.
    pub fn conceal<'s>(&mut self, secrets: impl IntoIterator<Item = &'s Secret>) {
        for secret in secrets {
            if !self.0.contains(secret) {
                self.0.push(secret.clone());
            }
        }
    }

    /// Returns a text, or [`HIDDEN`] where it repeats a secret.
    pub fn text(&self, text: &str) -> String {
        let found = self.0.iter().any(|secret| repeats(text, secret));
        if found { HIDDEN } else { text }.to_owned()
    }

    /// Hides every text of an answer that repeats a secret.
    pub fn answer(&self, answer: &mut Value) {
        match answer {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.answer(item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if let Value::String(text) = value
                        && NAMES.contains(&name.as_str())
                    {
                        let mut long = self.0.iter().filter(|it| it.expose().len() >= NO_NAME);
                        if long.any(|secret| repeats(text, secret)) {
                            HIDDEN.clone_into(text);
                        }
                    } else {
                        self.answer(value);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Whether a text repeats a part of a secret that tells something, as it is or encoded.
fn repeats(text: &str, secret: &Secret) -> bool {
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    let plain = [letters(text), letters(&decoded)];
    forms(secret.expose()).iter().any(|form| {
        let form = letters(form);
        let characters: Vec<(usize, char)> = form.char_indices().collect();
        if characters.len() < TELLING {
            // Shorter parts occur in honest sentences.
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            return characters.len() > 2 && words.any(|word| letters(word) == form);
        }
        characters.windows(TELLING).any(|window| {
            let (from, (last, end)) = (window[0].0, window[TELLING - 1]);
            let part = &form[from..last + end.len_utf8()];
            plain.iter().any(|plain| plain.contains(part))
        })
    })
}

/// A secret, what is in its base64, and the password of credentials; each as it is, in hex, and in base64.
fn forms(secret: &str) -> Vec<Zeroizing<String>> {
    let decoded = STANDARD_NO_PAD.decode(secret.trim_end_matches('='));
    let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = Zeroizing::new(decoded.unwrap_or_default());
    let password = decoded.split_once(':').map_or("", |(_, password)| password);
    let mut forms = Vec::new();
    for part in [secret, decoded.as_str(), password] {
        let hex = part.bytes().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        forms.extend([part.to_owned(), hex]);
        // Inside a longer text, base64 has one of three forms.
        let parts = (0..3).filter_map(|skipped| part.as_bytes().get(skipped..));
        forms.extend(parts.map(|part| STANDARD_NO_PAD.encode(&part[..part.len() / 3 * 3])));
    }
    forms.into_iter().map(Zeroizing::new).collect()
}

/// The letters and digits of a text, in lower case: what stands between them must not keep parts of a secret apart.
fn letters(text: &str) -> Zeroizing<String> {
    let kept = text.chars().filter(|character| character.is_alphanumeric());
    Zeroizing::new(kept.flat_map(char::to_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;
    use serde_json::json;

    use super::Redactor;

    fn shown(secret: &str, text: &str) -> String {
        let mut redactor = Redactor::default();
        redactor.conceal([&Secret::new(secret.to_owned())]);
        redactor.text(text)
    }

    #[test]
    fn words_that_repeat_eight_characters_of_a_secret_are_hidden() {
        let value = "hunter2-Correct-Horse-Bättery";
        for guise in [
            value,
            "2-Correct",
            "HUNTER2-C",
            "hunter2 -Corr ect-Hor se",
            "hun\u{200b}ter2-C\u{1b}[31morrect",
            r"se-B\ättery",
            "Correct%2DHorse",
            "aHVudGVyMi1Db3JyZWN0LUhvcnNl",
        ] {
            let text = format!("bad value {guise} was given");
            assert_eq!(shown(value, &text), "[hidden]", "{guise:?}");
        }
        // user:token-1
        assert_eq!(shown("dXNlcjp0b2tlbi0x", "bad user:token-1"), "[hidden]");
        assert_eq!(shown("abcde", "no abcde here"), "[hidden]");
    }

    #[test]
    fn other_words_are_the_services_own() {
        for (value, text) in [
            ("us-we-0815", "Secret already exists in region 'us-west'"),
            ("ready", "it can't be used already"),
            ("1", "at least 1 key"),
            ("", "no value"),
        ] {
            assert_eq!(shown(value, text), text);
        }
    }

    #[test]
    fn an_answer_keeps_its_names_and_loses_its_secrets() {
        let mut redactor = Redactor::default();
        let secrets = ["pcc_pat_CANARYtoken77", "eu-central", "canary-value-1"];
        redactor.conceal(&secrets.map(|secret| Secret::new(secret.to_owned())));
        let mut answer = json!({
            "region": "eu-central",
            "name": "CANARYtoken77",
            "errorMessage": "no canary-value-1 in eu-central",
            "sets": [{"fieldName": "canary-value-1", "status": "ready", "n": 1}],
        });
        redactor.answer(&mut answer);
        let expected = json!({
            "region": "eu-central",
            "name": "[hidden]",
            "errorMessage": "[hidden]",
            "sets": [{"fieldName": "[hidden]", "status": "ready", "n": 1}],
        });
        assert_eq!(answer, expected);
    }
}
