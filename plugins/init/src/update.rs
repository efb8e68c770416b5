//! The update of a project.

mod moved;
