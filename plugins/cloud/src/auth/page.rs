//! The page that the browser shows at the end of a sign-in. It needs no network.

/// The outcome of a sign-in, for the browser's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The service has confirmed it.
    SignedIn,
    /// It failed, here or at the service.
    NotSignedIn,
    /// The issuer refused it.
    Refused,
    /// The address belongs to no sign-in that is under way.
    Unknown,
}

impl Page {
    /// Returns the status of the response.
    pub const fn status(self) -> u16 {
        match self {
            Self::SignedIn => 200,
            Self::NotSignedIn | Self::Refused | Self::Unknown => 400,
        }
    }

    /// Returns the document. Nothing of a request is in it.
    pub fn html(self) -> String {
        let (title, text) = match self {
            Self::SignedIn => (
                "You are signed in",
                "You can close this page and go back to the terminal.",
            ),
            Self::NotSignedIn => ("You are not signed in", "The terminal says why."),
            Self::Refused => (
                "You are not signed in",
                "The sign-in was refused. To try again, run the command again.",
            ),
            Self::Unknown => (
                "This sign-in is not known",
                "bot-cli waits for another one. Use the address that the terminal shows.",
            ),
        };
        let (light, dark) = match self {
            Self::SignedIn => ("#1a7f4b", "#3fb77a"),
            Self::NotSignedIn | Self::Refused | Self::Unknown => ("#b4442e", "#e8795f"),
        };
        include_str!("page.html")
            .replace("{title}", title)
            .replace("{text}", text)
            .replace("{light}", light)
            .replace("{dark}", dark)
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn a_page_is_filled_in_and_needs_no_network() {
        for page in [
            Page::SignedIn,
            Page::NotSignedIn,
            Page::Refused,
            Page::Unknown,
        ] {
            let html = page.html();
            for left in [
                "{title}", "{text}", "{light}", "{dark}", "http", "url(", "<script",
            ] {
                assert!(!html.contains(left), "{left}: {html}");
            }
        }
    }
}
