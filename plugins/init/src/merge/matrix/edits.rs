//! The edits: what users do to their projects.

mod by_hand;
mod steps;

use super::Files;

/// What a user does to a project.
pub(super) struct Edit {
    pub name: &'static str,
    work: Work,
}

enum Work {
    /// In files, by their path: what is there, and what takes its place.
    Steps(&'static [steps::Step]),
    ByHand(fn(&mut Files) -> Option<()>),
    /// Several edits of a user who has had the project for long.
    Together(&'static [&'static str]),
}

impl Edit {
    /// Returns the edited project; `None` if the project has nothing to edit in this way.
    pub(super) fn apply(&self, project: &Files) -> Option<Files> {
        let mut edited = project.clone();
        match self.work {
            Work::Steps(steps) => steps.iter().try_for_each(|step| step.apply(&mut edited))?,
            Work::ByHand(work) => work(&mut edited)?,
            Work::Together(names) => {
                let edits = all();
                for name in names {
                    let edit = edits.iter().find(|edit| edit.name == *name).unwrap();
                    // Every project has most of what is edited.
                    if let Some(further) = edit.apply(&edited) {
                        edited = further;
                    }
                }
            }
        }
        (edited != *project).then_some(edited)
    }
}

/// Several at once, in two ways.
const TOGETHER: &[(&str, &[&str])] = &[
    (
        "seven edits",
        &[
            "prompt",
            "handler at the end",
            "tool",
            "try and finally",
            "processor",
            "transport parameter",
            "dependency",
        ],
    ),
    (
        "the owner of a bakery",
        &[
            "prompt",
            "greeting",
            "tool in tools.py",
            "setting of one's own",
            "handler behind another",
            "README: section added",
            "ignored",
        ],
    ),
];

/// All edits, in a fixed order.
pub(super) fn all() -> Vec<Edit> {
    let steps = steps::EDITS.iter().map(|(name, steps)| Edit {
        name,
        work: Work::Steps(steps),
    });
    let by_hand = by_hand::EDITS.iter().map(|(name, work)| Edit {
        name,
        work: Work::ByHand(*work),
    });
    let together = TOGETHER.iter().map(|(name, names)| Edit {
        name,
        work: Work::Together(names),
    });
    steps.chain(by_hand).chain(together).collect()
}
