//! The update of a project.

pub(crate) mod migrations;
pub(crate) mod moved;
