//! Hides what the requests kept secret in everything that comes back.
//!
//! The service, or a proxy in front of it, may repeat the token or a value: whole, in part, or encoded. What is found is
//! replaced; the words around it stay.

mod forms;
mod page;

use bot_cli_sdk::secret::Secret;
use serde_json::Value;

use forms::{core, forms};
use page::Page;

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
        let secret = secret.expose();
        page.mark_beginning(secret, secret.len() - core(secret).len());
    }
    for word in public {
        page.unmark(&word.to_ascii_lowercase());
    }
    page.replaced(text)
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
