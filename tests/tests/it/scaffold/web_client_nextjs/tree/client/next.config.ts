import type { NextConfig } from "next";

// Next.js would report to its makers how it is used.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

/**
 * Packages, each with the imports that are never used here. The build also leaves out what packages put into the global scope:
 * that would keep code that nobody runs.
 */
const LEFT_OUT: [string, string[]][] = [
  // It would tell the bot which browser this is.
  ["@pipecat-ai/client-js", ["bowser"]],
  ["@pipecat-ai/small-webrtc-transport", ["@daily-co/daily-js"]],
];

const config: NextConfig = {
  poweredByHeader: false,
  turbopack: {
    // Another lock file further up does not make this folder a part of something else.
    root: import.meta.dirname,
    rules: {
      // Leaves out of the build what is never used.
      "*.js": LEFT_OUT.map(([by, imports]) => ({
        condition: { path: new RegExp(`/${by}/`) },
        loaders: [{ loader: "./leave-out.js", options: { imports } }],
      })),
    },
  },
};

export default config;
