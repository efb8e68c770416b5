use super::*;

#[test]
fn every_file_parses() {
    let (_, errors) = Catalogue::load();
    assert_eq!(errors, []);
}
