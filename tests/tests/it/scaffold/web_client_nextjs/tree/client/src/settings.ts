import { TRANSPORTS, type TransportChoice } from "./transports";

// The build replaces these expressions literally.
const address = process.env.NEXT_PUBLIC_BOT_URL;
const transports = process.env.NEXT_PUBLIC_TRANSPORTS;

/** Whether a developer runs the page, not a user. */
export const IN_DEVELOPMENT = process.env.NODE_ENV === "development";

/** The address of the bot's server, without a trailing slash. */
export const BOT_URL = (address || "http://localhost:7860").replace(/\/+$/, "");

/** The connections that the page offers: all of them, unless `.env` selects some. */
export const OFFERED = offered(transports ?? "");

function offered(keys: string): TransportChoice[] {
  const wanted = keys.split(",").map((key) => key.trim());
  const known = TRANSPORTS.filter((transport) => wanted.includes(transport.key));
  return known.length > 0 ? known : TRANSPORTS;
}
