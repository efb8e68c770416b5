import { StartBotError } from "@pipecat-ai/client-js";

import { BOT_URL } from "./settings";

/** A failure in words for the person in front of the page. */
export class Problem extends Error {}

/** What to show for a failed connection. */
export function explain(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof StartBotError) {
    // The words of Chromium, Firefox and Safari for a request without an answer.
    if (/failed to fetch|networkerror|load failed/i.test(error.message)) {
      const onThisMachine = /^https?:\/\/(localhost|127\.0\.0\.1)\b/.test(BOT_URL);
      const how = onThisMachine ? " with `uv run bot.py` in the folder `server`" : "";
      return `The bot does not answer at ${BOT_URL}. Start it${how}, then connect again.`;
    }
    return `The bot's server refused: ${error.message}`;
  }
  if (error instanceof TypeError && /fetch|import/i.test(error.message)) {
    return "A part of this page could not be loaded. Check the network, then reload the page.";
  }
  return `The connection failed: ${error instanceof Error ? error.message : String(error)}`;
}

/** Whether this error is but the end of a WebSocket: done (1000), the server goes (1001) or restarts (1012). */
export function closedInOrder(reason: string): boolean {
  return /connection closed\. Code: (1000|1001|1012)$/.test(reason);
}

/** What to show when a microphone or camera cannot be used. */
export function explainDevice(error: unknown, device: string): string {
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return `This page may not use your ${device}. Allow it in the browser's settings for this page, then connect again.`;
    case "NotFoundError":
    case "OverconstrainedError":
      return `No ${device} was found. Plug one in or choose another, then connect again.`;
    case "NotReadableError":
    case "AbortError":
      return `The ${device} is in use by another program. Close that program, then connect again.`;
    default:
      return `The ${device} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
