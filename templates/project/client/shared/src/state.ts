// What the page shows, what it can do, and the parts of both. The session in `session.ts` provides them.
import type { PipecatClient } from "@pipecat-ai/client-js";

import type { Turn } from "./conversation";
import type { Devices } from "./devices";
import type { TransportChoice } from "./transports";

/**
 * - `idle`: no device is open, and no connection.
 * - `connecting`: from the click on Connect until the bot is ready. It can be cancelled at every moment.
 * - `ready`: the conversation.
 * - `interrupted`: the network or the bot is silent. It becomes `ready` again, or `idle` with a problem.
 * - `closing`: the devices are closed already; the connection is being closed.
 */
export type Phase = "idle" | "connecting" | "ready" | "interrupted" | "closing";

/** What happens in the conversation. `quiet` unless the phase is `ready`. */
export type Activity = "quiet" | "listening" | "thinking" | "speaking";

/** Everything that the page shows, except levels and the journal, which change too often. */
export interface SessionState {
  phase: Phase;
  activity: Activity;
  /** One line about phase and activity. */
  status: string;
  /** What went wrong, and what to do; empty if nothing did. */
  problem: string;
  transport: TransportChoice;
  devices: Devices;
  /** Chosen devices. Empty: the default one. They are remembered. */
  microphone: string;
  camera: string;
  speaker: string;
  /** From 0 to 1. It is remembered. */
  volume: number;
  /** What the user chose. With push-to-talk, the microphone also needs `talking`. */
  microphoneOn: boolean;
  /** Whether the bot hears the user at this moment. */
  hearing: boolean;
  cameraOn: boolean;
  /** The user holds a key to talk. It is remembered. */
  pushToTalk: boolean;
  /** Whether that key is held. */
  talking: boolean;
  /** They stay after the end, and later conversations are added. */
  turns: Turn[];
  /** The client of this conversation, or of the last one. None before the first. */
  client: PipecatClient | null;
  /** Played by the session. */
  botAudio: MediaStreamTrack | null;
  botVideo: MediaStreamTrack | null;
  ownVideo: MediaStreamTrack | null;
}

/** How loud both sides are, from 0 to 1. */
export interface Levels {
  microphone: number;
  bot: number;
}

/** What the page can do. Each can be called at every moment; what makes no sense then does nothing. */
export interface SessionActions {
  connect: () => Promise<void>;
  /** Cancels the start, or ends the conversation. */
  disconnect: () => Promise<void>;
  /** The one button: connects, cancels or disconnects. The second click of a double click does nothing. */
  press: (event?: { detail: number }) => void;
  switchMicrophone: () => void;
  switchCamera: () => void;
  setPushToTalk: (on: boolean) => void;
  /** The key for push-to-talk is held or let go. */
  talk: (held: boolean) => void;
  /** Whether it was sent. It appears among the turns. */
  sendText: (text: string) => boolean;
  chooseTransport: (key: string) => void;
  /** Devices can be exchanged during a conversation. */
  chooseMicrophone: (id: string) => void;
  chooseCamera: (id: string) => void;
  chooseSpeaker: (id: string) => void;
  setVolume: (volume: number) => void;
  /** Forgets the turns. */
  clear: () => void;
  /** To be asked for each frame. */
  levels: () => Levels;
}

/** For developers: what the bot and the connection said, the newest last. */
export interface Journal {
  subscribe: (listener: () => void) => () => void;
  /** The same array until something is added. */
  entries: () => JournalEntry[];
  /** From the end of the user's speech to the begin of the bot's, a number for each turn, in milliseconds. */
  latencies: () => number[];
  clear: () => void;
}

export interface JournalEntry {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  /** The name of the event, as in the documentation of `@pipecat-ai/client-js`: `botStartedSpeaking`. */
  name: string;
  /** What came with it, such as a `PipecatMetricsData` with `metrics`. */
  data: unknown;
}
