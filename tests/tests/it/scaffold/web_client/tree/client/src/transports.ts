import type { Transport } from "@pipecat-ai/client-js";

/** A way to reach the bot. Its code is loaded when it is used. */
export interface TransportChoice {
  /** The value of the bot's `-t` option. */
  key: string;
  label: string;
  /** Whether it carries pictures. */
  video: boolean;
  /** Whether devices can be exchanged during a conversation. */
  switchesLive: boolean;
  /** What the bot's `/start` is told, besides the transport. */
  start: Record<string, boolean>;
  load: (camera: CameraWish) => Promise<Transport>;
  /** What `connect` needs, from the answer of `/start`. */
  connection: (started: unknown, botUrl: string) => unknown;
}

/** Whether a camera is wanted, and which. */
export interface CameraWish {
  on: boolean;
  id: string;
}

export const TRANSPORTS: TransportChoice[] = [
  {
    key: "webrtc",
    label: "SmallWebRTC (peer to peer)",
    video: true,
    switchesLive: false,
    start: {},
    load: async (camera) => {
      const { SmallWebRTCTransport } = await import("@pipecat-ai/small-webrtc-transport");
      const { CameraMediaManager } = await import("./camera");
      // The default media manager would load code from another server.
      return new SmallWebRTCTransport({ mediaManager: new CameraMediaManager(camera.id) });
    },
    connection: (started) => started,
  },
  {
    key: "daily",
    label: "Daily (WebRTC)",
    video: true,
    switchesLive: true,
    start: { createDailyRoom: true },
    load: async () => {
      const { DailyTransport } = await import("@pipecat-ai/daily-transport");
      return new DailyTransport();
    },
    connection: (started) => started,
  },
  {
    key: "websocket",
    label: "WebSocket",
    video: false,
    switchesLive: true,
    start: {},
    load: async () => {
      const { WavMediaManager, WebSocketTransport } = await import("@pipecat-ai/websocket-transport");
      // The default media manager would load code from another server. Chunks of 512 samples at 16 kHz.
      return new WebSocketTransport({ mediaManager: new WavMediaManager(512, 16_000) });
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
