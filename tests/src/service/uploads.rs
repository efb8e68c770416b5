//! Uploaded build contexts, and the forms that they are uploaded with.

use std::io;

use flate2::read::GzDecoder;
use md5::{Digest as _, Md5};

/// An uploaded build context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The first half of the file's MD5 checksum, in hexadecimal. Equal files have equal hashes.
    pub hash: String,
    /// The path, mode and size of each entry in the archive, in order. Empty if the file is not a valid archive.
    pub entries: Vec<(String, u32, u64)>,
}

/// Returns the form fields that must accompany an upload, in order.
pub(super) fn fields(id: &str) -> Vec<(&'static str, String)> {
    vec![
        ("key", format!("contexts/{id}.tar.gz")),
        ("bucket", "build-contexts".to_owned()),
        ("Content-Type", "application/gzip".to_owned()),
        ("Policy", format!("policy-of-{id}")),
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256".to_owned()),
        ("X-Amz-Date", "20260101T000000Z".to_owned()),
        ("X-Amz-Signature", format!("signature-of-{id}")),
    ]
}

impl Upload {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let digest = Md5::digest(bytes);
        let hash = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        Self {
            bytes: bytes.to_vec(),
            hash: hash.collect(),
            entries: entries(bytes).unwrap_or_default(),
        }
    }
}

/// Parses a multipart form. Returns the name and content of each part, or `None` if the form is invalid.
pub(super) fn parts<'b>(body: &'b [u8], boundary: &str) -> Option<Vec<(String, &'b [u8])>> {
    let delimiter = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(delimiter.trim_start().as_bytes())?;
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let (head, content) = split(rest.strip_prefix(b"\r\n")?, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(head);
        let (_, name) = head.split_once("; name=\"")?;
        let (name, _) = name.split_once('"')?;
        let (content, after) = split(content, delimiter.as_bytes())?;
        parts.push((name.to_owned(), content));
        rest = after;
    }
    Some(parts)
}

fn split<'b>(bytes: &'b [u8], at: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let found = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..found], &bytes[found + at.len()..]))
}

fn entries(bytes: &[u8]) -> io::Result<Vec<(String, u32, u64)>> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let entry = |entry: io::Result<tar::Entry<'_, _>>| -> io::Result<_> {
        let entry = entry?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        Ok((path, entry.header().mode()?, entry.size()))
    };
    archive.entries()?.map(entry).collect()
}
