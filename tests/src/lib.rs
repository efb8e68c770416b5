//! Support for tests that run the real executables.
