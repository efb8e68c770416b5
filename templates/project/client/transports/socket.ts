import { ProtobufFrameSerializer, WebSocketTransport } from "@pipecat-ai/websocket-transport";

import { BOT_URL } from "./settings";
import { SampledMedia } from "./sound";
import type { LoadedTransport } from "./transports";

type Options = NonNullable<ConstructorParameters<typeof WebSocketTransport>[0]>;

/** The WebSocket transport, with media that it sends. */
export function load(signal: AbortSignal): LoadedTransport {
  const media = new SampledMedia(signal);
  const transport = new WebSocketTransport({
    // The default media manager would load code from another server. Its type has parts that only its own classes see.
    mediaManager: media as unknown as NonNullable<Options["mediaManager"]>,
    serializer: new Serializer(),
  });
  return { transport, media, connection };
}

/** Where the WebSocket is, and the token that it wants. */
function connection(started: unknown): unknown {
  const { wsUrl, token } = started as { wsUrl: string; token?: string | null };
  const address = new URL(wsUrl);
  if (address.pathname.startsWith("/ws-client")) {
    // The bot's own server names the address that it listens on, which need not be the one that leads to it.
    const bot = new URL(BOT_URL);
    address.protocol = bot.protocol === "https:" ? "wss:" : "ws:";
    address.host = bot.host;
  }
  return token ? { wsUrl: address.href, token } : { wsUrl: address.href };
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
