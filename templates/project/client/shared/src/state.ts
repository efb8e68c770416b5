// What the page shows, and what it can do. The session in `session.ts` provides both.
import type { PipecatClient } from "@pipecat-ai/client-js";

import type { Turn } from "./conversation";
import type { Devices } from "./devices";
import type { TransportChoice } from "./transports";

/**
 * - `idle`: no device is open, and no connection.
 * - `connecting`: from the click on Connect until the bot is ready. It can be cancelled at every moment.
 * - `ready`: the conversation.
 * - `reconnecting`: the bot is silent. It becomes `ready` again, or `idle` with a problem.
 * - `closing`: the devices are closed already; the connection is being closed.
 */
export type Phase = "idle" | "connecting" | "ready" | "reconnecting" | "closing";

/** What happens in the conversation: the bot waits for words, hears some, thinks or speaks. `quiet` unless the phase is `ready`. */
export type Activity = "quiet" | "listening" | "hearing" | "thinking" | "speaking";

/** With `push`, the bot hears the user only while a key is held. */
export type TalkMode = "open" | "push";

/** Everything that the page shows. */
export interface SessionState {
  phase: Phase;
  activity: Activity;
  /** One line about phase and activity. */
  status: string;
  /** What went wrong, and what to do; empty if nothing did. */
  problem: string;
  /** A command that solves the problem, if there is one. */
  command: string;
  /** The problem is the page itself: only a fresh copy of it can solve that. */
  reload: boolean;
  transport: TransportChoice;
  devices: Devices;
  /** Chosen devices. Empty: the default one. */
  microphone: string;
  camera: string;
  speaker: string;
  /** From 0 to 1. */
  volume: number;
  /** The user has not muted it. */
  microphoneOn: boolean;
  /** Whether the bot hears the user at this moment. */
  hearing: boolean;
  cameraOn: boolean;
  talkMode: TalkMode;
  /** The key for push-to-talk is held. */
  holding: boolean;
  /** They stay after the end, and later conversations are added. */
  turns: Turn[];
  /** The same one as long as the page is open. */
  client: PipecatClient;
  ownAudio: MediaStreamTrack | null;
  /** The session plays it: the page need not. */
  botAudio: MediaStreamTrack | null;
  ownVideo: MediaStreamTrack | null;
  botVideo: MediaStreamTrack | null;
}

/** What the page can do. Each can be called at every moment; what makes no sense then does nothing. */
export interface SessionActions {
  connect: () => Promise<void>;
  /** Cancels the start, or ends the conversation. */
  disconnect: () => Promise<void>;
  /** The one button: connects, cancels or disconnects. The second click of a double click does nothing. */
  press: (event: { detail: number }) => void;
  switchMicrophone: () => void;
  switchCamera: () => void;
  chooseTalkMode: (mode: TalkMode) => void;
  /** The key for push-to-talk is pressed or let go. */
  hold: (on: boolean) => void;
  /** Whether it was sent. It appears among the turns. */
  sendText: (text: string) => boolean;
  chooseTransport: (key: string) => void;
  chooseMicrophone: (id: string) => void;
  chooseCamera: (id: string) => void;
  chooseSpeaker: (id: string) => void;
  setVolume: (volume: number) => void;
  /** Forgets the turns. */
  clear: () => void;
  /** Loads the page again, unless nobody answers at its address: then what was said stays. */
  reload: () => Promise<void>;
}
