import type { BotOutputData } from "@pipecat-ai/client-js";

/** What one side said until the other began. */
export interface Turn {
  id: number;
  who: "user" | "bot";
  text: string;
}

interface Part {
  /** The bot reports a segment several times: before, while and after it is spoken. */
  segment: number | undefined;
  text: string;
}

/** The turns of a conversation, in the order in which they began. */
export class Conversation {
  #turns: { who: Turn["who"]; parts: Part[] }[] = [];

  get turns(): Turn[] {
    return this.#turns.map(({ who, parts }, id) => ({ id, who, text: parts.map((part) => part.text.trim()).join(" ") }));
  }

  userSaid(text: string): void {
    this.#add("user", { segment: undefined, text });
  }

  botSaid({ segment_id: segment, text }: BotOutputData): void {
    const known = this.#turns.flatMap((turn) => turn.parts).find((part) => part.segment === segment);
    if (segment !== undefined && known) {
      known.text = text;
    } else {
      this.#add("bot", { segment, text });
    }
  }

  #add(who: Turn["who"], part: Part): void {
    const last = this.#turns.at(-1);
    if (last?.who === who) {
      last.parts.push(part);
    } else {
      this.#turns.push({ who, parts: [part] });
    }
  }
}
