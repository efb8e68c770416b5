//! Code blocks of documents.

/// Returns the code block below a comment.
pub fn block(page: &str, comment: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("<!-- {comment} -->\n```"))?;
    let (_, rest) = rest.split_once('\n')?;
    let (block, _) = rest.split_once("\n```\n")?;
    Some(format!("{block}\n"))
}
