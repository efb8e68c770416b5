// Opens a client's page, connects, and waits for the bot's first words.
import { parseArgs } from "node:util";
import { connect, launch, newPage, report } from "./browser.mjs";

const { values: given } = parseArgs({
  options: { chromium: { type: "string" }, page: { type: "string" }, greeting: { type: "string" } },
});

const browser = await launch(given.chromium);
const page = await newPage(browser);
try {
  await connect(page, given);
} catch (error) {
  await report(page, error);
} finally {
  await browser.close();
}
