//! Sends requests to one cluster, with time limits, and determines whether a failed change may have been applied.
//!
//! Only this module is asynchronous. `kube` handles sign-in and TLS. Its retries are disabled, because they would hide that a change was
//! sent twice.

mod answer;
mod lost;
mod request;
mod waiting;

use std::cell::OnceCell;
use std::time::Duration;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::{ChangeError, Code, Error};
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use kube::{Client, Config};

use crate::object::Object;
pub use answer::{Answer, not_the_api};
pub use request::Request;
pub use waiting::Worker;

/// The maximum size of a response, in bytes. A list of Secrets and a base64-encoded Secret of 1 MiB both fit.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// The default time limit for a response.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Cluster {
    /// The region, if the user specified one.
    pub region: Option<String>,
    pub namespace: String,
    /// The cluster's name in messages.
    pub shown: String,
    pub config: Config,
    pub patience: Duration,
    pub worker: Worker,
    /// The client, set after sign-in.
    pub client: OnceCell<Client>,
}

impl Cluster {
    /// Fetches a Secret. Returns `None` if the API reports that the Secret doesn't exist.
    pub fn look(&self, name: &str, session: &Session) -> Result<Option<Object>, Error> {
        match self.send(&Request::get(&self.namespace, name)?, session) {
            Ok(answer) => {
                let object = answer.decode::<Object>();
                let object = object.filter(|object| object.is_secret(name));
                object.map(Some).ok_or_else(not_the_api)
            }
            Err(failed) if failed.cause.code == Code::NotFound => Ok(None),
            Err(failed) => Err(failed.cause),
        }
    }

    /// Sends a request and returns the response.
    ///
    /// Only a response from the API itself can cause the error codes `conflict`, `not_found` and `no_place`. The error's effect describes
    /// only this request.
    pub fn send(&self, request: &Request, session: &Session) -> Result<Answer, ChangeError> {
        let client = self.client(session).map_err(Error::not_done)?;
        let limit = self.patience;
        let work = async {
            let answering = async {
                let response = client.send(request.http.clone().map(Body::from)).await;
                let (parts, body) = response.map_err(|error| lost::failed(&error))?.into_parts();
                let body = Limited::new(body, LARGEST_ANSWER).collect().await;
                // If a response breaks off, the outcome of the request is unknown.
                let body = body.map_err(|_| lost::broken())?.to_bytes();
                answer::read(&parts, &body, request, &self.namespace)
            };
            let answered = tokio::time::timeout(limit, answering).await;
            answered.unwrap_or_else(|_| Err(lost::timed_out(limit)))
        };
        if session.cancelled() {
            return Err(waiting::cancelled().not_done());
        }
        let waited = self.worker.wait(session, "waiting for the cluster", work);
        // The request may have arrived before the user cancelled.
        waited.unwrap_or_else(|error| Err(error.unknown()))
    }

    /// Returns the client, signing in on first use.
    fn client(&self, session: &Session) -> Result<&Client, Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let config = self.config.clone();
        // Creating the client may run a sign-in program, and the user may want to cancel that.
        let making = async { tokio::task::spawn_blocking(|| Client::try_from(config)).await };
        let made = self
            .worker
            .wait(session, "signing in to the cluster", making)?
            .map_err(|_| Error::new(Code::Internal, "the sign-in to the cluster broke off"))?
            .map_err(|_| lost::sign_in())?;
        Ok(self.client.get_or_init(|| made))
    }
}
