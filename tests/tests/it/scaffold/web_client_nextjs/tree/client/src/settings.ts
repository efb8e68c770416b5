import { TRANSPORTS, type TransportChoice } from "./transports";

// The build replaces these expressions as they are written.
const address = process.env.NEXT_PUBLIC_BOT_URL;
const transports = process.env.NEXT_PUBLIC_TRANSPORTS;

/** Where the bot's server listens, without a slash at the end. */
export const BOT_URL = (address || "http://localhost:7860").replace(/\/+$/, "");

/** The connections that the page offers: all that are built in, unless `.env` names some. */
export const OFFERED = offered(transports ?? "");

function offered(keys: string): TransportChoice[] {
  const wanted = keys.split(",").map((key) => key.trim());
  const known = TRANSPORTS.filter((transport) => wanted.includes(transport.key));
  return known.length > 0 ? known : TRANSPORTS;
}
