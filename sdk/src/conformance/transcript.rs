//! What was sent and received, as people may see it.

/// The amount of a line that is kept.
const SHOWN: usize = 300;

/// The number of lines of a conversation that are kept.
const KEPT: usize = 200;

/// The made-up password. It holds no character that JSON escapes.
pub const CANARY: &str = "kit-canary-7Qz9vW3x";

/// A conversation with a plugin.
#[derive(Debug, Default)]
pub struct Transcript {
    lines: Vec<String>,
    left_out: usize,
}

impl Transcript {
    /// To the plugin.
    pub fn sent(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.add("-> ", line);
        }
    }

    /// From the plugin.
    pub fn received(&mut self, line: &[u8]) {
        self.add("<- ", line);
    }

    /// From the plugin, on standard error.
    pub fn complained(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.add("!! ", line);
        }
    }

    /// Something that happened.
    pub fn happened(&mut self, what: &str) {
        self.add("-- ", what.as_bytes());
    }

    /// The lines, and how many were left out.
    pub fn into_lines(mut self) -> Vec<String> {
        if self.left_out > 0 {
            self.lines.push(format!("-- {} more lines", self.left_out));
        }
        self.lines
    }

    fn add(&mut self, mark: &str, line: &[u8]) {
        if self.lines.len() < KEPT {
            self.lines.push(format!("{mark}{}", shown(line)));
        } else {
            self.left_out += 1;
        }
    }
}

/// A line without the password, without what commands a terminal, and not too long.
pub fn shown(line: &[u8]) -> String {
    // A password that lies across the end of what is shown is hidden, too.
    let looked_at = &line[..line.len().min(SHOWN * 4 + CANARY.len())];
    let text = String::from_utf8_lossy(looked_at).replace(CANARY, "[hidden]");
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let mut short: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.extend(["… (", &line.len().to_string(), " bytes)"]);
    }
    short
}

fn escaped(character: char) -> Vec<char> {
    if character.is_control() {
        character.escape_default().collect()
    } else {
        vec![character]
    }
}

#[cfg(test)]
mod tests {
    use super::{CANARY, SHOWN, shown};

    #[test]
    fn passwords_are_left_out_and_long_lines_are_shortened() {
        assert_eq!(shown(b"{\"a\":1}\r\n"), "{\"a\":1}\\r");
        assert_eq!(shown(format!("say {CANARY}!").as_bytes()), "say [hidden]!");
        for before in [SHOWN - 5, SHOWN, SHOWN + 1] {
            let line = format!("{}{CANARY}", "x".repeat(before));
            let text = shown(line.as_bytes());
            assert!(!text.contains("canary") && !text.contains("kit-"), "{text}");
        }
        let long = shown("x".repeat(1000).as_bytes());
        assert!(long.ends_with("… (1000 bytes)"), "{long}");
    }
}
