//! The issuer of tokens: its endpoints, and the exchange of one token for the next.

use std::time::{SystemTime, UNIX_EPOCH};

use oauth2::basic::{BasicClient, BasicTokenResponse, BasicTokenType};
use oauth2::{
    AuthUrl, ClientId, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, RedirectUrl,
    RefreshToken, RequestTokenError, TokenResponse, TokenUrl,
};
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::{Url, form_urlencoded};

use super::credentials::{Credentials, Refresh, parse_token};
use crate::address::address;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::connect::{connector, failed, read};
use crate::backend::hosted::http::waiting::{patiently, runtime};
use crate::domain::TokenKind;
use crate::pace::Pace;
use crate::watch::Watch;

/// The most that is read of an answer.
const LONGEST: usize = 256 * 1024;

/// The longest that a token is believed to last, in seconds: ten years.
const LONGEST_LIFE: u64 = 315_360_000;

/// The codes of the protocol for a request that is refused whatever its grant, RFC 6749, 5.2.
const REFUSALS: [&str; 6] = [
    "invalid_client",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_request",
    "invalid_scope",
    "access_denied",
];

/// A client with both endpoints.
pub type Oauth =
    BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The issuer of tokens for a service.
pub struct Issuer<'a> {
    service: String,
    http: reqwest::Client,
    config: SignInConfig,
    endpoints: Endpoints,
    pace: Pace,
    watch: &'a dyn Watch,
}

/// An issuer's answer to the request to end a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    /// It is ended, or was already.
    Done,
    /// Nobody can do that here.
    NotOffered,
}

/// The service's description of its issuer.
#[derive(Deserialize)]
struct SignInConfig {
    issuer: String,
    client_id: String,
    #[serde(default)]
    scopes: Option<String>,
}

/// Any JSON object.
#[derive(Deserialize)]
struct IgnoredObject {}

/// The issuer's metadata.
#[derive(Deserialize)]
struct Endpoints {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    #[serde(default)]
    revocation_endpoint: Option<String>,
    #[serde(default)]
    code_challenge_methods_supported: Option<Vec<String>>,
}

impl<'a> Issuer<'a> {
    /// Asks the service, then the issuer. One that is not what it says is not followed.
    pub async fn find(base: &Url, pace: Pace, watch: &'a dyn Watch) -> Result<Self, ServiceError> {
        let http = connector(base, pace)?;
        let service = base.as_str().trim_end_matches('/').to_owned();
        let root = service.strip_suffix("/v1").unwrap_or(&service);
        let config: SignInConfig = get(&http, &format!("{root}/auth/config"), pace, watch).await?;
        secure(&config.issuer)?;
        let discovery = format!(
            "{}/.well-known/openid-configuration",
            config.issuer.trim_end_matches('/')
        );
        let endpoints: Endpoints = match get(&http, &discovery, pace, watch).await {
            Err(ServiceError::Unavailable { status, .. }) => {
                return Err(ServiceError::IssuerUnavailable(Some(status)));
            }
            answer => answer?,
        };
        if endpoints.issuer != config.issuer {
            return Err(unsound("it gives another name than the service does"));
        }
        secure(&endpoints.authorization_endpoint)?;
        secure(&endpoints.token_endpoint)?;
        if let Some(methods) = &endpoints.code_challenge_methods_supported
            && !methods.iter().any(|method| method == "S256")
        {
            return Err(unsound("it does not know the challenge method S256"));
        }
        Ok(Self {
            service,
            http,
            config,
            endpoints,
            pace,
            watch,
        })
    }

    /// Another sign-in for a refresh token, from the issuer of the service at `base`.
    pub fn renewed(
        base: &Url,
        pace: Pace,
        watch: &'a dyn Watch,
        refresh: &Refresh,
    ) -> Result<Credentials, ServiceError> {
        runtime()?.block_on(async { Self::find(base, pace, watch).await?.renew(refresh).await })
    }

    /// Ends a sign-in where it was made. All of it takes as long as one request may.
    pub fn revoked(
        base: &Url,
        pace: Pace,
        watch: &'a dyn Watch,
        credentials: &Credentials,
    ) -> Result<Revocation, ServiceError> {
        let asked = async {
            Self::find(base, pace, watch)
                .await?
                .revoke(credentials)
                .await
        };
        let answer = runtime()?.block_on(async { tokio::time::timeout(pace.request, asked).await });
        answer.unwrap_or_else(|_| {
            Err(ServiceError::TimedOut(
                base.host_str().unwrap_or_default().to_owned(),
            ))
        })
    }

    /// The protocol's client, which comes back to `redirect`.
    pub fn oauth(&self, redirect: Option<&str>) -> Result<Oauth, ServiceError> {
        let wrong = |_| unsound("one of its addresses is not valid");
        let client = BasicClient::new(ClientId::new(self.config.client_id.clone()))
            .set_auth_uri(
                AuthUrl::new(self.endpoints.authorization_endpoint.clone()).map_err(wrong)?,
            )
            .set_token_uri(TokenUrl::new(self.endpoints.token_endpoint.clone()).map_err(wrong)?);
        match redirect {
            Some(redirect) => {
                Ok(client.set_redirect_uri(RedirectUrl::new(redirect.to_owned()).map_err(wrong)?))
            }
            None => Ok(client),
        }
    }

    /// Returns the scopes of a sign-in.
    pub fn scopes(&self) -> impl Iterator<Item = oauth2::Scope> {
        let scopes = self
            .config
            .scopes
            .as_deref()
            .unwrap_or("openid profile email offline_access");
        scopes
            .split_whitespace()
            .map(|scope| oauth2::Scope::new(scope.to_owned()))
    }

    /// Sends a request for a token. Returns only an answer in the protocol's form.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ServiceError> {
        let request =
            reqwest::Request::try_from(request).map_err(|_| unsound("its address is not valid"))?;
        let path = request.url().path().to_owned();
        let answer = self.execute(request).await?;
        let status = answer.status().as_u16();
        if matches!(status, 408 | 429 | 500..) {
            return Err(ServiceError::IssuerUnavailable(Some(status)));
        }
        match serde_json::from_slice::<IgnoredObject>(answer.body()) {
            Ok(_) => Ok(answer),
            Err(_) => Err(ServiceError::InvalidResponse(format!(
                "the answer of `{path}` (status {status}) is not that of an issuer of tokens"
            ))),
        }
    }

    async fn execute(&self, request: reqwest::Request) -> Result<HttpResponse, ServiceError> {
        let base = request.url().clone();
        self.watch.requested(&format!("POST {}", base.path()));
        let exchange = async {
            let response = self
                .http
                .execute(request)
                .await
                .map_err(|error| failed(&base, error))?;
            let status = response.status();
            let body = body(response, &base).await?;
            let mut answer = HttpResponse::new(body);
            *answer.status_mut() = status;
            Ok(answer)
        };
        let slow = || self.watch.waiting(&waiting(&base));
        patiently(self.watch, self.pace.slow, slow, exchange).await?
    }

    /// Another token for a refresh token.
    pub async fn renew(&self, refresh: &Refresh) -> Result<Credentials, ServiceError> {
        let token = RefreshToken::new(refresh.token.expose().to_owned());
        let client = self.oauth(None)?;
        let sent = client
            .exchange_refresh_token(&token)
            .request_async(&|request| self.send(request))
            .await;
        let answer = sent.map_err(|error| refused(&error))?;
        let mut credentials = self.grant(&answer)?;
        // An issuer that gives no new one goes on taking the old one.
        if let (None, Some(expires_at)) = (&credentials.refresh, expiry(&answer)) {
            credentials.refresh = Some(Refresh {
                token: refresh.token.clone(),
                expires_at,
            });
        }
        Ok(credentials)
    }

    /// Ends a sign-in for everybody who has a copy of it, RFC 7009: by its refresh token, without one by its token.
    pub async fn revoke(&self, credentials: &Credentials) -> Result<Revocation, ServiceError> {
        let Some(endpoint) = &self.endpoints.revocation_endpoint else {
            return Ok(Revocation::NotOffered);
        };
        secure(endpoint)?;
        let (token, hint) = match &credentials.refresh {
            Some(refresh) => (&refresh.token, "refresh_token"),
            None => (&credentials.token, "access_token"),
        };
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token.expose())
            .append_pair("token_type_hint", hint)
            .append_pair("client_id", &self.config.client_id)
            .finish();
        // The protocol's client would refuse an issuer on this machine.
        let request = self
            .http
            .post(endpoint)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body)
            .build()
            .map_err(|_| unsound("one of its addresses is not valid"))?;
        let answer = self.execute(request).await?;
        match answer.status().as_u16() {
            200..=299 => Ok(Revocation::Done),
            status @ (408 | 429 | 500..) => Err(ServiceError::IssuerUnavailable(Some(status))),
            status => Err(ServiceError::Refused {
                status,
                message: String::new(),
            }),
        }
    }

    /// Returns the sign-in that an issuer's answer gives. What can't be a bearer token is refused.
    pub fn grant(&self, answer: &BasicTokenResponse) -> Result<Credentials, ServiceError> {
        if *answer.token_type() != BasicTokenType::Bearer {
            return Err(unsound("it gives a token that is not a bearer token"));
        }
        let token = |text: &str| {
            parse_token(text)
                .ok_or_else(|| unsound("it gives a token with characters that no token has"))
        };
        let refresh = answer.refresh_token().zip(expiry(answer));
        let refresh = match refresh {
            Some((refresh, expires_at)) => Some(Refresh {
                token: token(refresh.secret())?,
                expires_at,
            }),
            None => None,
        };
        Ok(Credentials {
            api_url: self.service.clone(),
            kind: TokenKind::User,
            token: token(answer.access_token().secret())?,
            refresh,
        })
    }
}

/// When the token of an answer runs out, in seconds since 1970.
fn expiry(answer: &BasicTokenResponse) -> Option<u64> {
    let lifetime = answer.expires_in()?.as_secs();
    Some(now() + lifetime.min(LONGEST_LIFE))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// The protocol's failures in ours; the issuer's words may quote what was sent and are not shown.
pub fn refused(
    error: &RequestTokenError<ServiceError, oauth2::basic::BasicErrorResponse>,
) -> ServiceError {
    match error {
        RequestTokenError::Request(error) => error.clone(),
        RequestTokenError::ServerResponse(answer) => match answer.error().as_ref() {
            "invalid_grant" => {
                ServiceError::NotSignedIn("the issuer grants no token for it".to_owned())
            }
            "temporarily_unavailable" | "server_error" => ServiceError::IssuerUnavailable(None),
            // Any other word may be anything.
            code => ServiceError::IssuerRefused(REFUSALS.into_iter().find(|known| *known == code)),
        },
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            unsound("its answer is not a token")
        }
    }
}

async fn get<T: DeserializeOwned>(
    http: &reqwest::Client,
    address: &str,
    pace: Pace,
    watch: &dyn Watch,
) -> Result<T, ServiceError> {
    let url = Url::parse(address).map_err(|_| unsound("its address is not valid"))?;
    watch.requested(&format!("GET {}", url.path()));
    let exchange = async {
        let response = http
            .get(url.clone())
            .send()
            .await
            .map_err(|error| failed(&url, error))?;
        let status = response.status().as_u16();
        let body = body(response, &url).await?;
        match status {
            200..=299 => serde_json::from_slice(&body).map_err(|_| {
                ServiceError::InvalidResponse(format!(
                    "what `{}` answers does not help signing in",
                    url.path()
                ))
            }),
            408 | 429 | 500.. => Err(ServiceError::Unavailable {
                status,
                message: String::new(),
                retry_after: None,
            }),
            _ => Err(ServiceError::InvalidResponse(format!(
                "`{}` answers with status {status}",
                url.path()
            ))),
        }
    };
    let slow = || watch.waiting(&waiting(&url));
    patiently(watch, pace.slow, slow, exchange).await?
}

fn waiting(url: &Url) -> String {
    format!("Waiting for {}", url.host_str().unwrap_or_default())
}

async fn body(response: reqwest::Response, base: &Url) -> Result<Vec<u8>, ServiceError> {
    read(response, base, LONGEST, untrusted("its answer is too long")).await
}

fn secure(text: &str) -> Result<(), ServiceError> {
    match address(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(unsound("one of its addresses is not HTTPS")),
    }
}

fn unsound(what: &str) -> ServiceError {
    ServiceError::InvalidResponse(untrusted(what))
}

fn untrusted(what: &str) -> String {
    format!("the issuer of tokens can't be trusted: {what}")
}
