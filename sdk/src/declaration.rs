//! The declaration of a plugin.

/// Declares a command tree to hosts, which find its manifest in the executable without running it.
///
/// `manifest!(Greet, "../manifest.json")` compiles that file in, named from the source file as with `include_str!`, and brings the
/// test `the_manifest_is_up_to_date`. `UPDATE=1 cargo test` writes the file; before the
/// first time it has to be there, with `{}` in it.
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
