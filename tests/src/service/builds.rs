//! Image builds.

use serde_json::{Value, json};

use super::clock::timestamp;

/// The length and outcome of an image build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Building {
    /// The number of reads of the build before it ends.
    pub pending_reads: u32,
    /// The outcome of the build.
    pub end: BuildEnd,
}

/// The outcome of a build.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BuildEnd {
    /// The build produces an image.
    #[default]
    Success,
    /// The build fails with this message and these log lines.
    Failed { message: String, logs: Vec<String> },
    /// The build times out.
    Timeout,
}

#[derive(Debug, Clone)]
pub(super) struct Build {
    pub(super) id: String,
    pub(super) region: String,
    pub(super) hash: String,
    pub(super) dockerfile: Option<String>,
    pub(super) size: usize,
    pub(super) created: i64,
    pub(super) is_read: bool,
    pub(super) building: Building,
    /// The time when the build ended, in milliseconds since the epoch.
    pub(super) completed: Option<i64>,
}

impl Build {
    pub(super) fn status(&self) -> &'static str {
        match (self.completed, &self.building.end) {
            (None, _) if self.is_read => "building",
            (None, _) => "pending",
            (Some(_), BuildEnd::Success) => "success",
            (Some(_), BuildEnd::Failed { .. }) => "failed",
            (Some(_), BuildEnd::Timeout) => "timeout",
        }
    }

    pub(super) fn logs(&self) -> Vec<&str> {
        match (self.completed, &self.building.end) {
            (None, _) => Vec::new(),
            (Some(_), BuildEnd::Failed { logs, .. }) => logs.iter().map(String::as_str).collect(),
            (Some(_), BuildEnd::Success) => vec!["Step 1 of 1", "The image is built"],
            (Some(_), BuildEnd::Timeout) => vec!["Step 1 of 1"],
        }
    }

    pub(super) fn document(&self) -> Value {
        let mut document = json!({
            "id": self.id,
            "status": self.status(),
            "region": self.region,
            "contextHash": self.hash,
            "dockerfilePath": self.dockerfile.as_deref().unwrap_or("Dockerfile"),
            "contextSizeBytes": self.size,
            "createdAt": timestamp(self.created),
            "updatedAt": timestamp(self.completed.unwrap_or(self.created)),
        });
        let Some(completed) = self.completed else {
            return document;
        };
        document["startedAt"] = json!(timestamp(self.created));
        document["completedAt"] = json!(timestamp(completed));
        document["buildDurationSeconds"] = json!((completed - self.created) / 1000);
        match &self.building.end {
            BuildEnd::Success => document["imageSizeBytes"] = json!(524_288_000),
            BuildEnd::Failed { message, .. } => document["errorMessage"] = json!(message),
            BuildEnd::Timeout => document["errorMessage"] = json!("The build took too long"),
        }
        document
    }
}
