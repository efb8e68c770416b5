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
    load: async () => {
      const { SmallWebRTCTransport, WavMediaManager } = await import("@pipecat-ai/small-webrtc-transport");
      // The default media manager would load code from another server.
      return new SmallWebRTCTransport({ mediaManager: new WavMediaManager() });
    },
    connection: (started) => started,
  },
];
