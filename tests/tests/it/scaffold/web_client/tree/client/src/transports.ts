import type { Transport } from "@pipecat-ai/client-js";

import type { OwnMedia } from "./media";
import { part } from "./problems";

/** A way to reach the bot. Its code is loaded when it is used. */
export interface TransportChoice {
  /** The value of the bot's `-t` option. */
  key: string;
  label: string;
  /** Whether it carries pictures. */
  video: boolean;
  /** What the bot's `/start` is told, besides the transport. */
  start: Record<string, boolean>;
  load: (signal: AbortSignal) => Promise<LoadedTransport>;
}

export interface LoadedTransport {
  transport: Transport;
  /** What `connect` needs, from the answer of `/start`. Without it, that answer itself. */
  connection?: (started: unknown) => unknown;
  /** What it sends. Without it, the transport opens the devices. */
  media?: OwnMedia;
  /** Tells what becomes of the connection. Returns what ends the watch. */
  watch?: (changed: (line: Line) => void) => () => void;
}

/** A connection that is stalled may be up: the bot sends nothing. */
export type Line = "up" | "stalled" | "down";

export const TRANSPORTS: TransportChoice[] = [
  {
    key: "webrtc",
    label: "SmallWebRTC (peer to peer)",
    video: true,
    start: {},
    load: async (signal) => {
      const { load } = await part(import("./peer"), signal);
      return load(signal);
    },
  },
  {
    key: "daily",
    label: "Daily (WebRTC)",
    video: true,
    start: { createDailyRoom: true },
    load: async (signal) => {
      const { DailyTransport } = await part(import("@pipecat-ai/daily-transport"), signal);
      return { transport: new DailyTransport() };
    },
  },
  {
    key: "websocket",
    label: "WebSocket",
    video: false,
    start: {},
    load: async (signal) => {
      const { load } = await part(import("./socket"), signal);
      return load(signal);
    },
  },
];
