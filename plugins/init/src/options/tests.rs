use crate::option_table::{Feature, Setting};

#[test]
fn no_two_rows_have_the_same_key_option_or_variable() {
    let settings = Setting::ALL.map(Setting::row);
    let features = Feature::ALL.map(Feature::row);
    let keys = settings.map(|row| (row.key, row.alias)).into_iter();
    let keys = keys.chain(features.map(|row| (row.key, row.alias)));
    let keys = keys.flat_map(|(key, alias)| std::iter::once(key).chain(alias));
    assert_distinct(keys.collect());
    let flags = settings.map(|row| row.flag).into_iter();
    assert_distinct(flags.chain(features.map(|row| row.flag)).collect());
    assert_distinct(features.map(|row| row.name).to_vec());
}

fn assert_distinct(mut words: Vec<&str>) {
    words.sort_unstable();
    for pair in words.windows(2) {
        assert_ne!(pair[0], pair[1]);
        assert!(!pair[0].is_empty());
    }
}
