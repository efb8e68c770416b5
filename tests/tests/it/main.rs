//! Every integration test, in one executable: one module a feature.

mod architecture;
