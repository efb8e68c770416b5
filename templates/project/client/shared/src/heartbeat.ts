/** The time between two beats, in milliseconds. Every other beat is a ping. */
const BEAT_MS = 1_000;
/** The beats without any message from the bot after which the page says that it waits. */
const SILENT = 5;
/** The beats after which the conversation ends: a bot that stops is noticed within 12 to 15 seconds. */
const LOST = 14;

export type Pulse = "alive" | "silent" | "lost";

/**
 * Tells whether the bot is alive, over any transport: `server/pings.py` answers pings, and every other message counts as well. Beats are
 * counted instead of seconds, because a page in the background may sleep. A bot that has never answered does not know pings.
 */
export class Heartbeat {
  readonly #ping: () => void;
  readonly #changed: (pulse: Pulse) => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #pulse: Pulse = "alive";
  #beats = 0;
  #unheard = 0;
  #answers = false;

  constructor(ping: () => void, changed: (pulse: Pulse) => void) {
    this.#ping = ping;
    this.#changed = changed;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#beat();
  }

  /** To be called with the type of each message from the bot. */
  readonly heard = (type: string): void => {
    this.#answers ||= type === "server-response";
    this.#unheard = 0;
    this.#tell("alive");
  };

  readonly stop = (): void => clearInterval(this.#timer);

  #beat(): void {
    if (this.#answers) this.#unheard += 1;
    this.#tell(this.#unheard >= LOST ? "lost" : this.#unheard >= SILENT ? "silent" : "alive");
    if (this.#beats++ % 2 > 0) return;
    try {
      this.#ping();
    } catch {
      // A broken connection: there will be no answer.
    }
  }

  #tell(pulse: Pulse): void {
    if (pulse === this.#pulse) return;
    this.#pulse = pulse;
    this.#changed(pulse);
  }
}
