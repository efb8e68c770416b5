import type { Transport } from "@pipecat-ai/client-js";

import type { OwnMedia } from "./media";

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
  /** What `connect` needs, from the answer of `/start`. */
  connection: (started: unknown, botUrl: string) => unknown;
}

export interface LoadedTransport {
  transport: Transport;
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
      const [{ createPeerTransport, watchPeer }, { OwnMedia }] = await Promise.all([import("./peer"), import("./media")]);
      const media = new OwnMedia(signal);
      const transport = createPeerTransport(media);
      return { transport, media, watch: (changed) => watchPeer(transport, media, changed) };
    },
    connection: (started) => started,
  },
];
