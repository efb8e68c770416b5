//! Data for generated projects: the catalogue of AI services and transports, the project templates and the coding-agent guides. The crate
//! only provides typed access to embedded files, and leaves rendering and decisions to its callers.

pub mod catalogue;
mod embedded;
mod framework;
pub mod languages;
mod migrations;
pub mod pack;
pub mod packs;
pub mod prepared;
mod presets;
pub mod project;

pub use embedded::{
    Copied, Files, copies, generated_files, guide, project_file, project_files, templates, texts,
};
pub use framework::{FRAMEWORK, Framework};
pub use migrations::Migration;
pub use presets::Preset;

/// The conformance checks for `PACKS.md`, as the name and contents of each file.
pub const CHECKS: [(&str, &str); 2] = [
    ("folder", include_str!("../checks/folder.toml")),
    ("pack", include_str!("../checks/pack.toml")),
];
