//! One cluster: requests and answers, how long they may take, and how far a change may have come.
//!
//! The only asynchronous place. `kube` signs in and speaks TLS; its retries are off, because a change that was tried twice
//! must be known to have been.

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

/// The largest answer that is read: more than a Secret of 1 MiB in base64, or a listing, can have.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// The time that an answer may take, for people and networks.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A namespace of a cluster.
pub struct Cluster {
    /// The region that the user named.
    pub region: Option<String>,
    /// The namespace.
    pub namespace: String,
    /// The cluster, for people.
    pub shown: String,
    pub config: Config,
    /// The time that an answer may take.
    pub patience: Duration,
    pub worker: Worker,
    /// The client, once it has signed in.
    pub client: OnceCell<Client>,
}

impl Cluster {
    /// Looks at one Secret; `None` where the API says that there is none.
    pub fn look(&self, name: &str, session: &mut Session) -> Result<Option<Object>, Error> {
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

    /// Sends a request. In an error, the codes `conflict`, `not_found` and `no_place` are the API's own words, and the effect is that
    /// of the request.
    pub fn send(&self, request: &Request, session: &mut Session) -> Result<Answer, ChangeError> {
        let client = self.client(session).map_err(Error::not_done)?;
        let limit = self.patience;
        let work = async {
            let answering = async {
                let response = client.send(request.http.clone().map(Body::from)).await;
                let (parts, body) = response.map_err(|error| lost::failed(&error))?.into_parts();
                let body = Limited::new(body, LARGEST_ANSWER).collect().await;
                // An answer that breaks off leaves open what became of the request.
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
        // A request that was on its way when the user stopped may have arrived.
        waited.unwrap_or_else(|error| Err(error.unknown()))
    }

    /// The client, signed in.
    fn client(&self, session: &mut Session) -> Result<&Client, Error> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let config = self.config.clone();
        // A sign-in program runs while the client is made, and the user may not want to wait for it.
        let making = async { tokio::task::spawn_blocking(|| Client::try_from(config)).await };
        let made = self
            .worker
            .wait(session, "signing in to the cluster", making)?
            .map_err(|_| Error::new(Code::Internal, "the sign-in to the cluster broke off"))?
            .map_err(|_| lost::sign_in())?;
        Ok(self.client.get_or_init(|| made))
    }
}
