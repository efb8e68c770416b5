import { SmallWebRTCTransport } from "@pipecat-ai/small-webrtc-transport";

import { OwnMedia } from "./media";
import type { LoadedTransport } from "./transports";

/** Creates the peer-to-peer transport and its media. */
export function load(signal: AbortSignal): LoadedTransport {
  const media = new OwnMedia(signal);
  // The default media manager would load code from another server.
  const transport = new PeerTransport({ mediaManager: media });
  // Another version of the package may hide its connection.
  media.canReplace = () => connectionOf(transport) !== undefined;
  media.onReplaced = (kind, copy) => {
    const line = connectionOf(transport)
      ?.getTransceivers()
      .find(({ receiver }) => receiver.track.kind === kind);
    void line?.sender.replaceTrack(copy).catch(() => undefined);
  };
  closeAll(transport, signal);
  return { transport, media };
}

/** Closes connections that the transport itself would close late: one that it replaces while the bot hangs, or opens after the end. */
function closeAll(transport: SmallWebRTCTransport, signal: AbortSignal): void {
  const opened: RTCPeerConnection[] = [];
  const create: unknown = Reflect.get(transport, "createPeerConnection");
  if (typeof create !== "function") return;
  Reflect.set(transport, "createPeerConnection", () => {
    const connection = Reflect.apply(create, transport, []) as RTCPeerConnection;
    opened.push(connection);
    if (signal.aborted) connection.close();
    return connection;
  });
  signal.addEventListener("abort", () => {
    for (const connection of opened) if (connection !== connectionOf(transport)) connection.close();
  });
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
