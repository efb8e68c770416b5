import type { BotOutputData } from "@pipecat-ai/client-js";

/** What one side said until the other began. */
export interface Turn {
  id: number;
  who: "user" | "bot";
  /** All of it: `spoken` and `unspoken`. */
  text: string;
  /** What the bot has said so far. For the user: what was understood for certain. */
  spoken: string;
  /** What the bot has yet to say, or never said, if `interrupted`. For the user: what may still change. */
  unspoken: string;
  /** The user cut the bot short. */
  interrupted: boolean;
  /** The user typed it. */
  typed: boolean;
  /** Which conversation of this page it belongs to, from 1 on. */
  attempt: number;
}

interface Part {
  /** The bot reports a segment several times: before, while and after it is spoken. */
  segment: number | undefined;
  spoken: string;
  unspoken: string;
}

interface Entry extends Pick<Turn, "id" | "who" | "interrupted" | "typed" | "attempt"> {
  parts: Part[];
}

/** The turns of all conversations on this page, in the order in which they began. */
export class Conversation {
  #entries: Entry[] = [];
  #attempt = 0;
  #next = 0;

  get turns(): Turn[] {
    return this.#entries.map(({ parts, ...rest }) => {
      const spoken = join(parts.map((part) => part.spoken));
      const unspoken = join(parts.map((part) => part.unspoken));
      return { ...rest, spoken, unspoken, text: join([spoken, unspoken]) };
    });
  }

  /** What follows belongs to another conversation: to the bot, a segment's number is new again. */
  begin(): void {
    this.#attempt += 1;
  }

  clear(): void {
    this.#entries = [];
  }

  /** What is not final is replaced by what comes next. */
  userSaid(text: string, final: boolean): void {
    const { parts } = this.#turnOf("user", false);
    if (parts.at(-1)?.unspoken) parts.pop();
    parts.push({ segment: undefined, spoken: final ? text : "", unspoken: final ? "" : text });
  }

  userTyped(text: string): void {
    this.#turnOf("user", true).parts.push({ segment: undefined, spoken: text, unspoken: "" });
  }

  botSaid({ segment_id: segment, text, will_be_spoken: toBeSpoken, spoken_progress: progress }: BotOutputData): void {
    const shownOnly = toBeSpoken === false || !progress;
    const part: Part = {
      segment,
      spoken: shownOnly ? text : progress.accumulated_text,
      unspoken: shownOnly ? "" : progress.remaining_text,
    };
    const known = segment === undefined ? undefined : this.#find(segment);
    if (!known) {
      this.#turnOf("bot", false).parts.push(part);
      return;
    }
    // A bot that speaks on was not interrupted after all.
    if (part.spoken.length > known.part.spoken.length) known.entry.interrupted = false;
    Object.assign(known.part, part);
  }

  /** The user began to speak: what the bot has not said, it will not say. */
  interrupt(): void {
    const last = this.#entries.filter((entry) => entry.who === "bot").at(-1);
    if (last?.attempt === this.#attempt && last.parts.some((part) => part.unspoken)) last.interrupted = true;
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
    const entry = { id: this.#next++, who, typed, attempt: this.#attempt, interrupted: false, parts: [] };
    this.#entries.push(entry);
    return entry;
  }
}

function join(texts: string[]): string {
  return texts.map((text) => text.trim()).filter(Boolean).join(" ");
}
