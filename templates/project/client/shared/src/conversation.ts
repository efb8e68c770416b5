import type { BotOutputData } from "@pipecat-ai/client-js";

/** What one side said before the other one began. */
export interface Turn {
  id: number;
  who: "user" | "bot";
  text: string;
  parts: TurnPart[];
  /** The user interrupted the bot: the rest will not be spoken. */
  interrupted: boolean;
  /** The user typed it. */
  typed: boolean;
  /** The number of the conversation on this page, from 1. */
  attempt: number;
}

export interface TurnPart {
  text: string;
  /** The number of characters that were spoken. */
  spoken: number;
  /** Whether the turn is complete. */
  final: boolean;
}

interface Part extends TurnPart {
  /** The bot reports each segment several times: before, while and after it is spoken. */
  segment: number | undefined;
}

interface Entry extends Omit<Turn, "text" | "parts"> {
  parts: Part[];
}

/** The turns of all conversations on this page, in order. */
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

  /** Starts another conversation, which numbers its segments from the beginning. */
  begin(): void {
    this.#attempt += 1;
  }

  clear(): void {
    this.#entries = [];
  }

  /** Adds a transcription. One that is not final is replaced by the next. */
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
    // A bot that goes on speaking was not interrupted after all.
    if (spoken > known.part.spoken) known.entry.interrupted = false;
    Object.assign(known.part, { text, spoken, final: spoken === text.length });
  }

  /** Marks the bot's turn as interrupted. */
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

  /** Returns the current turn, or a new one. */
  #turnOf(who: Turn["who"], typed: boolean): Entry {
    const last = this.#entries.at(-1);
    if (last?.who === who && last.typed === typed && last.attempt === this.#attempt && !last.interrupted) return last;
    const entry = { id: this.#next++, who, parts: [], typed, interrupted: false, attempt: this.#attempt };
    this.#entries.push(entry);
    return entry;
  }
}
