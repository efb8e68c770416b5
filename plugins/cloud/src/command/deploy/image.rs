//! The image for a deployment. By default, the service builds the image from the project.

use std::time::Instant;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::wording::count;
use bot_cli_terminal::shell::quoted;
use reqwest::Method;
use serde_json::json;

use super::follow::clock;
use crate::backend::Explained;
use crate::backend::hosted::http::Reach;
use crate::command::context::CommandContext;
use crate::command::project::Project;
use crate::deploy::context::{BuildContext, pack};
use crate::service::upload::UploadTarget;
use crate::service::{Build, OneBuild, Service, decoded};
use crate::text::theirs;
use crate::words::failed;

/// The number of lines to show from the end of a failed build's log.
const LAST_LINES: usize = 15;

pub enum Image {
    /// The image, the build or the repository in the settings.
    Given,
    /// A build of the same context.
    Built { id: String, context: BuildContext },
    /// A build context that the service has not built yet.
    Packed {
        context: BuildContext,
        dockerfile: String,
        folder: String,
    },
}

impl Image {
    /// Determines the image. Packs the build context unless the settings specify an image, a build or a repository.
    pub fn of(
        context: &CommandContext<'_>,
        service: &Service<'_>,
        project: &Project,
        region: &str,
    ) -> Result<Self, Failure> {
        let settings = &project.settings;
        let is_given = settings.image.is_some() || settings.build_id.is_some();
        if is_given || settings.git.repo.is_some() {
            return Ok(Self::Given);
        }
        let folder = match &settings.build.context_dir {
            Some(below) => {
                let folder = project.folder.join(below);
                folder.canonicalize().unwrap_or(folder)
            }
            None => project.folder.clone(),
        };
        let dockerfile = settings.build.dockerfile.as_deref().unwrap_or("Dockerfile");
        context.progress("Packing the build context");
        let exclude = &settings.build.exclude.patterns;
        let packed = pack(&folder, dockerfile, exclude, context)?;
        let query = [
            ("contextHash", Some(packed.hash.clone())),
            ("region", Some(region.to_owned())),
            ("status", Some("success".to_owned())),
            ("limit", Some("10".to_owned())),
        ];
        let builds = service.rows(&["builds"], "builds", &query)?.into_iter();
        let mut builds = builds.filter_map(|build| serde_json::from_value(build).ok());
        let is_same =
            |build: &Build| build.is_usable() && build.is_of(&packed.hash, dockerfile, region);
        if let Some(build) = builds.find(is_same) {
            return Ok(Self::Built {
                id: build.id,
                context: packed,
            });
        }
        Ok(Self::Packed {
            context: packed,
            dockerfile: dockerfile.to_owned(),
            folder: folder.display().to_string(),
        })
    }

    /// Returns the paths of what is sent for a build, or was sent for one that exists.
    pub fn files(&self) -> &[String] {
        match self {
            Self::Given => &[],
            Self::Built { context, .. } | Self::Packed { context, .. } => &context.files,
        }
    }

    /// Describes the image that the service will build, if any.
    pub fn words(&self) -> Option<String> {
        let Self::Packed {
            context, folder, ..
        } = self
        else {
            return None;
        };
        let files = context.files.iter().filter(|name| !name.ends_with('/'));
        let files = count(files.count(), "file");
        let size = context.bytes.div_ceil(1024);
        let left_out = context.left_out.iter();
        let left_out = left_out.map(|name| format!(", without {}", theirs(name)));
        let left_out: String = left_out.collect();
        Some(format!(
            "built by the service from {folder} ({files}, {size} KiB{left_out})"
        ))
    }

    /// Builds the image if necessary. Returns the ID of the build, or `None` for [`Given`](Self::Given).
    pub fn built(
        &self,
        context: &CommandContext<'_>,
        service: &Service<'_>,
        region: &str,
    ) -> Result<Option<String>, Failure> {
        let (packed, dockerfile) = match self {
            Self::Given => return Ok(None),
            Self::Built { id, .. } => return Ok(Some(id.clone())),
            Self::Packed {
                context,
                dockerfile,
                ..
            } => (context, dockerfile),
        };
        let begun = Instant::now();
        let body = json!({ "region": region });
        // A target without an upload has no effect.
        let sent = service.send_once(&Method::POST, &["builds", "upload-url"], &body);
        let target: UploadTarget = sent.and_then(decoded).map_err(|it| it.error)?;
        service.upload(packed, &target, context).map_err(|error| {
            let failure = error.explain();
            let why = format!(
                "the build context could not be uploaded: {}",
                failure.message
            );
            failure.message(why)
        })?;
        let took = clock(begun.elapsed());
        context.note(&format!("uploaded the build context ({took})"));
        let body = json!({
            "uploadId": target.id,
            "region": region,
            "dockerfilePath": dockerfile,
        });
        let goes_on = |failure: Failure| {
            let list = service.scope.command("builds list");
            failure.hint(format!(
                "the build may go on at the service: `{list}` shows it"
            ))
        };
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
            context.progress(&format!("Building the image, {}", clock(elapsed)));
            let OneBuild { build } = service.get(&["builds", &id], &[])?;
            Ok(Some(build).filter(Build::is_over))
        });
        let Some(build) = ended.map_err(|error| goes_on(error.explain()))? else {
            let message = "the build is not finished after a long time";
            let failure = Failure::new(Exit::Unavailable, "not_ready", message);
            return Err(goes_on(failure));
        };
        if !build.is_usable() {
            return Err(not_built(context, service, &build));
        }
        let took = clock(begun.elapsed());
        context.note(&format!("the service has built the image ({took})"));
        Ok(Some(id))
    }
}

/// Shows the last lines of a failed build's log and returns the failure.
fn not_built(context: &CommandContext<'_>, service: &Service<'_>, build: &Build) -> Failure {
    let (lines, _) = service.build_log(&build.id).unwrap_or_default();
    for line in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)) {
        context.note(line);
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
