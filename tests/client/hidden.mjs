// Uses a web client whose transport hides its connection: another device has to wait, and the page says so.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { connect, launch, newPage, report } from "./browser.mjs";
import { count } from "./counted.mjs";

const { values: given } = parseArgs({
  options: { chromium: { type: "string" }, page: { type: "string" }, greeting: { type: "string" } },
});

const browser = await launch(given.chromium);
const page = await newPage(browser);
await page.addInitScript(count);
const warned = page.waitForEvent("console", (message) => message.type() === "warning" && message.text().includes("hides its connection"));
const button = (name) => page.getByRole("button", { name, exact: true });
try {
  await connect(page, given);
  await button("Disconnect").waitFor();
  await warned;
  await page.waitForFunction(() => window.counted.sent().length === 1);
  const before = await page.evaluate(() => window.counted.sent());
  await button("Settings").click();
  const devices = page.getByRole("combobox", { name: "Microphone" });
  await devices.selectOption({ label: await devices.locator("option").last().textContent() });
  await page.getByRole("alert").getByText("The other device is used when you connect again.").waitFor();
  await button("Done").click();
  assert.deepEqual(await page.evaluate(() => window.counted.sent()), before, "the bot goes on hearing the first one");
  await button("Disconnect").click();
  await page.getByRole("status").getByText("Disconnected").waitFor();
  assert.deepEqual(await page.evaluate(() => window.counted.open()), { tracks: 0, peers: 0, sockets: 0 });
} catch (error) {
  await report(page, error);
} finally {
  await browser.close();
}
