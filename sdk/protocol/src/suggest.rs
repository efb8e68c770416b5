//! What a mistyped name may have meant.

/// A name this unlike what was typed is no help.
const LEAST: f64 = 0.8;

/// A name that is like what was typed as a whole comes before one of which only a part is.
const LESS_FOR_A_PART: f64 = 0.05;

/// Words that people use for one thing, from one tool or another.
const ALIKE: [&[&str]; 6] = [
    &[
        "skip",
        "yes",
        "y",
        "force",
        "f",
        "assume-yes",
        "no-confirm",
        "no-input",
    ],
    &["list", "ls", "show", "get", "view", "info"],
    &["delete", "unset", "remove", "rm", "del"],
    &["set", "create", "add", "put", "update", "new"],
    &["login", "signin", "sign-in"],
    &["logout", "signout", "sign-out"],
];

/// The names that mean what `typed` means in other tools.
pub fn alike<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let group = ALIKE.iter().find(|group| group.contains(&typed));
    let known = |name: &&str| group.is_some_and(|group| group.contains(name));
    names.filter(known).collect()
}

/// The names that are near to `typed`, the nearest first.
pub fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = names
        .map(|name| (likeness(typed, name), name))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

/// The name that is nearest to `typed`, if any is near.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(typed, names.into_iter()).into_iter().next()
}

/// Words a suggestion: "did you mean `list` or `show`?".
pub fn did_you_mean<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    format!("did you mean `{}`?", names.join("` or `"))
}

/// The known name that `typed` is but for a slip or two. Such a word may be quoted; any other may be a secret in the wrong
/// place.
pub fn slip<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    names
        .map(|name| (strsim::osa_distance(typed, name), name))
        .filter(|(slips, name)| *slips <= if name.len() > 4 { 2 } else { 1 })
        .min()
        .map(|(_, name)| name)
}

/// Whether a word is made as names are, of small letters with hyphens or underscores between them, and not long.
pub fn is_plain(word: &str) -> bool {
    word.len() <= 24
        && word.split(['-', '_']).all(|part| {
            (1..=12).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
        })
}

/// Whether a word begins with a dash or a quotation mark that was meant as `-` or `"`.
pub fn is_typographic(word: &str) -> bool {
    word.starts_with([
        '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
        '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{201e}',
    ])
}

/// Of `enable_eval` and `deepgram_stt`, a part is often what was typed. One slip in a short name changes much of it.
fn likeness(typed: &str, name: &str) -> f64 {
    let (typed, name) = (typed.replace('-', "_"), name.replace('-', "_"));
    let parts = [
        name.rsplit_once('_').map(|(first, _)| first),
        name.split_once('_').map(|(_, rest)| rest),
    ];
    let slip = typed.chars().count() > 2 && strsim::osa_distance(&typed, &name) == 1;
    parts
        .into_iter()
        .flatten()
        .map(|part| strsim::jaro_winkler(&typed, part) - LESS_FOR_A_PART)
        .chain(slip.then_some(LEAST))
        .fold(strsim::jaro_winkler(&typed, &name), f64::max)
}

#[cfg(test)]
mod tests {
    use super::{alike, is_plain, near, slip};

    #[test]
    fn a_slip_leaves_little_that_is_not_known() {
        let names = ["secrets", "set", "--region"];
        for (typed, expected) in [
            ("secret", Some("secrets")),
            ("scerets", Some("secrets")),
            ("secrets", Some("secrets")),
            ("secrets123", None),
            ("sets", Some("set")),
            ("sekt", Some("set")),
            ("sektor", None),
            ("", None),
            ("--regoin", Some("--region")),
        ] {
            assert_eq!(slip(typed, names.into_iter()), expected, "{typed}");
        }
    }

    #[test]
    fn words_of_other_tools_are_understood() {
        let names = ["list", "set", "unset", "delete", "skip"];
        for (typed, expected) in [
            ("get", &["list"][..]),
            ("rm", &["unset", "delete"]),
            ("yes", &["skip"]),
            ("y", &["skip"]),
            ("weather", &[]),
        ] {
            assert_eq!(alike(typed, names.into_iter()), expected, "{typed}");
        }
    }

    #[test]
    fn names_are_plain_and_values_are_not() {
        for (word, plain) in [
            ("slip", true),
            ("dry-run", true),
            ("", false),
            ("-", false),
            ("sk-live-1", false),
            ("Token", false),
            ("aaaaabbbbbccccc", false),
            ("key=value", false),
        ] {
            assert_eq!(is_plain(word), plain, "{word}");
        }
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["init", "cloud", "plugin", "help"];
        for (typed, expected) in [
            ("ini", &["init"][..]),
            ("inti", &["init"]),
            ("clowd", &["cloud"]),
            ("plugins", &["plugin"]),
            ("hepl", &["help"]),
            ("yelp", &["help"]),
            ("weather", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(typed, names.into_iter()), expected, "{typed}");
        }
    }
}
