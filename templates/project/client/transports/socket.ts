import { ProtobufFrameSerializer, WebSocketTransport } from "@pipecat-ai/websocket-transport";

import { BOT_URL } from "./settings";
import { SampledMedia } from "./sound";
import type { LoadedTransport } from "./transports";

type Options = NonNullable<ConstructorParameters<typeof WebSocketTransport>[0]>;

/** Creates the WebSocket transport and its media. */
export function load(signal: AbortSignal): LoadedTransport {
  const media = new SampledMedia(signal);
  const transport = new WebSocketTransport({
    // The default media manager would load code from another server. Its type has members that are private to its package.
    mediaManager: media as unknown as NonNullable<Options["mediaManager"]>,
    serializer: new Serializer(),
  });
  return { transport, media, connection };
}

/** Returns the WebSocket's address with its token. */
function connection(started: unknown): unknown {
  const { wsUrl, token } = started as { wsUrl: string; token?: string | null };
  const address = new URL(wsUrl);
  if (address.pathname.startsWith("/ws-client")) {
    // The bot's server returns the address that it listens on, which may differ from the one that reaches it.
    const bot = new URL(BOT_URL);
    address.protocol = bot.protocol === "https:" ? "wss:" : "ws:";
    address.host = bot.host;
  }
  return token ? { wsUrl: address.href, token } : { wsUrl: address.href };
}

/** The package's serializer throws on messages that it does not know, such as the one about an interruption. */
class Serializer extends ProtobufFrameSerializer {
  override async deserialize(data: unknown): ReturnType<ProtobufFrameSerializer["deserialize"]> {
    try {
      return await super.deserialize(data);
    } catch {
      return { type: "message", message: { id: "", label: "", type: "", data: null } };
    }
  }
}
