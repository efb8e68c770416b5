import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Packages, each with another one that it imports and this client never runs. */
const UNUSED: [string, string][] = [
  ["@pipecat-ai/small-webrtc-transport", "@daily-co/daily-js"],
  ["@pipecat-ai/websocket-transport", "@daily-co/daily-js"],
];

/** Leaves out of the build what is never run. */
const leaveOut: Plugin = {
  name: "leave-out",
  apply: "build",
  enforce: "pre",
  resolveId(id, importer) {
    const isUnused = UNUSED.some(([by, unused]) => id === unused && importer?.includes(`/${by}/`));
    return isUnused ? "\0unused" : undefined;
  },
  load: (id) => (id === "\0unused" ? "export default {};" : undefined),
};

export default defineConfig({ plugins: [react(), leaveOut] });
