import { SmallWebRTCTransport } from "@pipecat-ai/small-webrtc-transport";

import type { OwnMedia } from "./media";

/** How often the connection is looked at, in milliseconds. */
const INTERVAL_MS = 500;

/** The peer-to-peer transport for these devices. */
export function createPeerTransport(media: OwnMedia): SmallWebRTCTransport {
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

/** Tells when the other side falls silent, and when it is back. Returns what ends the watch. */
export function watchPeer(transport: SmallWebRTCTransport, media: OwnMedia, changed: (up: boolean) => void): () => void {
  let wasUp = true;
  const timer = setInterval(() => {
    const up = ["connected", "completed"].includes(connectionOf(transport)?.iceConnectionState ?? "closed");
    media.renew();
    if (up !== wasUp) changed(up);
    wasUp = up;
  }, INTERVAL_MS);
  return () => clearInterval(timer);
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

/** The transport replaces its connection when it fails, and tells nobody. */
function connectionOf(transport: SmallWebRTCTransport): RTCPeerConnection | undefined {
  const connection: unknown = Reflect.get(transport, "pc");
  return connection instanceof RTCPeerConnection ? connection : undefined;
}
