//! Signing in to the hosting service.

pub mod browser;
mod callback;
pub mod credentials;
pub mod issuer;
pub mod sign_in;
