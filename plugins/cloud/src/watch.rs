//! The observer of a long operation.

/// The user, as far as slow work has to do with one.
pub trait Watch {
    /// Whether the user wants to stop.
    fn cancelled(&self) -> bool;

    /// Something is not as it should be, and the work goes on.
    fn warn(&self, line: &str);

    /// A request was made.
    fn requested(&self, line: &str);

    /// Something takes longer than a moment.
    fn waiting(&self, line: &str);

    /// Shows a line to the user at once.
    fn note(&self, line: &str);

    /// Shows a line only with details.
    fn detail(&self, line: &str);
}

/// Work that runs to its end in silence.
pub struct Nobody;

impl Watch for Nobody {
    fn cancelled(&self) -> bool {
        false
    }

    fn warn(&self, _line: &str) {}

    fn requested(&self, _line: &str) {}

    fn waiting(&self, _line: &str) {}

    fn note(&self, _line: &str) {}

    fn detail(&self, _line: &str) {}
}
