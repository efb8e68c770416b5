//! Facts about the framework's release that projects are made for.

/// A release of the framework, the Pythons it installs on, and the image that runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framework {
    /// The oldest `pipecat-ai` of a project: the one that the templates are checked with.
    pub release: &'static str,
    /// The first `pipecat-ai` that may break the templates.
    pub below: &'static str,
    /// The oldest Python that it installs on.
    pub oldest_python: (u32, u32),
    /// The first Python for which one of its own requirements has no wheel.
    pub python_below: (u32, u32),
    /// The Python of the container image, and of projects.
    pub image_python: (u32, u32),
    /// A release of the image `dailyco/pipecat-base`.
    pub base_image: &'static str,
}

/// The release that projects are made for.
pub const FRAMEWORK: Framework = Framework {
    release: "1.14.0",
    below: "2",
    oldest_python: (3, 11),
    // `onnxruntime` has none for 3.15.
    python_below: (3, 15),
    image_python: (3, 12),
    // The first that starts sessions over Media over QUIC: https://docs.pipecat.ai/pipecat-cloud/guides/moq
    base_image: "0.2.7",
};
