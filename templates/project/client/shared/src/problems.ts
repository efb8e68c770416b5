/** A failure, described for the user. */
export class Problem extends Error {
  /** A command that solves it. */
  readonly command: string;
  /** Whether reloading the page solves it. */
  readonly reload: boolean;

  constructor(message: string, { command = "", reload = false } = {}) {
    super(message);
    this.command = command;
    this.reload = reload;
  }
}

/** Loads a part of the page on demand, unless the attempt has ended. */
export async function part<T>(loading: Promise<T>, signal: AbortSignal): Promise<T> {
  const loaded = await loading.catch((error: unknown) => {
    signal.throwIfAborted();
    console.error(error);
    throw new Problem("A part of this page could not be loaded. Check the network, then try again.", { reload: true });
  });
  signal.throwIfAborted();
  return loaded;
}

/** Describes a failed connection. */
export function explain(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(`The connection failed: ${wordsOf(error)}`);
}

/** Returns whether this error is only a WebSocket's normal end: done (1000), going away (1001) or restarting (1012). */
export function closedInOrder(reason: string): boolean {
  return /connection closed\. Code: (1000|1001|1012)$/.test(reason);
}

/** Describes why a microphone or camera can't be used. */
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
      return `The ${device} cannot be used: ${wordsOf(error)}`;
  }
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || "no reason was given";
}
