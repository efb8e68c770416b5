//! What a mistyped name may have meant.

/// A name this unlike what was typed is no help.
const LEAST: f64 = 0.8;

/// The names that are near to `typed`, the nearest first.
pub fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(f64, &str)> = names
        .map(|name| (strsim::jaro_winkler(typed, name), name))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
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
            ("weather", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(typed, names.into_iter()), expected, "{typed}");
        }
    }
}
