import type { SessionState } from "./state";

/** One line about what happens. While a connection is made or closed, the session has better words. */
export function statusOf({ phase, activity, status, talkMode, hearing }: SessionState): string {
  if (phase === "reconnecting") return "The bot is silent. Reconnecting…";
  if (phase !== "ready") return status;
  switch (activity) {
    case "speaking":
      return "The bot is speaking";
    case "thinking":
      return "The bot is thinking…";
    case "hearing":
      return "Listening…";
    case "quiet":
    case "listening":
      if (hearing) return "Ready: say something";
      return talkMode === "push" ? "Ready: hold to talk" : "Ready: your microphone is muted";
  }
}
