// Opens a client's page, connects, and waits for the bot's first words.
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const { values: given } = parseArgs({
  options: { chromium: { type: "string" }, page: { type: "string" }, greeting: { type: "string" } },
});

const browser = await chromium.launch({
  executablePath: given.chromium,
  args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--autoplay-policy=no-user-gesture-required"],
});
const context = await browser.newContext({ permissions: ["microphone"] });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
try {
  await page.goto(given.page);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("log").getByText(given.greeting).first().waitFor();
} catch (error) {
  console.error(error.message, "\n", await page.locator("body").innerText());
  process.exitCode = 1;
} finally {
  await browser.close();
}
