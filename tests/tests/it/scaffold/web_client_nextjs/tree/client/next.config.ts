import type { NextConfig } from "next";

// Next.js would report to its makers how it is used.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

const config: NextConfig = {
  poweredByHeader: false,
  // Another lock file further up does not make this folder a part of something else.
  turbopack: { root: import.meta.dirname },
};

export default config;
