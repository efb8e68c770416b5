//! One cluster: requests and answers, how long they may take, what is tried again, and how far a change may have come.
//!
//! The only asynchronous place. `kube` signs in and speaks TLS; its own retries are off, because a change that was tried twice
//! must be known to have been.

mod answer;
mod lost;
mod request;
mod waiting;

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use bot_cli_sdk::session::{Level, Session};
use bot_cli_secrets::{Code, Error};
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use kube::{Client, Config};

use crate::pace::Pace;
pub use answer::{Answer, not_the_api};
pub use request::Request;
pub use waiting::Worker;

/// The number of attempts until a request succeeds or fails in a way that stays.
pub const SEVERAL: u32 = 3;

/// The number of attempts of a look that only makes another answer surer.
pub const ONCE: u32 = 1;

/// The largest answer that is read: more than a Secret of 1 MiB in base64, or a listing, can have.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// A namespace of a cluster.
pub struct Cluster {
    /// The code of the region, where there are regions.
    pub region: Option<String>,
    /// The namespace.
    pub namespace: String,
    /// The cluster, for people.
    pub shown: String,
    pub config: Config,
    pub pace: Pace,
    pub worker: Rc<Worker>,
    /// The client, once it has signed in.
    pub client: OnceCell<Client>,
}

/// A request that did not succeed.
#[derive(Debug)]
pub struct Failed {
    /// The last error. The codes `conflict`, `not_found` and `no_place` are the API's own words.
    pub error: Error,
    /// Whether a try may have been carried out, or may still be.
    pub may_be_done: bool,
    /// The least wait after which another try may succeed.
    again_after: Option<Duration>,
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

impl Failed {
    /// An error that stays and changed nothing.
    fn at_once(error: Error) -> Self {
        Self {
            error,
            may_be_done: false,
            again_after: None,
        }
    }
}

impl Cluster {
    /// Sends a request.
    pub fn send(
        &self,
        request: &Request,
        tries: u32,
        session: &mut Session,
    ) -> Result<Answer, Failed> {
        let mut may_be_done = false;
        let mut turn = 1;
        loop {
            let mut failed = match self.exchange(request, session) {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            may_be_done |= failed.may_be_done;
            failed.may_be_done = may_be_done;
            let backoff = self.pace.first_retry * 2_u32.pow(turn - 1);
            let pause = match failed.again_after {
                Some(asked) if asked <= self.pace.longest_wait => asked.max(backoff),
                Some(_) | None => return Err(failed),
            };
            if turn == tries {
                return Err(failed);
            }
            turn += 1;
            let (message, seconds) = (&failed.error.message, pause.as_secs_f64());
            let line = format!("{message}; trying again in {seconds} s ({turn} of {tries})");
            session.log(Level::Info, &line);
            // The timer belongs to the runtime, so it begins inside.
            let sleeping = async { tokio::time::sleep(pause).await };
            if let Err(stopped) = self.worker.wait(session, "waiting to try again", sleeping) {
                failed.error = stopped;
                return Err(failed);
            }
        }
    }

    /// Sends a request once.
    fn exchange(&self, request: &Request, session: &mut Session) -> Result<Answer, Failed> {
        let client = self.client(session).map_err(Failed::at_once)?;
        let limit = self.pace.answer;
        let work = async {
            let answering = async {
                let response = client.send(request.http().map(Body::from)).await;
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
            return Err(Failed::at_once(waiting::cancelled()));
        }
        // Whatever was on its way when the user stopped may have arrived.
        self.worker
            .wait(session, "waiting for the cluster", work)
            .unwrap_or_else(|stopped| {
                Err(Failed {
                    may_be_done: true,
                    ..Failed::at_once(stopped)
                })
            })
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
            .map_err(|error| lost::no_client(&error))?;
        Ok(self.client.get_or_init(|| made))
    }
}
