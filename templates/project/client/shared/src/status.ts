import type { SessionState } from "./state";

/** Describes the state in one line. While a connection is opened or closed, the session's own text is more exact. */
export function statusOf({ phase, activity, status, talkMode, hearing }: SessionState): string {
  if (phase === "reconnecting") return "The bot is not responding. Waiting for it…";
  if (phase !== "ready") return status;
  switch (activity) {
    case "speaking":
      return "The bot is speaking";
    case "thinking":
      return "The bot is thinking…";
    case "hearing":
    case "quiet":
    case "listening":
      if (!hearing) return talkMode === "push" ? "Ready: hold to talk" : "Ready: your microphone is muted";
      return activity === "hearing" ? "Listening…" : "Ready: say something";
  }
}
