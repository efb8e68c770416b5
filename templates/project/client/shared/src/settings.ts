import { TRANSPORTS, type TransportChoice } from "./transports";

/** Where the bot's server listens, without a slash at the end. */
export const BOT_URL = (import.meta.env.VITE_BOT_URL || "http://localhost:7860").replace(/\/+$/, "");

/** The connections that the page offers: all that are built in, unless `VITE_TRANSPORTS` names some. */
export const OFFERED = offered(import.meta.env.VITE_TRANSPORTS ?? "");

function offered(keys: string): TransportChoice[] {
  const wanted = keys.split(",").map((key) => key.trim());
  const known = TRANSPORTS.filter((transport) => wanted.includes(transport.key));
  return known.length > 0 ? known : TRANSPORTS;
}
