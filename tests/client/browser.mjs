import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { voice } from "./voice.mjs";

/** Starts a browser with a fake camera and a fake microphone, which hears a voice if `speaks`. */
export async function launch(executablePath, { speaks = false } = {}) {
  const args = ["--no-sandbox", "--use-fake-device-for-media-stream", "--autoplay-policy=no-user-gesture-required"];
  if (speaks) {
    const scratch = mkdtempSync(join(tmpdir(), "voice-"));
    process.on("exit", () => rmSync(scratch, { recursive: true }));
    const microphone = join(scratch, "voice.wav");
    writeFileSync(microphone, voice());
    args.push(`--use-file-for-fake-audio-capture=${microphone}`);
  }
  return chromium.launch({ executablePath, args });
}

/** Opens an empty page that may use the devices. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ permissions: ["microphone", "camera"], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

/** Opens the client's page, connects, and waits for the bot's first words. */
export async function connect(page, given) {
  await page.goto(given.page);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("log").getByText(given.greeting).first().waitFor();
}

/** Says what has failed, with the text of the page. */
export async function report(page, error, ...notes) {
  console.error(error.message, "\n", ...notes, "\n", await page.locator("body").innerText());
  process.exitCode = 1;
}
