//! Hides what the requests kept secret in everything that comes back.
//!
//! The service, or a proxy in front of it, may repeat the token or a value: whole, in part, or encoded. What is found is
//! replaced; the words around it stay.

use std::collections::HashMap;
use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use bot_cli_sdk::secret::Secret;
use serde_json::Value;
use zeroize::Zeroizing;

use super::path::segment;

/// Takes the place of what is hidden.
const HIDDEN: &str = "[hidden]";

/// The most of a text that is looked through; far more than is ever shown.
const LONGEST: usize = 4096;

/// A repetition of so many characters is hidden, wherever in a secret they stand.
const WINDOW: usize = 8;

/// Secrets of fewer characters are hidden only where a whole word repeats them: shorter parts occur in honest sentences.
const SHORT: usize = 6;

/// So many characters behind the mark of its kind are those of the secret, and not of another.
const SURE: usize = 3;

/// Beginnings that say of what kind a secret is, and nothing of the secret itself.
const KINDS: [&str; 14] = [
    "pcc_pat_",
    "github_pat_",
    "sk-proj-",
    "sk-ant-",
    "sk_live_",
    "sk_test_",
    "xoxb-",
    "xoxp-",
    "ghp_",
    "gho_",
    "sk_",
    "sk-",
    "pk_",
    "eyj",
];

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

/// What must not be shown, and what may be shown although a secret contains it.
#[derive(Default)]
pub struct Redactor {
    token: Option<Secret>,
    values: Vec<Secret>,
    public: Vec<String>,
}

impl Redactor {
    /// Hides this token from now on, instead of an earlier one as well as it.
    pub fn token(&mut self, token: &Secret) {
        if let Some(earlier) = self.token.replace(token.clone()) {
            self.values.push(earlier);
        }
    }

    /// Hides these values from now on. The `public` words, such as the name of the set, are shown even where a value
    /// begins with one.
    pub fn values<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v Secret>,
        public: impl IntoIterator<Item = String>,
    ) {
        for value in values {
            if !self.values.contains(value) {
                self.values.push(value.clone());
            }
        }
        self.public.extend(public);
    }

    /// Returns a free text without the secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        hide(text, self.token.iter().chain(&self.values), &self.public)
    }

    /// Removes the secrets from every text of an answer.
    pub fn answer(&self, answer: &mut Value) {
        match answer {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.answer(item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if let Value::String(text) = value
                        && NAMES.contains(&name.as_str())
                    {
                        *text = self.name(text);
                    } else {
                        self.answer(value);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn name(&self, name: &str) -> String {
        let long = self
            .values
            .iter()
            .filter(|value| value.expose().len() >= NO_NAME && name.contains(value.expose()));
        hide(name, self.token.iter().chain(long), &self.public)
    }
}

fn hide<'s>(text: &str, secrets: impl Iterator<Item = &'s Secret>, public: &[String]) -> String {
    let end = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= LONGEST);
    let text = if text.len() > LONGEST {
        &text[..end.last().unwrap_or_default()]
    } else {
        text
    };
    let lower = text.to_ascii_lowercase();
    let mut page = Page::new(&lower);
    for secret in secrets {
        for form in forms(secret.expose()) {
            page.mark(form.as_bytes());
        }
        page.mark_beginning(secret.expose());
    }
    for word in public {
        page.unmark(&word.to_ascii_lowercase());
    }
    page.replaced(text)
}

/// A text and which of its bytes are to be hidden.
struct Page<'t> {
    text: &'t str,
    hidden: Vec<bool>,
    /// Where each window of the text begins, by the length of the window.
    windows: HashMap<usize, HashMap<&'t [u8], Vec<usize>>>,
}

impl<'t> Page<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            hidden: vec![false; text.len()],
            windows: HashMap::new(),
        }
    }

    /// Marks every part of `form` that is long enough to tell something.
    fn mark(&mut self, form: &[u8]) {
        if form.len() < SHORT {
            if form.len() > 2 {
                self.mark_word(form);
            }
            return;
        }
        let length = (form.len() - 2).clamp(SHORT.min(form.len()), WINDOW);
        let text = self.text.as_bytes();
        let windows = self.windows.entry(length).or_insert_with(|| {
            let mut windows: HashMap<&[u8], Vec<usize>> = HashMap::new();
            for (at, window) in text.windows(length).enumerate() {
                windows.entry(window).or_default().push(at);
            }
            windows
        });
        for window in form.windows(length) {
            for &at in windows.get(window).into_iter().flatten() {
                self.hidden[at..at + length].fill(true);
            }
        }
    }

    /// Marks even a short beginning of `secret`, where what says of what kind it is stands before it.
    fn mark_beginning(&mut self, secret: &str) {
        let kind = secret.len() - core(secret).len();
        let lower = Zeroizing::new(secret.to_ascii_lowercase());
        let Some(sure) = lower.get(..kind + SURE).filter(|_| kind > 0) else {
            return;
        };
        for (at, _) in self.text.match_indices(sure) {
            let rest = &self.text.as_bytes()[at..];
            let same = rest.iter().zip(lower.bytes());
            let length = same.take_while(|(one, other)| **one == *other).count();
            self.hidden[at + kind..at + length].fill(true);
        }
    }

    fn mark_word(&mut self, word: &[u8]) {
        for at in self.occurrences(word) {
            self.hidden[at..at + word.len()].fill(true);
        }
    }

    /// Shows a public word again, unless more than the word was hidden.
    fn unmark(&mut self, word: &str) {
        for at in self.occurrences(word.as_bytes()) {
            let end = at + word.len();
            let goes_on = (at > 0 && self.hidden[at - 1]) || self.hidden.get(end) == Some(&true);
            if !goes_on {
                self.hidden[at..end].fill(false);
            }
        }
    }

    /// Where a word begins that is not part of a longer one.
    fn occurrences(&self, word: &[u8]) -> Vec<usize> {
        let text = self.text.as_bytes();
        let joins = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        if word.is_empty() || word.len() > text.len() {
            return Vec::new();
        }
        (0..=text.len() - word.len())
            .filter(|&at| {
                text[at..].starts_with(word)
                    && !joins(at.checked_sub(1).and_then(|before| text.get(before)))
                    && !joins(text.get(at + word.len()))
            })
            .collect()
    }

    fn replaced(&self, original: &str) -> String {
        let mut shown = String::with_capacity(original.len());
        let mut hiding = false;
        for (at, character) in original.char_indices() {
            let hidden = self.hidden[at..at + character.len_utf8()].contains(&true);
            if hidden && !hiding {
                shown.push_str(HIDDEN);
            } else if !hidden {
                shown.push(character);
            }
            hiding = hidden;
        }
        shown
    }
}

/// The guises of a secret, in lower case: as it is, in the encodings of URLs, JSON, hex and base64, and the parts of
/// credentials.
fn forms(secret: &str) -> Vec<Zeroizing<String>> {
    let mut parts = vec![Zeroizing::new(secret.to_owned())];
    for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        let decoded = engine.decode(secret.trim_end_matches('='));
        if let Some(decoded) = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) {
            parts.push(Zeroizing::new(decoded));
        }
    }
    let tokens: Vec<_> = parts
        .iter()
        .filter_map(|part| part.split_once(':'))
        .filter(|(_, token)| !token.starts_with("//"))
        .map(|(_, token)| Zeroizing::new(token.to_owned()))
        .collect();
    parts.extend(tokens);
    let mut forms = Vec::new();
    for part in parts {
        let core = core(&part);
        let bytes = core.as_bytes();
        forms.push(core.to_owned());
        forms.push(segment(core));
        let escaped = serde_json::to_string(core).unwrap_or_default();
        forms.push(serde_json::to_string(&escaped).unwrap_or_default());
        forms.push(escaped);
        forms.push(hex(bytes));
        // Inside a longer text, base64 has one of three forms, whose ends depend on what is around them.
        for skipped in 0..3.min(bytes.len()) {
            for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
                let whole = (bytes.len() - skipped) / 3 * 3;
                let encoded = engine.encode(&bytes[skipped..skipped + whole]);
                if encoded.len() >= WINDOW {
                    forms.push(encoded);
                }
            }
        }
    }
    forms
        .into_iter()
        .map(|form| Zeroizing::new(form.trim_matches('"').to_ascii_lowercase()))
        .filter(|form| !form.is_empty())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A secret without what only says of what kind it is: the scheme of an address, the frame of a key, the mark of a token.
fn core(secret: &str) -> &str {
    let lower = secret.to_ascii_lowercase();
    if let Some(kind) = KINDS.iter().find(|kind| lower.starts_with(**kind)) {
        return &secret[kind.len()..];
    }
    if let Some((scheme, rest)) = secret.split_once("://")
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    {
        return rest;
    }
    let Some(framed) = secret.strip_prefix("-----BEGIN ") else {
        return secret;
    };
    let body = framed.split_once("-----").map_or(framed, |(_, body)| body);
    body.split("-----END").next().unwrap_or(body).trim()
}

#[cfg(test)]
mod tests {
    use bot_cli_sdk::secret::Secret;
    use serde_json::json;

    use super::Redactor;

    fn shown(secret: &str, text: &str) -> String {
        let mut redactor = Redactor::default();
        let secret = Secret::new(secret.to_owned());
        redactor.values([&secret], ["prod-bot-secrets".to_owned()]);
        redactor.text(text)
    }

    #[test]
    fn a_secret_is_hidden_in_every_guise_and_the_sentence_stays() {
        let value = "s3%\"ret-välue9";
        for guise in [
            "s3%\"ret-välue9",
            "3%\"ret-välue9",
            "\"ret-välue9",
            "s3%\"ret-v",
            r#"s3%\"ret-välue9"#,
            r#"s3%\\\"ret-välue9"#,
            "s3%25%22ret-v%C3%A4lue9",
            "s3%25%22ret-v%c3%a4lue9",
            "S3%\"RET-Välue9",
            "czMlInJldC12w6RsdWU5",
            "7333252272",
            "7333252272-",
        ] {
            let text = shown(value, &format!("bad value {guise}, use another"));
            let rest = text.replace("[hidden]", "");
            assert!(text.contains("[hidden]"), "{guise}: {text}");
            assert!(rest.starts_with("bad value "), "{guise}: {text}");
            assert!(rest.ends_with(", use another"), "{guise}: {text}");
            assert!(!rest.contains("ret") && !rest.contains("lue9"), "{text}");
        }
    }

    #[test]
    fn parts_of_credentials_are_hidden_inside_longer_texts() {
        // user:token-1
        let credentials = "dXNlcjp0b2tlbi0x";
        assert_eq!(shown(credentials, "bad token-1."), "bad [hidden].");
        assert_eq!(shown(credentials, "user:token-1?"), "[hidden]?");
        // Basic authentication of another user with the same token.
        let other = shown(
            "long-token-of-the-user",
            "Basic eDpsb25nLXRva2VuLW9mLXRoZS11c2Vy",
        );
        assert!(!other.contains("bG9uZy"), "{other}");
        assert!(!other.contains("RoZS11c2"), "{other}");
    }

    #[test]
    fn honest_words_that_share_a_beginning_stay() {
        for (value, text) in [
            ("us-we-0815", "Secret already exists in region 'us-west'"),
            (
                "postgres://u:p4ssw0rd@h/db",
                "a postgres:// address is expected",
            ),
            (
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n",
                "no -----BEGIN PRIVATE KEY----- line",
            ),
            ("pcc_pat_CANARYtoken77", "a token begins with pcc_pat_"),
            ("prod-bot-secrets-key", "set 'prod-bot-secrets' not found"),
            ("1", "at least 1 key"),
            ("ready", "it can't be used already"),
        ] {
            assert_eq!(shown(value, text), text);
        }
        let cut = shown("pcc_pat_CANARYtoken77", "bad pcc_pat_CANAR…");
        assert_eq!(cut, "bad pcc_pat_[hidden]…");
        assert_eq!(
            shown("prod-bot-secrets-key", "bad prod-bot-secrets-key"),
            "bad [hidden]"
        );
        assert_eq!(shown("abcde", "no abcde here"), "no [hidden] here");
        assert_eq!(shown("abcdef7", "no bcdef7 here"), "no [hidden] here");
    }

    #[test]
    fn an_answer_keeps_its_names_and_loses_its_secrets() {
        let mut redactor = Redactor::default();
        redactor.token(&Secret::new("pcc_pat_CANARYtoken77".to_owned()));
        let values = ["eu-central", "canary-value-1"].map(|v| Secret::new(v.to_owned()));
        redactor.values(&values, []);
        let mut answer = json!({
            "region": "eu-central",
            "name": "CANARYtoken77",
            "errorMessage": "canary-value-1 in eu-central",
            "sets": [{"fieldName": "canary-value-1", "status": "ready", "n": 1}],
        });
        redactor.answer(&mut answer);
        assert_eq!(
            answer,
            json!({
                "region": "eu-central",
                "name": "[hidden]",
                "errorMessage": "[hidden] in [hidden]",
                "sets": [{"fieldName": "[hidden]", "status": "ready", "n": 1}],
            })
        );
    }

    #[test]
    fn an_earlier_token_stays_hidden() {
        let mut redactor = Redactor::default();
        redactor.token(&Secret::new("first-access-token".to_owned()));
        redactor.token(&Secret::new("other-access-grant".to_owned()));
        let text = redactor.text("first-access-token, other-access-grant");
        assert_eq!(text, "[hidden], [hidden]");
    }
}
