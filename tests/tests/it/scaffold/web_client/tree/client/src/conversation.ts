import type { BotOutputData } from "@pipecat-ai/client-js";

/** What one side said until the other began. */
export interface Turn {
  id: number;
  who: "user" | "bot";
  text: string;
  parts: TurnPart[];
  /** The user cut the bot short: what was not spoken never will be. */
  interrupted: boolean;
  /** The user typed it. */
  typed: boolean;
  /** Which conversation of this page it belongs to, from 1 on. */
  attempt: number;
}

export interface TurnPart {
  text: string;
  /** How many of its characters were spoken. */
  spoken: number;
  /** No more changes are expected. */
  final: boolean;
}

interface Part extends TurnPart {
  /** The bot reports a segment several times: before, while and after it is spoken. */
  segment: number | undefined;
}

interface Entry extends Omit<Turn, "text" | "parts"> {
  parts: Part[];
}

/** The turns of all conversations on this page, in the order in which they began. */
export class Conversation {
  #entries: Entry[] = [];
  #attempt = 0;
  #next = 0;

  get turns(): Turn[] {
    return this.#entries.map((entry) => {
      const parts = entry.parts.map(({ text, spoken, final }) => ({ text, spoken, final }));
      return { ...entry, parts, text: parts.map((part) => part.text).join(" ") };
    });
  }

  /** What follows belongs to another conversation, which counts its segments from the beginning. */
  begin(): void {
    this.#attempt += 1;
  }

  clear(): void {
    this.#entries = [];
  }

  /** What is not final is replaced by what comes next. */
  userSaid(heard: string, final: boolean): void {
    const { parts } = this.#turnOf("user", false);
    if (parts.at(-1)?.final === false) parts.pop();
    const text = heard.trim();
    parts.push({ segment: undefined, text, spoken: text.length, final });
  }

  userTyped(text: string): void {
    this.#turnOf("user", true).parts.push({ segment: undefined, text, spoken: text.length, final: true });
  }

  botSaid({ segment_id: segment, text: whole, will_be_spoken: toBeSpoken, spoken_progress: progress }: BotOutputData): void {
    const text = whole.trim();
    const spoken = toBeSpoken === false || !progress ? text.length : Math.min(progress.accumulated_text.trim().length, text.length);
    const known = segment === undefined ? undefined : this.#find(segment);
    if (!known) {
      this.#turnOf("bot", false).parts.push({ segment, text, spoken, final: spoken === text.length });
      return;
    }
    // A bot that speaks on was not interrupted after all.
    if (spoken > known.part.spoken) known.entry.interrupted = false;
    Object.assign(known.part, { text, spoken, final: spoken === text.length });
  }

  /** The bot was interrupted: what it has not said, it will not say. */
  interrupt(): void {
    const last = this.#entries.filter((entry) => entry.who === "bot").at(-1);
    if (last?.attempt !== this.#attempt || last.parts.every((part) => part.final)) return;
    last.interrupted = true;
  }

  #find(segment: number): { entry: Entry; part: Part } | undefined {
    for (const entry of this.#entries) {
      const part = entry.attempt === this.#attempt && entry.parts.find((one) => one.segment === segment);
      if (part) return { entry, part };
    }
    return undefined;
  }

  /** The turn that is under way, or else a new one. */
  #turnOf(who: Turn["who"], typed: boolean): Entry {
    const last = this.#entries.at(-1);
    if (last?.who === who && last.typed === typed && last.attempt === this.#attempt && !last.interrupted) return last;
    const entry = { id: this.#next++, who, parts: [], typed, interrupted: false, attempt: this.#attempt };
    this.#entries.push(entry);
    return entry;
  }
}
