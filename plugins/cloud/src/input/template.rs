//! Templates such as `.env.example`: the keys that a program needs, and what its author says about them.

use bot_cli_protocol::failure::Field;

use super::given::{Lines, in_order, lines};
use crate::domain::Key;

/// A key that a template names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateKey {
    /// The key.
    pub key: Key,
    /// The template's comment right above it, by line.
    pub comment: Vec<String>,
}

/// Returns the keys that a template names.
pub fn keys(name: &str, bytes: &[u8]) -> Result<Vec<TemplateKey>, Vec<Field>> {
    const FLAG: &str = "--from-template";
    let Lines {
        bindings,
        mut wrong,
        ..
    } = lines(bytes);
    let mut keys = Vec::new();
    for binding in bindings {
        match Key::parse(&binding.key) {
            Ok(key) => keys.push(TemplateKey {
                key,
                comment: binding.comment,
            }),
            Err(problem) => wrong.push((Some(binding.at), format!("the key {problem}"))),
        }
    }
    if wrong.is_empty() {
        Ok(keys)
    } else {
        Err(in_order(name, FLAG, wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn a_template_names_keys_with_the_comments_right_above_them() {
        let text = "# The whole file.\n\n# OpenAI: https://platform.openai.com\n#\n# API key\nA=\nB=your-key\n# Model\n# C=x\nD=\n# far away\n\nE=\n";
        let keys: Vec<String> = keys(".env.example", text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|key| format!("{}: {}", key.key, key.comment.join(" | ")))
            .collect();
        assert_eq!(
            keys,
            [
                "A: OpenAI: https://platform.openai.com | API key",
                "B: ",
                "D: ",
                "E: "
            ]
        );
    }
}
