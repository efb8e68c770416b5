import type { NextConfig } from "next";

// Next.js would report to its makers how it is used.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

/** Packages, each with another one that it imports and this client never runs. */
const UNUSED: [string, string][] = [
  ["@pipecat-ai/small-webrtc-transport", "@daily-co/daily-js"],
];

const config: NextConfig = {
  poweredByHeader: false,
  // Another lock file further up does not make this folder a part of something else.
  turbopack: {
    root: import.meta.dirname,
    rules: {
      // Leaves out of the build what is never run.
      "*.js": UNUSED.map(([by, unused]) => ({
        condition: { path: new RegExp(`/${by}/`) },
        loaders: [{ loader: "./leave-out.js", options: { unused } }],
      })),
    },
  },
};

export default config;
