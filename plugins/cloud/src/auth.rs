//! Signing in to the service.

pub mod browser;
pub mod callback;
pub mod credentials;
pub mod import;
pub mod issuer;
pub mod page;
