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
  {
    key: "daily",
    label: "Daily (WebRTC)",
    video: true,
    start: { createDailyRoom: true },
    load: async () => {
      const { DailyTransport } = await import("@pipecat-ai/daily-transport");
      return { transport: new DailyTransport() };
    },
    connection: (started) => started,
  },
  {
    key: "websocket",
    label: "WebSocket",
    video: false,
    start: {},
    load: async (signal) => {
      const { createSocketTransport } = await import("./socket");
      return createSocketTransport(signal);
    },
    connection: (started, botUrl) => {
      const { wsUrl, token } = started as { wsUrl: string; token?: string | null };
      const address = new URL(wsUrl);
      if (address.pathname.startsWith("/ws-client")) {
        // The bot's own server names the address that it listens on, which need not be the one that leads to it.
        const bot = new URL(botUrl);
        address.protocol = bot.protocol === "https:" ? "wss:" : "ws:";
        address.host = bot.host;
      }
      return token ? { wsUrl: address.href, token } : { wsUrl: address.href };
    },
  },
];
