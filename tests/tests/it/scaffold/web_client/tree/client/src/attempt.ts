import { Problem } from "./problems";

/** How long closing something may take. */
const CLOSING_MS = 5_000;

/** One try to reach the bot, with everything that it opened. It can be ended at every moment, and then leaves nothing open. */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #releases: (() => unknown)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets the start fail after this time, unless `arrived` is called before. */
  limit(milliseconds: number, words: string): void {
    this.#timer = setTimeout(() => this.#controller.abort(new Problem(words)), milliseconds);
  }

  arrived(): void {
    clearTimeout(this.#timer);
  }

  /** Undoes something at the end, at once if that has passed. The last is undone first. */
  own(release: () => unknown): void {
    if (this.signal.aborted) void release();
    else this.#releases.unshift(release);
  }

  /** The result of `work`, unless the end comes before; then what arrives too late is given to `discard`. */
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

  /** Ends what is under way and closes what is open. Devices are closed before this returns its promise. */
  async end(): Promise<void> {
    this.arrived();
    this.#controller.abort(new Problem("The connection was cancelled."));
    const closing = this.#releases.splice(0).map((release) => new Promise((resolve) => resolve(release())));
    let timer: ReturnType<typeof setTimeout> | undefined;
    // What is left of a broken connection may fail to close; it is over all the same.
    await Promise.race([
      Promise.allSettled(closing),
      new Promise((resolve) => {
        timer = setTimeout(resolve, CLOSING_MS);
      }),
    ]);
    clearTimeout(timer);
  }
}
