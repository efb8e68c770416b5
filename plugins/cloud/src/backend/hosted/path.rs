//! Paths of requests, every segment quoted.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but what is unreserved in an address. Segments of dots alone never come here: the domain refuses them.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A segment.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// `/v1/…`.
pub fn path(parts: &[&str]) -> String {
    let mut path = "/v1".to_owned();
    for part in parts {
        path.push('/');
        path.push_str(&segment(part));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn segments_are_quoted() {
        assert_eq!(
            path(&["secrets", "a b/c?d#e%f", "é"]),
            "/v1/secrets/a%20b%2Fc%3Fd%23e%25f/%C3%A9"
        );
        assert_eq!(path(&["secrets", "a.b-c_d~e"]), "/v1/secrets/a.b-c_d~e");
    }
}
