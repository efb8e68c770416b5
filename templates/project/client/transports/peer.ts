import { SmallWebRTCTransport } from "@pipecat-ai/small-webrtc-transport";

import { OwnMedia } from "./media";
import type { Line, LoadedTransport } from "./transports";

/** How often the connection is looked at, in milliseconds. */
const INTERVAL_MS = 500;
/** How long no sound may arrive, not even silence, in milliseconds. */
const STALL_MS = 2_500;

/** The peer-to-peer transport, with media that it sends. */
export function load(signal: AbortSignal): LoadedTransport {
  const media = new OwnMedia(signal);
  const transport = createTransport(media);
  return { transport, media, watch: (changed) => watch(transport, media, changed) };
}

function createTransport(media: OwnMedia): SmallWebRTCTransport {
  // The default media manager would load code from another server.
  const transport = new PeerTransport({ mediaManager: media });
  media.onReplaced = (kind, copy) => {
    const line = connectionOf(transport)
      ?.getTransceivers()
      .find(({ receiver }) => receiver.track.kind === kind);
    void line?.sender.replaceTrack(copy).catch(() => undefined);
  };
  return transport;
}

/** Tells what becomes of the connection. Returns what ends the watch. */
function watch(transport: SmallWebRTCTransport, media: OwnMedia, changed: (line: Line) => void): () => void {
  if (!connectionOf(transport)) {
    media.canReplace = false;
    console.warn(
      "This version of @pipecat-ai/small-webrtc-transport hides its connection: a lost bot is noticed late, and another device is used only in the next conversation. package.json of this client was written for a version that does not.",
    );
  }
  let last: Line = "up";
  let packets = 0;
  let arrived = performance.now();
  const look = async () => {
    const connection = connectionOf(transport);
    // A transport that has given up says so itself.
    if (!connection) return;
    media.renew();
    const now = await packetsOf(connection);
    if (now !== packets) arrived = performance.now();
    packets = now;
    const isUp = ["connected", "completed"].includes(connection.iceConnectionState);
    const line = isUp ? (performance.now() - arrived > STALL_MS ? "stalled" : "up") : "down";
    if (line !== last) changed(line);
    last = line;
  };
  const timer = setInterval(() => void look(), INTERVAL_MS);
  return () => clearInterval(timer);
}

/** How many packets of sound have arrived. */
async function packetsOf(connection: RTCPeerConnection): Promise<number> {
  let packets = 0;
  const stats = await connection.getStats().catch(() => undefined);
  stats?.forEach((entry: { type: string; kind?: string; packetsReceived?: number }) => {
    if (entry.type === "inbound-rtp" && entry.kind === "audio") packets += entry.packetsReceived ?? 0;
  });
  return packets;
}

class PeerTransport extends SmallWebRTCTransport {
  /** Whoever cancels early waits for no connection: that it failed would be an error that nobody handles. */
  override async _disconnect(): Promise<void> {
    const connected = Reflect.get(this, "_connectResolved") as (() => void) | null | undefined;
    Reflect.set(this, "_connectFailed", null);
    connected?.();
    await super._disconnect();
  }
}

/** The transport replaces its connection when it fails, and tells nobody. There is no public way to the connection: another version may hide it. */
function connectionOf(transport: SmallWebRTCTransport): RTCPeerConnection | undefined {
  const connection: unknown = Reflect.get(transport, "pc");
  return connection instanceof RTCPeerConnection ? connection : undefined;
}
