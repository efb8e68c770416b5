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
  /** The body of the request to `/start`, besides the transport. */
  start: Record<string, boolean>;
  load: (signal: AbortSignal) => Promise<LoadedTransport>;
}

export interface LoadedTransport {
  transport: Transport;
  /** Converts the response of `/start` for `connect`; without it, the response is passed on. */
  connection?: (started: unknown) => unknown;
  /** The media to send. Without it, the transport opens the devices. */
  media?: OwnMedia;
}

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
];
