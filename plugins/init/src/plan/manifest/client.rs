//! The files of a web client.

use super::{Entry, Existing, File};
use crate::config::{Client, Config};

pub(super) const MANIFEST: &[Entry] = &[
    file(
        "client/.env.example",
        "client/shared/env.example.liquid",
        "Settings of the web client",
        any,
    ),
    file(
        "client/eslint.config.js",
        "client/vanilla/eslint.config.js",
        "Rules of the linter",
        vanilla,
    ),
    file(
        "client/eslint.config.js",
        "client/react_vite/eslint.config.js",
        "Rules of the linter",
        react_vite,
    ),
    file(
        "client/eslint.config.js",
        "client/react_nextjs/eslint.config.js",
        "Rules of the linter",
        nextjs,
    ),
    file(
        "client/index.html",
        "client/vanilla/index.html.liquid",
        "The page",
        vanilla,
    ),
    file(
        "client/index.html",
        "client/react_vite/index.html.liquid",
        "The page that loads the client",
        react_vite,
    ),
    file(
        "client/leave-out.js",
        "client/react_nextjs/leave-out.js",
        "Keeps unused packages out of the build",
        nextjs,
    ),
    file(
        "client/next.config.ts",
        "client/react_nextjs/next.config.ts.liquid",
        "Settings of the build",
        nextjs,
    ),
    file(
        "client/package.json",
        "client/shared/package.json.liquid",
        "Dependencies and commands",
        any,
    ),
    file(
        "client/src/Developer.tsx",
        "client/react/src/Developer.tsx.liquid",
        "Drawer for developers; can be deleted",
        react_vite,
    ),
    file(
        "client/src/Dock.tsx",
        "client/react/src/Dock.tsx",
        "Connect, mute, push to talk",
        react,
    ),
    file(
        "client/src/Icon.tsx",
        "client/react/src/Icon.tsx",
        "Icons",
        react,
    ),
    file(
        "client/src/Pictures.tsx",
        "client/react/src/Pictures.tsx",
        "Video of the bot and the user",
        react,
    ),
    file(
        "client/src/Providers.tsx",
        "client/react/src/Providers.tsx.liquid",
        "The session and the hooks' provider",
        react,
    ),
    file(
        "client/src/SettingsPanel.tsx",
        "client/react/src/SettingsPanel.tsx",
        "Choice of connection and devices",
        react,
    ),
    file(
        "client/src/Stage.tsx",
        "client/react/src/Stage.tsx",
        "The state of the bot",
        react,
    ),
    file(
        "client/src/Talk.tsx",
        "client/react/src/Talk.tsx",
        "The page",
        react,
    ),
    file(
        "client/src/Turns.tsx",
        "client/react/src/Turns.tsx",
        "The transcript and the text input",
        react,
    ),
    file(
        "client/src/app/layout.tsx",
        "client/react_nextjs/src/app/layout.tsx.liquid",
        "The layout of every page",
        nextjs,
    ),
    file(
        "client/src/app/page.tsx",
        "client/react_nextjs/src/app/page.tsx.liquid",
        "The page of this client",
        nextjs,
    ),
    file(
        "client/src/app/template.tsx",
        "client/react/src/Developer.tsx.liquid",
        "Drawer for developers; can be deleted",
        nextjs,
    ),
    file(
        "client/src/attempt.ts",
        "client/shared/src/attempt.ts",
        "One attempt to connect, and what it opened",
        any,
    ),
    file(
        "client/src/conversation.ts",
        "client/shared/src/conversation.ts",
        "Turns of the conversation",
        any,
    ),
    file(
        "client/src/devices.ts",
        "client/shared/src/devices.ts",
        "Microphones and cameras",
        any,
    ),
    file(
        "client/src/developer.ts",
        "client/vanilla/src/developer.ts.liquid",
        "Drawer for developers; can be deleted",
        vanilla,
    ),
    file(
        "client/src/features.ts",
        "client/shared/src/features.ts.liquid",
        "The bot's video features",
        any,
    ),
    file(
        "client/src/follow.ts",
        "client/shared/src/follow.ts",
        "Keeps the transcript scrolled to its end",
        any,
    ),
    file(
        "client/src/hold.ts",
        "client/shared/src/hold.ts",
        "The keys of push-to-talk",
        any,
    ),
    file(
        "client/src/levels.ts",
        "client/shared/src/levels.ts",
        "Audio levels of both sides",
        any,
    ),
    file(
        "client/src/main.ts",
        "client/vanilla/src/main.ts",
        "Shows the session on the page",
        vanilla,
    ),
    file(
        "client/src/main.tsx",
        "client/react_vite/src/main.tsx.liquid",
        "Starts the client",
        react_vite,
    ),
    file(
        "client/src/page.ts",
        "client/vanilla/src/page.ts",
        "Elements of the page",
        vanilla,
    ),
    file(
        "client/src/media.ts",
        "client/shared/src/media.ts",
        "The user's microphone and camera",
        any,
    ),
    file(
        "client/src/problems.ts",
        "client/shared/src/problems.ts",
        "Error messages",
        any,
    ),
    file(
        "client/src/relay.ts",
        "client/shared/src/relay.ts",
        "The transport of a client that outlives connections",
        any,
    ),
    file(
        "client/src/remembered.ts",
        "client/shared/src/remembered.ts",
        "The user's choices, for the next visit",
        any,
    ),
    file(
        "client/src/session.ts",
        "client/shared/src/session.ts",
        "The connection to the bot, and the data that the page shows",
        any,
    ),
    file(
        "client/src/settings.ts",
        "client/shared/src/settings.ts.liquid",
        "Reads the settings",
        any,
    ),
    file(
        "client/src/speaker.ts",
        "client/shared/src/speaker.ts",
        "Plays the bot's audio",
        any,
    ),
    file(
        "client/src/start.ts",
        "client/shared/src/start.ts",
        "Starts a bot on the server",
        any,
    ),
    file(
        "client/src/state.ts",
        "client/shared/src/state.ts",
        "The state of the page",
        any,
    ),
    file(
        "client/src/status.ts",
        "client/shared/src/status.ts",
        "The status line",
        any,
    ),
    file(
        "client/src/style.css",
        "client/shared/src/style.css",
        "Styles, light and dark",
        any,
    ),
    file(
        "client/src/transports.ts",
        "client/shared/src/transports.ts.liquid",
        "The available transports",
        any,
    ),
    file(
        "client/src/turns.ts",
        "client/vanilla/src/turns.ts",
        "Shows the transcript",
        vanilla,
    ),
    file(
        "client/src/vite-env.d.ts",
        "client/shared/src/vite-env.d.ts",
        "Types of the settings",
        vite,
    ),
    file(
        "client/tsconfig.json",
        "client/vanilla/tsconfig.json",
        "Rules of the type checker",
        vanilla,
    ),
    file(
        "client/tsconfig.json",
        "client/react_vite/tsconfig.json",
        "Rules of the type checker",
        react_vite,
    ),
    file(
        "client/tsconfig.json",
        "client/react_nextjs/tsconfig.json",
        "Rules of the type checker",
        nextjs,
    ),
    file(
        "client/vite.config.ts",
        "client/shared/vite.config.ts.liquid",
        "Settings of the build",
        vite,
    ),
];

/// Returns the files that the chosen transports need in a web client.
pub(super) fn files_of_transports(config: &Config) -> impl Iterator<Item = File> {
    config
        .transports
        .iter()
        .filter(|_| any(config))
        .filter_map(|transport| transport.client.as_ref())
        .flat_map(|client| &client.files)
        .map(|file| File {
            path: format!("client/src/{}", file.name).into(),
            template: format!("client/transports/{}", file.name).into(),
            about: &file.about,
            existing: Existing::Conflict,
        })
}

const fn file(
    path: &'static str,
    template: &'static str,
    about: &'static str,
    when: fn(&Config) -> bool,
) -> Entry {
    Entry {
        path,
        template,
        about,
        existing: Existing::Conflict,
        when,
    }
}

fn any(config: &Config) -> bool {
    config.client != Client::None
}

fn vite(config: &Config) -> bool {
    vanilla(config) || react_vite(config)
}

fn vanilla(config: &Config) -> bool {
    config.client == Client::Vanilla
}

fn react(config: &Config) -> bool {
    react_vite(config) || nextjs(config)
}

fn react_vite(config: &Config) -> bool {
    config.client == Client::ReactVite
}

fn nextjs(config: &Config) -> bool {
    config.client == Client::ReactNextjs
}
