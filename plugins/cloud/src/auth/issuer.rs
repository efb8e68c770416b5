//! The token issuer: endpoint discovery, token renewal and token revocation.

use std::time::{SystemTime, UNIX_EPOCH};

use bot_cli_sdk::session::{Level, Session};
use oauth2::basic::{BasicClient, BasicErrorResponseType, BasicTokenResponse, BasicTokenType};
use oauth2::{
    AuthUrl, ClientId, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, RefreshToken,
    RequestTokenError, Scope, TokenResponse, TokenUrl,
};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Request, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::{Url, form_urlencoded};

use super::credentials::{Credentials, Refresh, parse_token};
use crate::address::address;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::connect::{connector, failed, patiently, read, runtime};
use crate::domain::TokenKind;
use crate::pace::Pace;

/// The size limit for a response, in bytes.
const LONGEST: usize = 256 * 1024;

/// The maximum token lifetime, in seconds: ten years.
const LONGEST_LIFE: u64 = 315_360_000;

/// An OAuth client with an authorization endpoint and a token endpoint.
pub type Oauth =
    BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

pub struct Issuer<'a> {
    service: String,
    wire: Wire<'a>,
    config: SignInConfig,
    endpoints: Endpoints,
}

/// An HTTP client for unauthenticated requests.
struct Wire<'a> {
    http: reqwest::Client,
    pace: Pace,
    session: &'a Session,
}

#[derive(Deserialize)]
struct SignInConfig {
    issuer: String,
    client_id: String,
    scopes: Option<String>,
}

#[derive(Deserialize)]
struct Endpoints {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: Option<String>,
    code_challenge_methods_supported: Option<Vec<String>>,
}

impl<'a> Issuer<'a> {
    /// Fetches the issuer's URL from the service and then the issuer's metadata. Fails if the metadata is inconsistent or insecure.
    pub async fn find(base: &Url, pace: Pace, session: &'a Session) -> Result<Self, ServiceError> {
        let http = connector(base, pace)?;
        let wire = Wire {
            http,
            pace,
            session,
        };
        let service = base.as_str().trim_end_matches('/').to_owned();
        let root = service.strip_suffix("/v1").unwrap_or(&service);
        let config: SignInConfig = wire.get(&format!("{root}/auth/config")).await?;
        secure(&config.issuer)?;
        let issuer = config.issuer.trim_end_matches('/');
        let discovery = format!("{issuer}/.well-known/openid-configuration");
        let endpoints: Endpoints = wire.get(&discovery).await?;
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
            wire,
            config,
            endpoints,
        })
    }

    /// Finds the token issuer of the service at `base` and exchanges the refresh token for new credentials.
    pub fn renewed(
        base: &Url,
        pace: Pace,
        session: &'a Session,
        refresh: &Refresh,
    ) -> Result<Credentials, ServiceError> {
        runtime()?.block_on(async { Self::find(base, pace, session).await?.renew(refresh).await })
    }

    pub fn revoked(
        base: &Url,
        pace: Pace,
        session: &'a Session,
        credentials: &Credentials,
    ) -> Result<bool, ServiceError> {
        runtime()?.block_on(async {
            let issuer = Self::find(base, pace, session).await?;
            issuer.revoke(credentials).await
        })
    }

    pub fn oauth(&self) -> Result<Oauth, ServiceError> {
        let endpoints = &self.endpoints;
        let wrong = |_| unsound("one of its addresses is not valid");
        let authorization = AuthUrl::new(endpoints.authorization_endpoint.clone());
        let token = TokenUrl::new(endpoints.token_endpoint.clone());
        let client = BasicClient::new(ClientId::new(self.config.client_id.clone()));
        Ok(client
            .set_auth_uri(authorization.map_err(wrong)?)
            .set_token_uri(token.map_err(wrong)?))
    }

    /// Returns the OAuth scopes to request, separated by spaces.
    pub fn scope(&self) -> Scope {
        let scopes = self.config.scopes.as_deref();
        Scope::new(
            scopes
                .unwrap_or("openid profile email offline_access")
                .to_owned(),
        )
    }

    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, ServiceError> {
        let request =
            Request::try_from(request).map_err(|_| unsound("its address is not valid"))?;
        let (status, body) = self.wire.exchange(request).await?;
        let mut answer = HttpResponse::new(body);
        *answer.status_mut() = status;
        Ok(answer)
    }

    async fn renew(&self, refresh: &Refresh) -> Result<Credentials, ServiceError> {
        let token = RefreshToken::new(refresh.token.expose().to_owned());
        let client = self.oauth()?;
        let sent = client
            .exchange_refresh_token(&token)
            .request_async(&|request| self.send(request))
            .await;
        let answer = sent.map_err(|error| refused(&error))?;
        let mut credentials = self.grant(&answer)?;
        // An issuer that returns no new refresh token still accepts the old one.
        if let (None, Some(expires_at)) = (&credentials.refresh, expiry(&answer)) {
            credentials.refresh = Some(Refresh {
                token: refresh.token.clone(),
                expires_at,
            });
        }
        Ok(credentials)
    }

    /// Revokes a sign-in as defined in RFC 7009, including every copy of its tokens. Sends the refresh token if there is one, otherwise the
    /// access token.
    async fn revoke(&self, credentials: &Credentials) -> Result<bool, ServiceError> {
        let Some(endpoint) = &self.endpoints.revocation_endpoint else {
            return Ok(false);
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
        // The OAuth client would refuse an issuer on this machine.
        let request = self.wire.http.post(endpoint);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = request.body(body).build();
        let request = request.map_err(|_| unsound("one of its addresses is not valid"))?;
        let (status, _) = self.wire.exchange(request).await?;
        if status.is_success() {
            return Ok(true);
        }
        Err(ServiceError::Refused {
            status: status.as_u16(),
            message: String::new(),
        })
    }

    /// Converts a token response into credentials. Fails if the token is not a bearer token.
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

/// Returns the expiry time of a response's token, in seconds since the Unix epoch.
fn expiry(answer: &BasicTokenResponse) -> Option<u64> {
    let lifetime = answer.expires_in()?.as_secs();
    Some(now() + lifetime.min(LONGEST_LIFE))
}

/// Returns the current time, in seconds since the Unix epoch.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Converts an OAuth error into a service error. Drops the issuer's description, which may quote the request.
pub fn refused(
    error: &RequestTokenError<ServiceError, oauth2::basic::BasicErrorResponse>,
) -> ServiceError {
    match error {
        RequestTokenError::Request(error) => error.clone(),
        RequestTokenError::ServerResponse(answer) => match answer.error() {
            BasicErrorResponseType::InvalidGrant => {
                ServiceError::NotSignedIn("the issuer grants no token for it".to_owned())
            }
            BasicErrorResponseType::Extension(code)
                if code == "temporarily_unavailable" || code == "server_error" =>
            {
                ServiceError::IssuerUnavailable(None)
            }
            // An unknown error code may contain anything.
            BasicErrorResponseType::Extension(_) => ServiceError::IssuerRefused(None),
            BasicErrorResponseType::InvalidClient
            | BasicErrorResponseType::InvalidRequest
            | BasicErrorResponseType::InvalidScope
            | BasicErrorResponseType::UnauthorizedClient
            | BasicErrorResponseType::UnsupportedGrantType => {
                ServiceError::IssuerRefused(Some(answer.error().as_ref().to_owned()))
            }
        },
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            let what = "the answer is not that of an issuer of tokens";
            ServiceError::InvalidResponse(what.to_owned())
        }
    }
}

impl Wire<'_> {
    async fn get<T: DeserializeOwned>(&self, address: &str) -> Result<T, ServiceError> {
        let request = self.http.get(address).build();
        let request = request.map_err(|_| unsound("one of its addresses is not valid"))?;
        let path = request.url().path().to_owned();
        let (status, body) = self.exchange(request).await?;
        let decoded = serde_json::from_slice(&body).ok();
        decoded.filter(|_| status.is_success()).ok_or_else(|| {
            let status = status.as_u16();
            let what = format!("what `{path}` answers (status {status}) does not help signing in");
            ServiceError::InvalidResponse(what)
        })
    }

    /// Sends a request and notifies the user if the response is slow.
    async fn exchange(&self, request: Request) -> Result<(StatusCode, Vec<u8>), ServiceError> {
        let url = request.url().clone();
        let line = format!("{} {}", request.method(), url.path());
        self.session.log(Level::Debug, &line);
        let exchange = async {
            let response = self.http.execute(request).await;
            let response = response.map_err(|error| failed(&url, &error))?;
            let status = response.status();
            let too_long = untrusted("its answer is too long");
            let body = read(response, &url, LONGEST, too_long).await?;
            Ok((status, body))
        };
        let host = url.host_str().unwrap_or_default();
        let slow = || {
            self.session
                .progress(&format!("Waiting for {host}"), None, None);
        };
        let (status, body) = patiently(self.session, self.pace.slow, slow, exchange).await??;
        match status.as_u16() {
            status @ (408 | 429 | 500..) => Err(ServiceError::IssuerUnavailable(Some(status))),
            _ => Ok((status, body)),
        }
    }
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
