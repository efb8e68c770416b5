//! The data behind generated projects: the catalogue of AI services and transports, the project's templates
//! and the coding-agent guides. A typed door to embedded files; nothing here renders or decides.

pub mod catalogue;
mod embedded;
mod framework;
mod imports;
mod migrations;

pub use embedded::{guide, project_file, project_files};
pub use framework::{FRAMEWORK, Framework};
pub use imports::Imports;
pub use migrations::Migration;
