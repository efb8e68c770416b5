//! Removes from text what a terminal would obey or not show.

use anstream::adapter::strip_str;

/// Returns `text` without the characters and sequences that can control a terminal: control characters other than line feed and tab, escape
/// sequences, characters that change the writing direction, and invisible characters. If `styled` is `true`, preserves colors and styles.
///
/// Joiners are invisible characters, too, so emoji that consist of several joined characters are split. Variation selectors are preserved,
/// because they change the appearance of a character.
pub fn printable(text: &str, styled: bool) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut open = false;
    let mut rest = text;
    while let Some((before, style, after)) = next_style(rest).filter(|_| styled) {
        push_plain(&mut clean, before);
        clean.push_str(style);
        open = true;
        rest = after;
    }
    push_plain(&mut clean, rest);
    if open {
        clean.push_str("\u{1b}[0m");
    }
    clean
}

fn push_plain(clean: &mut String, text: &str) {
    let is_plain = |byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) {
        // As nearly all text is.
        clean.push_str(text);
        return;
    }
    // An unterminated sequence hides only its own line.
    for (at, line) in text.split('\n').enumerate() {
        clean.extend((at > 0).then_some('\n'));
        let line = strip_str(line).to_string();
        clean.extend(line.chars().filter(|character| !is_command(*character)));
    }
}

/// Splits text at the first style sequence, such as `ESC [ 1 ; 31 m`. Returns the text before the sequence, the sequence, and the text
/// after it.
fn next_style(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices("\u{1b}[").find_map(|(at, begin)| {
        let codes = &text[at + begin.len()..];
        let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        let after = codes[end..].strip_prefix('m')?;
        let style = &text[at..text.len() - after.len()];
        Some((&text[..at], style, after))
    })
}

/// Reports whether a terminal would obey a character, or not show it.
pub fn is_command(character: char) -> bool {
    (character.is_control() && character != '\n' && character != '\t') || is_unseen(character)
}

fn is_unseen(character: char) -> bool {
    matches!(
        character,
        // Soft hyphen, direction mark, Mongolian vowel separator.
        '\u{ad}' | '\u{61c}' | '\u{180e}'
            // Zero-width space, joiners, direction marks.
            | '\u{200b}'..='\u{200f}'
            // Line and paragraph separators, direction embeddings and overrides.
            | '\u{2028}'..='\u{202e}'
            // Word joiner, invisible operators, isolates, deprecated format characters.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, interlinear annotation.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Tags.
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The maximum number of characters from a plugin's text that the host shows in its own messages.
pub const LONGEST_TEXT: usize = 500;

/// Converts `text` to a single line that can't control a terminal.
pub fn one_line(text: &str) -> String {
    printable(text, false).replace(['\n', '\t'], " ")
}

/// Converts `text` to a single line that can't control a terminal. If the line is longer than `most` characters, truncates it and ends it
/// with `…`.
pub fn short_line(text: &str, most: usize) -> String {
    let text = one_line(text);
    let mut letters = text.trim().chars();
    let mut shown: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn leaves_nothing_that_commands_a_terminal() {
        for (text, plain, styled) in [
            ("a\tb\nc\r\n", "a\tb\nc\n", "a\tb\nc\n"),
            ("grüße 你好 🎉", "grüße 你好 🎉", "grüße 你好 🎉"),
            (
                "\u{1b}[31mred\u{1b}[0m",
                "red",
                "\u{1b}[31mred\u{1b}[0m\u{1b}[0m",
            ),
            ("\u{1b}[1;31mred", "red", "\u{1b}[1;31mred\u{1b}[0m"),
            ("\u{1b}[2J\u{1b}[Hgone", "gone", "gone"),
            ("\u{1b}]0;title\u{7}text", "text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link", "link", "link"),
            ("\u{1b}]0;never ends\nnext", "\nnext", "\nnext"),
            ("\u{1b}[31", "", ""),
            ("\u{1b}[3ünder", "der", "der"),
            ("\u{1b}", "", ""),
            ("\u{1b}ü", "", ""),
            ("\u{9b}31mx\u{7f}\0", "31mx", "31mx"),
            ("safe\u{202e}live", "safelive", "safelive"),
            ("❤\u{fe0f} 👩\u{200d}🚀", "❤\u{fe0f} 👩🚀", "❤\u{fe0f} 👩🚀"),
        ] {
            assert_eq!(printable(text, false), plain, "{text:?}");
            assert_eq!(printable(text, true), styled, "{text:?}");
        }
    }

    #[test]
    fn leaves_nothing_that_is_not_seen() {
        let ranges = [
            '\u{ad}'..='\u{ad}',
            '\u{61c}'..='\u{61c}',
            '\u{180e}'..='\u{180e}',
            '\u{200b}'..='\u{200f}',
            '\u{202a}'..='\u{202e}',
            '\u{2060}'..='\u{2064}',
            '\u{2066}'..='\u{2069}',
            '\u{feff}'..='\u{feff}',
            '\u{e0000}'..='\u{e007f}',
        ];
        for character in ranges.into_iter().flatten() {
            let text = format!("a{character}b");
            for styled in [false, true] {
                assert_eq!(printable(&text, styled), "ab", "{text:?}");
            }
        }
    }
}
