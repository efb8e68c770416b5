//! Redacts secrets in responses from the service or an intermediate proxy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bot_cli_protocol::secret::Secret;
use serde_json::Value;
use zeroize::Zeroizing;

pub const HIDDEN: &str = "[hidden]";

/// The number of consecutive characters of a secret that count as a leak.
const TELLING: usize = 8;

/// The minimum length of secrets to redact. Shorter strings often occur in ordinary sentences.
const SHORTEST: usize = 3;

/// The JSON members that contain sentences. Other members contain names, in which values shorter than [`NO_NAME`] characters may occur by
/// chance.
const SENTENCES: [&str; 2] = ["error", "errorMessage"];

const NO_NAME: usize = 12;

/// The secrets to redact: the token and all sent values, each also in base64-encoded and base64-decoded form.
#[derive(Default)]
pub struct Redactor(Vec<Zeroizing<Vec<char>>>);

impl Redactor {
    pub fn conceal<'s>(&mut self, secrets: impl IntoIterator<Item = &'s Secret>) {
        for secret in secrets {
            let decoded = STANDARD.decode(secret.expose()).ok();
            let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
            let decoded = Zeroizing::new(decoded.unwrap_or_default());
            let encoded = Zeroizing::new(STANDARD.encode(secret.expose()));
            // Registry credentials are `user:password` in base64.
            let password = decoded.split_once(':').map_or("", |(_, password)| password);
            let encoded_password = Zeroizing::new(STANDARD.encode(password));
            let plain = [secret.expose(), &decoded, password];
            for form in plain.into_iter().chain([&**encoded, &**encoded_password]) {
                let form = Zeroizing::new(form.chars().collect());
                if !self.0.contains(&form) {
                    self.0.push(form);
                }
            }
        }
    }

    /// Returns the text, or [`HIDDEN`] if the text reveals a secret.
    pub fn text(&self, text: &str) -> String {
        self.hidden(text, SHORTEST)
    }

    /// Redacts every string in a response body that reveals a secret.
    pub fn answer(&self, answer: &mut Value) {
        self.member("", answer);
    }

    fn member(&self, name: &str, value: &mut Value) {
        match value {
            Value::String(text) if SENTENCES.contains(&name) => *text = self.text(text),
            Value::String(text) => *text = self.hidden(text, NO_NAME),
            Value::Array(items) => items.iter_mut().for_each(|item| self.member(name, item)),
            Value::Object(members) => members
                .iter_mut()
                .for_each(|(name, value)| self.member(name, value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn hidden(&self, text: &str, shortest: usize) -> String {
        let mut secrets = self.0.iter().filter(|secret| secret.len() >= shortest);
        let found = secrets.any(|secret| match secret.len() {
            0..TELLING => has_word(text, secret),
            TELLING.. => secret.windows(TELLING).any(|part| {
                let part = Zeroizing::new(String::from_iter(part));
                text.contains(&*part)
            }),
        });
        if found { HIDDEN } else { text }.to_owned()
    }
}

/// Reports whether `text` contains a short secret as a whole word.
fn has_word(text: &str, secret: &[char]) -> bool {
    let secret = Zeroizing::new(String::from_iter(secret));
    text.match_indices(&**secret).any(|(at, found)| {
        let (before, behind) = (&text[..at], &text[at + found.len()..]);
        !before.ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use bot_cli_protocol::secret::Secret;
    use serde_json::json;

    use super::Redactor;

    #[test]
    fn text_that_repeats_a_part_of_a_secret_is_hidden_and_another_is_not() {
        for (secret, text, is_hidden) in [
            ("hunter2-Correct-Horse", "bad value 2-Correct", true),
            (
                "hunter2-Correct-Horse",
                "aHVudGVyMi1Db3JyZWN0LUhvcnNl",
                true,
            ),
            ("dXNlcjp0b2tlbi0x", "bad user:token-1", true),
            ("abcde", "no abcde here", true),
            ("long", "it is longer than that", false),
            ("dXNlcjpodW50ZXIy", "password hunter2 is weak", true),
            ("us-we-0815", "it is in region 'us-west'", false),
            ("1", "at least 1 key", false),
            ("", "no value", false),
        ] {
            let mut redactor = Redactor::default();
            redactor.conceal([&Secret::new(secret.to_owned())]);
            let expected = if is_hidden { "[hidden]" } else { text };
            assert_eq!(redactor.text(text), expected);
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
