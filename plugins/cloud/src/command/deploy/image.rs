//! The image for a deployment. By default, the service builds the image from the project.

use std::time::Instant;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::wording::count;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell::quoted;
use reqwest::Method;
use serde_json::json;

use super::follow::clock;
use crate::backend::hosted::http::Reach;
use crate::command::context::CommandContext;
use crate::command::project::Deployment;
use crate::deploy::context::{BuildContext, pack};
use crate::service::upload::UploadTarget;
use crate::service::{OneBuild, Service, ServiceBuild, decoded};
use crate::text::theirs;
use crate::words::failed;

/// The number of files that are left out to show in the plan.
const SHOWN: usize = 5;

/// The number of lines to show from the end of a failed build's log.
const LAST_LINES: usize = 15;

/// The image of a build context.
pub struct Image {
    pub context: BuildContext,
    dockerfile: String,
    folder: String,
    /// The ID of a build of the same context, if there is one.
    pub id: Option<String>,
}

impl Image {
    /// Packs the build context. Returns `None` if the settings specify an image, a build or a repository.
    pub fn of(
        context: CommandContext<'_>,
        service: &Service<'_>,
        project: &Deployment,
        region: &str,
    ) -> Result<Option<Self>, Failure> {
        let session = context.session;
        let settings = &project.settings;
        let is_given = settings.image.is_some() || settings.build_id.is_some();
        if is_given || settings.git.repo.is_some() {
            return Ok(None);
        }
        let mut folder = project.folder.clone();
        if let Some(below) = &settings.build.context_dir {
            folder.push(below);
            folder = folder.canonicalize().unwrap_or(folder);
        }
        let dockerfile = settings.build.dockerfile.as_deref().unwrap_or("Dockerfile");
        session.progress("Packing the build context", None, None);
        let exclude = &settings.build.exclude.patterns;
        let packed = pack(&folder, dockerfile, exclude, &|| session.cancelled())?;
        let query = [
            ("contextHash", Some(packed.hash.clone())),
            ("region", Some(region.to_owned())),
            ("status", Some("success".to_owned())),
            ("limit", Some("10".to_owned())),
        ];
        let builds = service.rows(&["builds"], "builds", &query)?.into_iter();
        let mut builds = builds.filter_map(|build| serde_json::from_value(build).ok());
        let same = builds.find(|it: &ServiceBuild| it.is_of(&packed.hash, dockerfile, region));
        Ok(Some(Self {
            context: packed,
            dockerfile: dockerfile.to_owned(),
            folder: folder.display().to_string(),
            id: same.map(|build| build.id),
        }))
    }

    /// Describes the image as one that the service will build.
    pub fn words(&self) -> String {
        let (context, folder) = (&self.context, &self.folder);
        let files = context.files.iter().filter(|name| !name.ends_with('/'));
        let files = count(files.count(), "file");
        let size = context.bytes.div_ceil(1024);
        let left_out = context.left_out.iter().take(SHOWN);
        let left_out = left_out.map(|name| format!(", without {}", theirs(name)));
        let more = context.left_out.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| format!(" and {more} more"));
        let left_out: String = left_out.chain(more).collect();
        format!("built by the service from {folder} ({files}, {size} KiB{left_out})")
    }

    /// Builds the image if necessary. Returns the ID of the build.
    pub fn built(
        &self,
        context: CommandContext<'_>,
        service: &Service<'_>,
        region: &str,
    ) -> Result<String, Failure> {
        let session = context.session;
        if let Some(id) = &self.id {
            return Ok(id.clone());
        }
        let begun = Instant::now();
        let body = json!({ "region": region });
        // A target without an upload has no effect.
        let sent = service.send_once(&Method::POST, &["builds", "upload-url"], &body);
        let target: UploadTarget = sent.and_then(decoded).map_err(|it| it.error)?;
        let sent = service.upload(&self.context, &target, session);
        sent.map_err(|error| {
            let failure = error.explain();
            let why = &failure.message;
            let message = format!("the build context could not be uploaded: {why}");
            failure.message(message)
        })?;
        let took = clock(begun.elapsed());
        session.note(&format!("uploaded the build context ({took})"));
        let body = json!({
            "uploadId": target.id,
            "region": region,
            "dockerfilePath": self.dockerfile,
        });
        let list = service.scope.command("builds list");
        let hint = format!("the build may go on at the service: `{list}` shows it");
        let goes_on = |failure: Failure| failure.hint(&hint);
        let sent = service.send_once(&Method::POST, &["builds"], &body);
        let created: OneBuild = sent.and_then(decoded).map_err(|unconfirmed| {
            let failure = unconfirmed.error.explain();
            match unconfirmed.reach {
                Reach::Nothing => failure,
                Reach::Ended | Reach::UnderWay => goes_on(failure),
            }
        })?;
        let id = created.build.id;
        let ended = service.client.poll(service.scope.pace.build, |elapsed| {
            session.progress(
                &format!("Building the image, {}", clock(elapsed)),
                None,
                None,
            );
            let OneBuild { build } = service.get(&["builds", &id], &[])?;
            let is_over = ["success", "failed", "timeout"].contains(&build.status.as_str());
            Ok(is_over.then_some(build))
        });
        let Some(build) = ended.map_err(|error| goes_on(error.explain()))? else {
            let message = "the build is not finished after a long time";
            let failure = Failure::new(Exit::Unavailable, "not_ready", message);
            return Err(goes_on(failure));
        };
        if build.status != "success" {
            return Err(not_built(session, service, &build));
        }
        let took = clock(begun.elapsed());
        session.note(&format!("the service has built the image ({took})"));
        Ok(id)
    }
}

/// Shows the last lines of a failed build's log and returns the failure.
fn not_built(session: &Session, service: &Service<'_>, build: &ServiceBuild) -> Failure {
    let (lines, _) = service.build_log(&build.id).unwrap_or_default();
    for line in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)) {
        session.note(line);
    }
    let why = match (build.error_message.as_deref(), build.status.as_str()) {
        (Some(why), _) => theirs(why),
        (None, "timeout") => "it took too long".to_owned(),
        (None, status) => format!("its status is {}", theirs(status)),
    };
    let message = format!("the image was not built: {why}");
    let show = format!("builds logs {}", quoted(&build.id));
    failed("build_failed", message).hint(service.scope.command(&show))
}
