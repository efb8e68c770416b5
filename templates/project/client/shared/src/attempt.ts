import { Problem } from "./problems";

/** The time limit for closing something. */
const CLOSING_MS = 5_000;

/** One attempt to reach the bot, with everything that it opened. It can be ended at any time, and then leaves nothing open. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #releases: (() => unknown)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Fails the start after this time, unless `arrived` is called first. */
  limit(milliseconds: number, problem: Problem): void {
    this.#timer = setTimeout(() => this.#controller.abort(problem), milliseconds);
  }

  arrived(): void {
    clearTimeout(this.#timer);
  }

  /** Registers clean-up for the end, last in, first out. After the end, it runs at once. */
  own(release: () => unknown): void {
    if (this.signal.aborted) void release();
    else this.#releases.unshift(release);
  }

  /** Returns the result of `work`, unless the attempt ends first; a late result is passed to `discard`. */
  async step<T>(work: Promise<T>, discard?: (late: T) => void): Promise<T> {
    const { signal } = this;
    let ended: (() => void) | undefined;
    const end = new Promise<never>((_, reject) => {
      ended = () => reject(signal.reason as Error);
      if (signal.aborted) ended();
      else signal.addEventListener("abort", ended, { once: true });
    });
    work.then(
      (late) => signal.aborted && discard?.(late),
      () => undefined,
    );
    try {
      return await Promise.race([end, work]);
    } finally {
      if (ended) signal.removeEventListener("abort", ended);
    }
  }

  /** Cancels pending work and closes what is open. Devices are closed synchronously. */
  async end(): Promise<void> {
    this.arrived();
    this.#controller.abort(new Problem("The connection was cancelled."));
    const closing = this.#releases.splice(0).map((release) => new Promise((resolve) => resolve(release())));
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A broken connection may fail to close; the attempt is over anyway.
    await Promise.race([
      Promise.allSettled(closing),
      new Promise((resolve) => {
        timer = setTimeout(resolve, CLOSING_MS);
      }),
    ]);
    clearTimeout(timer);
  }
}
