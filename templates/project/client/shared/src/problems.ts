/** What users are told, by the kind of the failure. The cause is for those who look at the details. */
const WORDS = {
  busy: "All bots are busy. Wait a moment, then connect again.",
  unreachable: "The bot can't be reached. Check the network, then connect again.",
  start: "The bot could not start. Wait a moment, then connect again.",
  lost: "The connection to the bot was lost. Connect again to start over.",
  silent: "The bot has stopped responding. Connect again to start over.",
  fault: "The bot has a problem and may not answer. If it stays silent, disconnect and connect again.",
  part: "A part of this page could not be loaded. Check the network, then try again.",
  page: "The server of this page can't be reached. Check the network, then try again.",
} as const;

interface More {
  /** The cause, in technical words. */
  details?: string;
  /** A command that solves it. */
  command?: string;
  /** Whether reloading the page solves it. */
  reload?: boolean;
}

/** A failure, described for the user. */
export class Problem extends Error {
  readonly details: string;
  readonly command: string;
  readonly reload: boolean;

  constructor(message: string, { details = "", command = "", reload = false }: More = {}) {
    super(message);
    this.details = details;
    this.command = command;
    this.reload = reload;
  }
}

export function problem(kind: keyof typeof WORDS, more?: More): Problem {
  return new Problem(WORDS[kind], more);
}

/** Loads a part of the page on demand, unless the attempt has ended. */
export async function part<T>(loading: Promise<T>, signal: AbortSignal): Promise<T> {
  const loaded = await loading.catch((error: unknown) => {
    signal.throwIfAborted();
    throw problem("part", { details: wordsOf(error), reload: true });
  });
  signal.throwIfAborted();
  return loaded;
}

/** Describes a failed connection. */
export function explain(error: unknown): Problem {
  return error instanceof Problem ? error : problem("unreachable", { details: wordsOf(error) });
}

/** Returns whether this error is only a WebSocket's normal end: done (1000), going away (1001) or restarting (1012). */
export function closedInOrder(reason: string): boolean {
  return /connection closed\. Code: (1000|1001|1012)$/.test(reason);
}

/** Describes why a microphone or camera can't be used. */
export function explainDevice(error: unknown, device: string): Problem {
  const details = wordsOf(error);
  switch (error instanceof DOMException ? error.name : "") {
    case "NotAllowedError":
    case "SecurityError":
      return new Problem(`This page may not use your ${device}. Allow it in the browser's settings for this page, then connect again.`, { details });
    case "NotFoundError":
    case "OverconstrainedError":
      return new Problem(`No ${device} was found. Plug one in or choose another, then connect again.`, { details });
    case "NotReadableError":
    case "AbortError":
      return new Problem(`The ${device} is in use by another program. Close that program, then connect again.`, { details });
    default:
      return new Problem(`The ${device} can't be used. Choose another, then connect again.`, { details });
  }
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || "no reason was given";
}
