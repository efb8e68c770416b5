//! The origin of each choice, for error messages.

use bot_cli_protocol::failure::Field;

use crate::config::FromFile;
use crate::draft::{self, Draft};
use crate::option_table::Feature;
use crate::resolve::is_missing;

/// Where the values of a draft were written, for error messages.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// The choices on the command line, which override the file.
    pub(super) options: Draft,
    /// The configuration file, which overrides the values below.
    pub(super) file: FromFile,
    /// The options of an existing project, and the file that has them.
    pub(super) below: Option<(Draft, String)>,
}

impl Origins {
    /// Names the option, or the file and key, in which the invalid value was written.
    pub(super) fn explain(&mut self, mut problem: Field) -> Field {
        let key = problem.field.clone();
        if is_missing(&problem) {
            return problem;
        }
        if self.options.has(&key) {
            let mut features = Feature::ALL.into_iter();
            if let Some(feature) = features.find(|it| it.row().key == key)
                && self.options.switch(feature) == Some(false)
            {
                problem.flag = Some(feature.flag_off());
            }
        } else if let Some(name) = self.file.names.get(&key) {
            problem.field.clone_from(name);
            problem = written_in(problem, &self.file.place);
        } else if let Some((draft, place)) = &mut self.below
            && draft.has(&key)
        {
            problem = written_in(problem, place);
        }
        problem
    }

    pub(super) fn of_file(&self) -> Vec<Field> {
        let problems = self.file.problems.iter().cloned();
        problems
            .map(|problem| written_in(problem, &self.file.place))
            .collect()
    }

    /// Reports whether the file has an invalid value for a key, which is then not missing.
    pub(super) fn is_invalid(&self, key: &str) -> bool {
        let mut problems = self.file.problems.iter();
        problems.any(|problem| draft::key_of(&problem.field) == key)
    }
}

fn written_in(mut problem: Field, place: &str) -> Field {
    problem.flag = None;
    problem.problem = format!("in {place}: {}", problem.problem);
    problem
}
