//! The JSON Schema of the wire types, and the test that holds the stored one against them.
