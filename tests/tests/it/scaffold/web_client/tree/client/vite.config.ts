import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/**
 * Packages, each with imports that are never used here. The build also leaves out assignments to the global scope, which would
 * keep unused code.
 */
const LEFT_OUT: [string, string[]][] = [
  // It would report the browser to the bot.
  ["@pipecat-ai/client-js", ["bowser"]],
  ["@pipecat-ai/small-webrtc-transport", ["@daily-co/daily-js"]],
  ["@pipecat-ai/daily-transport", []],
  ["@pipecat-ai/websocket-transport", ["@daily-co/daily-js"]],
];

/** Leaves unused code out of the build. */
const leaveOut: Plugin = {
  name: "leave-out",
  apply: "build",
  enforce: "pre",
  transform(code, id) {
    const [, imports] = LEFT_OUT.find(([by]) => id.includes(`/${by}/`)) ?? [];
    if (!imports) return undefined;
    const without = imports.reduce((left, unused) => left.replace(new RegExp(`^import (\\S+) from "${unused}";`, "m"), "const $1 = {};"), code);
    return { code: without.replace(/^globalThis\.\w+ = [\w$]+;$/gm, ""), map: null };
  },
};

export default defineConfig({ plugins: [react(), leaveOut] });
