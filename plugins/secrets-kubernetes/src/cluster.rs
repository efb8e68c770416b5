//! One cluster: requests and answers, how long they may take, what is tried again, and how far a change may have come.
//!
//! The only asynchronous place. `kube` signs in and speaks TLS; its own retries are off, because a change that was tried twice
//! must be known to have been.

mod answer;
mod refusal;
mod request;
mod transport;

use std::rc::Rc;
use std::time::Duration;

use bot_cli_sdk::session::{Level, Session};
use bot_cli_secrets::Error;
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;

use crate::pace::Pace;
use crate::worker::{Worker, cancelled};
pub use answer::{Answer, not_the_api};
pub use request::Request;
pub use transport::sign_in;

/// The maximum number of attempts.
const TRIES: u32 = 3;

/// The largest answer that is read: more than a Secret of 1 MiB in base64, or a page of a listing, can have.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// One cluster, and one namespace in it.
pub struct Cluster {
    worker: Rc<Worker>,
    client: kube::Client,
    namespace: String,
    pace: Pace,
}

/// Whether a request may have been carried out, over all its tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// No try was carried out.
    Nothing,
    /// A try may have been carried out, or may still be.
    Perhaps,
}

/// A request that did not succeed.
#[derive(Debug)]
pub struct Failed {
    /// The last error.
    pub error: Error,
    pub reach: Reach,
    pub said: Said,
    retry: Retry,
}

/// The API's own statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// There is no such object.
    NotFound,
    /// There is no such namespace.
    NoNamespace,
    /// The rest of a listing is no longer there.
    Gone,
    /// The object has another version, or exists already.
    Conflict,
    /// Something else, or nothing.
    Other,
}

/// Whether another try may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retry {
    No,
    Soon,
    After(Duration),
}

/// The number of attempts that a request allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tries {
    /// Until it succeeds or fails in a way that stays.
    Several,
    /// Once: a look that only makes another answer surer.
    One,
}

impl Cluster {
    /// The cluster that `client` speaks to, and the namespace in it.
    pub fn new(worker: &Rc<Worker>, client: kube::Client, namespace: String, pace: Pace) -> Self {
        Self {
            worker: Rc::clone(worker),
            client,
            namespace,
            pace,
        }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Sends a request.
    pub fn send(
        &self,
        request: &Request,
        tries: Tries,
        session: &mut Session,
    ) -> Result<Answer, Failed> {
        let tries = match tries {
            Tries::Several => TRIES,
            Tries::One => 1,
        };
        let mut reach = Reach::Nothing;
        let mut turn = 1;
        loop {
            let mut failed = match self.exchange(request, session) {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            reach = reach.max(failed.reach);
            failed.reach = reach;
            let pause = match failed.retry {
                Retry::After(asked) if asked <= self.pace.longest_wait => {
                    asked.max(self.pace.first_retry)
                }
                Retry::Soon => self.pace.first_retry * 2_u32.pow(turn - 1),
                Retry::No | Retry::After(_) => return Err(failed),
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
            let slept = self.worker.wait(session, "waiting to try again", sleeping);
            if let Err(stopped) = slept {
                failed.error = stopped;
                failed.said = Said::Other;
                return Err(failed);
            }
        }
    }

    /// Sends a request once.
    fn exchange(&self, request: &Request, session: &mut Session) -> Result<Answer, Failed> {
        let work = async {
            let answering = async {
                let response = self.client.send(request.http().map(Body::from)).await;
                let response = response.map_err(|error| transport::failed(&error))?;
                let (parts, body) = response.into_parts();
                let body = Limited::new(body, LARGEST_ANSWER).collect().await;
                // An answer that breaks off leaves open what became of the request.
                let body = body.map_err(|_| transport::broken())?;
                answer::read(parts.status, &parts.headers, &body.to_bytes(), request)
            };
            tokio::time::timeout(self.pace.answer, answering)
                .await
                .unwrap_or_else(|_| Err(transport::timed_out(self.pace.answer)))
        };
        let stopped = |error, reach| Failed {
            error,
            reach,
            said: Said::Other,
            retry: Retry::No,
        };
        if session.cancelled() {
            return Err(stopped(cancelled(), Reach::Nothing));
        }
        // Whatever was on its way when the user stopped may have arrived.
        let waited = self.worker.wait(session, "waiting for the cluster", work);
        waited.unwrap_or_else(|error| Err(stopped(error, Reach::Perhaps)))
    }
}
