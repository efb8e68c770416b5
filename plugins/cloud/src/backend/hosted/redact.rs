//! Hides what the requests kept secret in everything that comes back.
//!
//! The service, or a proxy in front of it, may repeat the token or a value: whole, in part, or encoded. What is found is
//! replaced; the words around it stay.

mod disguise;
mod forms;
mod page;

use bot_cli_sdk::secret::Secret;
use bot_cli_sdk::terminal::printable;
use serde_json::Value;

use forms::{core, forms};
use page::{HIDDEN, Page, WINDOW};

/// The most of a text that is looked through; far more than is ever shown.
const LONGEST: usize = 4096;

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

/// The texts to hide, and the texts that may be shown although a secret contains them.
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

    /// Returns a free text without the secrets. What follows `NAME=` is hidden in any case: it may be a value that was set
    /// some other time.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let text = without_assignments(text);
        hide(&text, self.token.iter().chain(&self.values), &self.public)
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

/// Hides what stands right behind an `=` after a name, up to a blank, a quote or a comma.
fn without_assignments(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, after) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = after;
        let is_named = before[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let quote = rest.len() - rest.trim_start_matches(['"', '\'', '`']).len();
        let value = &rest[quote..];
        let end = value
            .find(|c: char| c.is_whitespace() || "\"'`,;".contains(c))
            .unwrap_or(value.len());
        if is_named && end > 0 {
            shown.push_str(&rest[..quote]);
            shown.push_str(HIDDEN);
            rest = &value[end..];
        }
    }
    shown + rest
}

fn hide<'s>(
    text: &str,
    secrets: impl Iterator<Item = &'s Secret> + Clone,
    public: &[String],
) -> String {
    let original = shortened(text);
    // What is not seen must not keep parts of a secret apart.
    let text = printable(original, false).replace(['\n', '\t'], " ");
    let lower = text.to_ascii_lowercase();
    let mut page = Page::new(&lower);
    for secret in secrets.clone() {
        for form in forms(secret.expose()) {
            page.mark(form.as_bytes());
        }
        let secret = secret.expose();
        page.mark_beginning(secret, secret.len() - core(secret).len());
    }
    for word in public {
        page.unmark(&word.to_ascii_lowercase());
    }
    let shown = page.replaced(&text);
    if is_disguised(&shown, secrets, public) {
        return HIDDEN.to_owned();
    }
    // A name is to be found again as it is.
    if shown == text {
        return original.to_owned();
    }
    shown
}

/// Whether what is left repeats a secret in a guise of which no part can be told from the words around it.
fn is_disguised<'s>(
    text: &str,
    secrets: impl Iterator<Item = &'s Secret>,
    public: &[String],
) -> bool {
    let guises = disguise::guises(text, public);
    secrets
        .flat_map(|secret| forms(secret.expose()))
        .map(|form| disguise::letters(&form))
        .filter(|form| form.len() >= WINDOW)
        .any(|form| {
            guises
                .iter()
                .any(|guise| Page::new(guise).repeats(form.as_bytes()))
        })
}

/// As much of a text as is looked through, up to a whole character.
fn shortened(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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
    fn a_secret_in_pieces_or_in_escapes_takes_the_sentence_along() {
        let value = "hunter2-Correct-Horse-Bättery";
        for guise in [
            "hunter2 -Corr ect-Hor se-Bätt ery",
            "hunter\n2-Corr\nect-Ho\nrse-Bä",
            "hun\u{200b}ter2-C\u{1b}[31morrect",
            "h\0u\0n\0t\0e\0r\x002\0-\0C\0o\0r\0r\0e\0c\0t",
            r"\u0068\u0075\u006e\u0074\u0065\u0072\u0032\u002d\u0043\u006f\u0072",
            "%68%75%6e%74%65%72%32%2d%43%6f%72",
            "&#104;&#117;&#110;&#116;&#101;&#114;&#50;&#45;&#67;&#111;&#x72;",
            r"\x68\x75\x6e\x74\x65\x72\x32\x2d\x43",
            "yrettäB-esroH-tcerroC-2retnuh",
        ] {
            let text = shown(value, &format!("bad value {guise} was given"));
            let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            assert!(text.contains("[hidden]"), "{guise:?}: {text}");
            assert!(!letters.contains("unter2"), "{guise:?}: {text}");
        }
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
    fn what_was_assigned_is_hidden_whoever_set_it() {
        for (text, expected) in [
            (
                "could not apply A=hunter2-x, B='y z'",
                "could not apply A=[hidden], B='[hidden] z'",
            ),
            ("a == b = c", "a == b = c"),
            ("KEY= is empty", "KEY= is empty"),
        ] {
            assert_eq!(Redactor::default().text(text), expected);
        }
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
