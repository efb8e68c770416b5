import { SmallWebRTCTransport } from "@pipecat-ai/small-webrtc-transport";

import { OwnMedia } from "./media";
import type { Line, LoadedTransport } from "./transports";

/** The time between two checks of the connection, in milliseconds. */
const INTERVAL_MS = 500;
/** The time without any audio packets, not even silence, after which the connection counts as stalled, in milliseconds. */
const STALL_MS = 2_500;

/** Creates the peer-to-peer transport and its media. */
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

/** Reports changes of the connection, until the returned function is called. */
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
    // A transport that has given up reports that itself.
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

/** Returns the number of audio packets received. */
async function packetsOf(connection: RTCPeerConnection): Promise<number> {
  let packets = 0;
  const stats = await connection.getStats().catch(() => undefined);
  stats?.forEach((entry: { type: string; kind?: string; packetsReceived?: number }) => {
    if (entry.type === "inbound-rtp" && entry.kind === "audio") packets += entry.packetsReceived ?? 0;
  });
  return packets;
}

class PeerTransport extends SmallWebRTCTransport {
  /** After an early cancellation, nobody awaits the connection, and its failure would be an unhandled rejection. */
  override async _disconnect(): Promise<void> {
    const connected = Reflect.get(this, "_connectResolved") as (() => void) | null | undefined;
    Reflect.set(this, "_connectFailed", null);
    connected?.();
    await super._disconnect();
  }
}

/** Returns the current connection, which the transport replaces silently when it fails. It is not public: another version may hide it. */
function connectionOf(transport: SmallWebRTCTransport): RTCPeerConnection | undefined {
  const connection: unknown = Reflect.get(transport, "pc");
  return connection instanceof RTCPeerConnection ? connection : undefined;
}
