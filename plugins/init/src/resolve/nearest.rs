//! What a mistyped word may have meant.

/// `; did you mean …?` with the nearest of `known`, or nothing when none is near.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |found| format!("; did you mean `{found}`?"))
}

/// A user's word in a message: in backticks, without what a terminal would act on, and not for ever.
#[must_use]
pub fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(60).flat_map(char::escape_debug).collect();
    if word.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{}`", shown.replace("\\'", "'").replace("\\\"", "\""))
}

fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.trim().to_lowercase().replace('-', "_");
    if word.chars().count() > 100 {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (likeness(&word, &candidate.replace('-', "_")), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| candidate)
}

fn likeness(word: &str, candidate: &str) -> f64 {
    // `deepgram` for `deepgram_stt` and `eval` for `enable_eval` are nearer than their numbers of edits say.
    let parts = [
        candidate.rsplit_once('_').map(|(stem, _)| stem),
        candidate.split_once('_').map(|(_, rest)| rest),
    ];
    parts
        .into_iter()
        .flatten()
        .map(|part| strsim::normalized_damerau_levenshtein(word, part) - 0.05)
        .fold(
            strsim::normalized_damerau_levenshtein(word, candidate),
            f64::max,
        )
}
