//! Uploads a build context to a URL that the service provides. The request does not contain the token.

use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bot_cli_sdk::session::Session;
use bytes::Bytes;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use super::Service;
use crate::address::is_this_machine;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::connect::{attended, connector, failed};
use crate::deploy::context::BuildContext;

const CHUNK: usize = 64 * 1024;

#[derive(Deserialize)]
pub struct UploadTarget {
    #[serde(rename = "uploadId")]
    pub id: String,
    #[serde(rename = "uploadUrl")]
    url: String,
    #[serde(rename = "uploadFields")]
    fields: Map<String, Value>,
}

impl Service<'_> {
    /// Uploads a build context. Fails if no data is transferred for longer than `pace.request`.
    pub fn upload(
        &self,
        context: &BuildContext,
        target: &UploadTarget,
        session: &Session,
    ) -> Result<(), ServiceError> {
        let pace = self.scope.pace;
        let invalid = |what: &str| ServiceError::InvalidResponse(what.to_owned());
        let url = Url::parse(&target.url);
        let url = url.map_err(|_| invalid("the address for the upload is not valid"))?;
        // Plain HTTP is only for a service that runs on this machine itself.
        let is_local = is_this_machine(&self.scope.api_url.value) && is_this_machine(&url);
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local) {
            return Err(invalid("the address for the upload is not secure"));
        }
        let sent = Arc::new(AtomicU64::new(0));
        let form = form(context, target, &sent)
            .map_err(|_| invalid("the fields for the upload are not valid"))?;
        let http = connector(&url, pace)?;
        let request = async {
            let request = http.post(url.clone()).multipart(form);
            // The limit is for the pauses of a transfer, not for all of it.
            request.timeout(pace.upload).send().await
        };
        let (mut moved, mut done) = (Instant::now(), 0);
        let tick = || {
            let now = sent.load(Ordering::Relaxed).min(context.bytes);
            if now > done {
                (moved, done) = (Instant::now(), now);
                session.progress("Uploading", Some(now), Some(context.bytes));
            }
            let host = url.host_str().unwrap_or_default().to_owned();
            (moved.elapsed() > pace.request).then_some(ServiceError::TimedOut(host))
        };
        let sent = self.client.attend(attended(session, tick, request))?;
        let response = sent.map_err(|error| failed(&url, &error))?;
        match response.status().as_u16() {
            200 | 201 | 204 => Ok(()),
            status => {
                let message = format!("the upload to {}", url.host_str().unwrap_or_default());
                Err(ServiceError::Refused { status, message })
            }
        }
    }
}

/// Returns the form, which contains the service's fields in their order, followed by the file.
fn form(
    context: &BuildContext,
    target: &UploadTarget,
    sent: &Arc<AtomicU64>,
) -> std::io::Result<Form> {
    let mut form = Form::new();
    for (name, value) in &target.fields {
        let value = value.as_str().ok_or(std::io::ErrorKind::InvalidData)?;
        form = form.text(name.clone(), value.to_owned());
    }
    let (mut file, sent) = (context.reader()?, Arc::clone(sent));
    let chunks = std::iter::from_fn(move || {
        let mut chunk = vec![0; CHUNK];
        match file.read(&mut chunk) {
            Ok(0) => None,
            Ok(read) => {
                sent.fetch_add(read as u64, Ordering::Relaxed);
                Some(Ok(Frame::data(Bytes::from(chunk).slice(..read))))
            }
            Err(error) => Some(Err(error)),
        }
    });
    let body = reqwest::Body::wrap(StreamBody::new(futures_util::stream::iter(chunks)));
    let part = Part::stream_with_length(body, context.bytes).file_name("context.tar.gz");
    let part = part
        .mime_str("application/gzip")
        .map_err(std::io::Error::other)?;
    Ok(form.part("file", part))
}
