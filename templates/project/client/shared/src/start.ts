import { problem, type Problem } from "./problems";
import { BOT_URL } from "./settings";
import type { TransportChoice } from "./transports";

export const START_URL = `${BOT_URL}/start`;

/** Asks the server to start a bot. The response says how to reach it. */
export async function startBot(transport: TransportChoice, signal: AbortSignal): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(START_URL, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ transport: transport.key, body: {}, ...transport.start }),
      signal,
    });
  } catch {
    signal.throwIfAborted();
    throw unanswered();
  }
  if (!answer.ok) {
    const isBusy = answer.status === 429 || answer.status === 503;
    throw problem(isBusy ? "busy" : "start", { details: `The bot's server refused: ${await reasonOf(answer)}` });
  }
  const started: unknown = await answer.json().catch(() => undefined);
  signal.throwIfAborted();
  if (typeof started !== "object" || started === null) {
    throw problem("start", { details: `The server at ${BOT_URL} did not answer as a bot does. Check the address.` });
  }
  return started;
}

function unanswered(): Problem {
  const details = `The bot does not answer at ${BOT_URL}.`;
  const onThisMachine = /^https?:\/\/(localhost|127\.0\.0\.1)\b/.test(BOT_URL);
  return problem("unreachable", { details, command: onThisMachine ? "cd server && uv run bot.py" : "" });
}

async function reasonOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  const { info, detail } = (typeof body === "object" && body ? body : {}) as { info?: unknown; detail?: unknown };
  const reason = [info, detail, answer.statusText].find((text) => typeof text === "string" && text !== "") as string | undefined;
  return reason ?? `status ${answer.status}`;
}
