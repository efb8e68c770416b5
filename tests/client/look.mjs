// Uses a web client as a person would, and says what is wrong with it.
// look.mjs CHROMIUM PAGE GREETING [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { chromium } from "playwright-core";

const [executablePath, address, greeting, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
  ],
});
const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
const page = await context.newPage();
page.setDefaultTimeout(60_000);

const complaints = [];
const elsewhere = [];
page.on("pageerror", (error) => complaints.push(error.message));
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("request", (request) => {
  const { protocol, hostname } = new URL(request.url());
  if (protocol.startsWith("http") && !["localhost", "127.0.0.1"].includes(hostname)) elsewhere.push(request.url());
});

async function inspect(name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], `${name}, ${colorScheme}`);
    if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}

try {
  await page.goto(address);
  await page.getByText("Not connected").waitFor();
  await inspect("idle");

  // By keyboard alone.
  const connect = page.getByRole("button", { name: "Connect" });
  await page.keyboard.press("Tab");
  assert.ok(await connect.evaluate((button) => button === document.activeElement), "the first stop is the Connect button");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText(greeting).waitFor();
  await page.getByText("Ready: say something").waitFor();
  await inspect("ready");
  const playing = await page.evaluate(() =>
    Array.from(document.querySelectorAll("audio"), (audio) => !audio.paused && audio.srcObject?.getAudioTracks().length),
  );
  assert.deepEqual(playing, [1], "the bot is heard");
  assert.ok(
    await page.getByRole("button", { name: "Disconnect" }).evaluate((button) => button === document.activeElement),
    "the focus stays where it was",
  );

  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), "it fits a phone");
  if (folder) await page.screenshot({ path: join(folder, "phone.png") });

  await page.getByRole("button", { name: "Mute microphone", exact: true }).click();
  await page.getByRole("button", { name: "Unmute microphone" }).click();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Disconnected").waitFor();
  assert.deepEqual({ complaints, elsewhere }, { complaints: [], elsewhere: [] });

  await page.route("**/start", (route) => route.abort());
  await connect.click();
  await page.getByRole("alert").getByText("The bot does not answer").waitFor();
} catch (error) {
  console.error(error.message, "\n", complaints, "\n", await page.locator("body").innerText());
  process.exitCode = 1;
} finally {
  await browser.close();
}
