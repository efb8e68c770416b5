// What the page shows, and what it can do. The session in `session.ts` provides both.
import type { PipecatClient } from "@pipecat-ai/client-js";

import type { Turn } from "./conversation";
import type { Devices } from "./devices";
import type { Problem } from "./problems";
import type { TransportChoice } from "./transports";

/**
 * - `idle`: no device or connection is open.
 * - `connecting`: from the click on Connect until the bot is ready. It can be cancelled at any time.
 * - `ready`: the conversation is under way.
 * - `reconnecting`: the bot does not respond. Followed by `ready`, or by `idle` with a problem.
 * - `closing`: the devices are closed already; the connection is being closed.
 */
export type Phase = "idle" | "connecting" | "ready" | "reconnecting" | "closing";

/** What the bot is doing: waiting, listening, thinking or speaking. `quiet` unless the phase is `ready`. */
export type Activity = "quiet" | "listening" | "hearing" | "thinking" | "speaking";

/** With `push`, the bot hears the user only while a key is held. */
export type TalkMode = "open" | "push";

/** Everything that the page shows. */
export interface SessionState {
  phase: Phase;
  activity: Activity;
  /** Phase and activity, in one line. */
  status: string;
  /** What went wrong, and what to do about it. */
  problem: Problem | null;
  transport: TransportChoice;
  devices: Devices;
  /** The chosen devices. Empty: the default one. */
  microphone: string;
  camera: string;
  speaker: string;
  /** From 0 to 1. */
  volume: number;
  /** Whether the user has not muted the microphone. */
  microphoneOn: boolean;
  /** Whether the bot hears the user now. */
  hearing: boolean;
  cameraOn: boolean;
  talkMode: TalkMode;
  /** Whether the push-to-talk key is held. */
  holding: boolean;
  /** The turns of all conversations on this page. */
  turns: Turn[];
  /** The same object for as long as the page is open. */
  client: PipecatClient;
  ownAudio: MediaStreamTrack | null;
  /** The bot's audio, which the session plays. */
  botAudio: MediaStreamTrack | null;
  ownVideo: MediaStreamTrack | null;
  botVideo: MediaStreamTrack | null;
}

/** The actions of the page. Each can be called at any time; one that makes no sense then does nothing. */
export interface SessionActions {
  connect: () => Promise<void>;
  /** Cancels the attempt, or ends the conversation. */
  disconnect: () => Promise<void>;
  /** Connects, cancels or disconnects. The second click of a double click does nothing. */
  press: (event: { detail: number }) => void;
  switchMicrophone: () => void;
  switchCamera: () => void;
  chooseTalkMode: (mode: TalkMode) => void;
  /** Presses or releases the push-to-talk key. */
  hold: (on: boolean) => void;
  /** Sends a message, which is added to the turns. Returns whether it was sent. */
  sendText: (text: string) => boolean;
  chooseTransport: (key: string) => void;
  chooseMicrophone: (id: string) => void;
  chooseCamera: (id: string) => void;
  chooseSpeaker: (id: string) => void;
  setVolume: (volume: number) => void;
  /** Clears the transcript. */
  clear: () => void;
  /** Closes the message about a problem. */
  dismiss: () => void;
  /** Reloads the page, unless its server is down: then the transcript stays. */
  reload: () => Promise<void>;
}
