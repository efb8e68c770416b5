//! The release of the framework that projects are made for.

/// A framework release, its supported Python versions and its container image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framework {
    /// The minimum `pipecat-ai` version for a project. The templates are tested with this version.
    pub release: &'static str,
    /// The first `pipecat-ai` version that may break the templates.
    pub below: &'static str,
    /// The framework's minimum Python version.
    pub oldest_python: (u32, u32),
    /// The first Python version that lacks a wheel for one of the framework's requirements.
    pub python_below: (u32, u32),
    /// The Python version used by the container image and by projects.
    pub image_python: (u32, u32),
    /// The tag of the `dailyco/pipecat-base` image.
    pub base_image: &'static str,
}

/// The framework release that projects use.
pub const FRAMEWORK: Framework = Framework {
    release: "1.14.0",
    below: "2",
    oldest_python: (3, 11),
    // `onnxruntime` has no wheel for 3.15.
    python_below: (3, 15),
    image_python: (3, 12),
    // The first image that starts sessions over Media over QUIC: https://docs.pipecat.ai/pipecat-cloud/guides/moq
    base_image: "0.2.7",
};
