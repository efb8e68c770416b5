//! The macro that embeds a manifest in an executable.

/// Embeds a plugin's manifest in the executable, so that hosts can read it without running the plugin.
///
/// `manifest!(Greet, "../manifest.json")` embeds the given file. As with `include_str!`, the path is relative to the source file. The macro
/// also adds the test `the_manifest_is_up_to_date`, which updates the file if run with `UPDATE=1 cargo test`. Before the first run, create
/// the file with the content `{}`.
#[macro_export]
macro_rules! manifest {
    ($command:ty, $file:literal) => {
        $crate::manifest!(of $command, $command, $file);
    };
    (of $command:ty, $described:ty, $file:literal) => {
        impl $crate::plugin::Declared for $command {
            const MANIFEST: &'static str =
                ::core::concat!("bot-cli-plugin: ", ::core::include_str!($file), "\n");
        }

        #[cfg(test)]
        #[test]
        fn the_manifest_is_up_to_date() {
            let file = $crate::plugin::beside(env!("CARGO_MANIFEST_DIR"), file!(), $file);
            if let Err(problem) = $crate::plugin::manifest_is_up_to_date::<$described>(file) {
                panic!("{problem}");
            }
        }
    };
}
