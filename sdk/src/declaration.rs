//! The macro that declares a plugin.

/// Declares a command tree to hosts, which find its manifest in the executable without running it.
///
/// `manifest!(Greet, "../manifest.json")` embeds the file, whose path is relative to the source file as with `include_str!`. It also
/// adds the test `the_manifest_is_up_to_date`. `UPDATE=1 cargo test` writes the file. Before the first run, create the file with
/// the content `{}`.
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
