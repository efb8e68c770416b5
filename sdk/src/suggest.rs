//! What a mistyped name may have meant.

/// A name this unlike what was typed is no help.
const LEAST: f64 = 0.8;

/// The names that are near to `typed`, the nearest first.
#[must_use]
pub fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = names
        .map(|name| (likeness(typed, name), name))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

/// One slip in a short name changes much of it.
fn likeness(typed: &str, name: &str) -> f64 {
    let slip = typed.chars().count() > 2 && strsim::osa_distance(typed, name) == 1;
    strsim::jaro_winkler(typed, name).max(if slip { LEAST } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::near;

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
