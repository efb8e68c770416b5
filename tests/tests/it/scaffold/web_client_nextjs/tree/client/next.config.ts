import type { NextConfig } from "next";

// Next.js would send usage data to its makers.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

/**
 * Packages, each with imports that are never used here. The build also leaves out assignments to the global scope, which would
 * keep unused code.
 */
const LEFT_OUT: [string, string[]][] = [
  // It would report the browser to the bot.
  ["@pipecat-ai/client-js", ["bowser"]],
  ["@pipecat-ai/small-webrtc-transport", ["@daily-co/daily-js"]],
];

const config: NextConfig = {
  poweredByHeader: false,
  turbopack: {
    // A lock file in a parent folder does not make this one a part of another project.
    root: import.meta.dirname,
    rules: {
      // Leaves unused code out of the build.
      "*.js": LEFT_OUT.map(([by, imports]) => ({
        condition: { path: new RegExp(`/${by}/`) },
        loaders: [{ loader: "./leave-out.js", options: { imports } }],
      })),
    },
  },
};

export default config;
