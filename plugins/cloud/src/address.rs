//! Addresses of services, from settings and from the services' own answers.

use bot_cli_protocol::failure::{Exit, Failure};
use url::Url;

/// Parses a service URL. The scheme must be HTTPS, or HTTP for this machine only. Fails if the URL contains a user name, password, query or
/// fragment.
pub fn address(text: &str) -> Result<Url, Failure> {
    let failure = |problem: &str| {
        Failure::new(
            Exit::Usage,
            "insecure_url",
            format!("can't use the address of the service: {problem}"),
        )
        .field("api_url", None, problem)
        .hint("it has the form `https://HOST`; `http://` is for this machine only (BOT_CLI_API_URL, or `bot-cli cloud config set api_url`)")
    };
    let url = Url::parse(text).map_err(|_| failure("it is not an address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(failure("it has a user name or a password in it"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(failure("it has a query or a fragment"));
    }
    match url.scheme() {
        "https" if url.host_str().is_some() => Ok(url),
        "http" if is_this_machine(&url) => Ok(url),
        "http" => Err(failure(
            "http to another machine would show the token to everybody on the way",
        )),
        _ => Err(failure("it is neither https nor http")),
    }
}

pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
