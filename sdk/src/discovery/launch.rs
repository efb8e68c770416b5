//! How a plugin that was found is started.

use std::path::Path;

use super::Discovery;
use crate::driver::{DEEPEST, Launch, Patience};
use crate::failure::{Exit, Failure};
use crate::protocol::{DEPTH, HOST};

impl Discovery {
    /// The plugin `name` of the file `program` in the folder `cwd`, one host deeper than this process.
    pub fn launch(
        &self,
        name: &str,
        program: &Path,
        cwd: &Path,
        patience: Patience,
    ) -> Result<Launch, Failure> {
        if self.depth >= DEEPEST {
            let message =
                format!("`{name}` was not run: {DEEPEST} plugins are already running one another");
            return Err(Failure::new(Exit::NotRunnable, "too_deep", message)
                .hint("look for a plugin that runs itself through bot-cli"));
        }
        let mut launch = Launch::new(name, program, cwd);
        let host = self.host.as_ref();
        launch.env = host
            .map(|host| (HOST.into(), host.into()))
            .into_iter()
            .chain([(DEPTH.into(), (self.depth + 1).to_string().into())])
            .collect();
        launch.patience = patience.below(self.depth);
        Ok(launch)
    }
}
