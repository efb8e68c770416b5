import { ProtobufFrameSerializer, WebSocketTransport } from "@pipecat-ai/websocket-transport";

import { SampledMedia } from "./sound";
import type { LoadedTransport } from "./transports";

type Options = NonNullable<ConstructorParameters<typeof WebSocketTransport>[0]>;

/** The WebSocket transport, with media that it sends. */
export function createSocketTransport(signal: AbortSignal): LoadedTransport {
  const media = new SampledMedia(signal);
  const transport = new WebSocketTransport({
    // The default media manager would load code from another server. Its type has parts that only its own classes see.
    mediaManager: media as unknown as NonNullable<Options["mediaManager"]>,
    serializer: new Serializer(),
  });
  return { transport, media };
}

/** The package's serializer calls it an error when the bot sends what it does not know, such as that it was interrupted. */
class Serializer extends ProtobufFrameSerializer {
  override async deserialize(data: unknown): ReturnType<ProtobufFrameSerializer["deserialize"]> {
    try {
      return await super.deserialize(data);
    } catch {
      return { type: "message", message: { id: "", label: "", type: "", data: null } };
    }
  }
}
