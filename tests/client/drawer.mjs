// Uses the drawer for developers of a client that is served for development.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import AxeBuilder from "@axe-core/playwright";
import { connect, launch, newPage, report } from "./browser.mjs";

const { values: given } = parseArgs({
  options: {
    chromium: { type: "string" },
    page: { type: "string" },
    greeting: { type: "string" },
    typed: { type: "string" },
    reply: { type: "string" },
  },
});

const browser = await launch(given.chromium);
const page = await newPage(browser);
try {
  await connect(page, given);
  await page.getByRole("textbox", { name: "Message" }).fill(given.typed);
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText(given.reply).first().waitFor();
  await page.getByRole("button", { name: /^Developer/ }).click();
  const drawer = page.getByRole("complementary", { name: "Developer" });
  await drawer.getByRole("list", { name: "Latency of each turn" }).getByText(/^\d+ ms$/).first().waitFor();
  await drawer.getByRole("region", { name: "Metrics" }).getByRole("cell", { name: "ttfb" }).first().waitFor();
  // Only the latest events are kept: on a slow machine the first ones are gone.
  const events = drawer.getByRole("region", { name: "Events" });
  await events.getByText("botTranscript").first().click();
  await events.locator("details[open]").getByText('"text"').waitFor();
  for (const [width, height] of [[1280, 800], [320, 568]]) {
    await page.setViewportSize({ width, height });
    const { violations } = await new AxeBuilder({ page }).include(".developer").analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  }
} catch (error) {
  await report(page, error);
} finally {
  await browser.close();
}
