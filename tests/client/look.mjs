// Uses a web client as a person would, and says what is wrong with it.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import { launch, newPage, report } from "./browser.mjs";

const { values: given } = parseArgs({
  options: {
    chromium: { type: "string" },
    page: { type: "string" },
    bot: { type: "string" },
    "bot-process": { type: "string" },
    greeting: { type: "string" },
    question: { type: "string" },
    answer: { type: "string" },
    breakdown: { type: "string" },
    last: { type: "string" },
    camera: { type: "boolean" },
  },
});

/** Bytes of scripts when packed: at the start, and with the transport that a conversation uses. Next.js and React bring 130 kB. */
const LARGEST_START = 200_000;
const LARGEST = 260_000;
/** The package of the Daily transport loads the call software from here, which is no part of the client. */
const CALL_SOFTWARE = "https://c.daily.co/";

const browser = await launch(given.chromium, { speaks: true });
const page = await newPage(browser, { viewport: { width: 1000, height: 800 }, permissions: [] });

const failures = [];
const complaints = [];
const elsewhere = [];
page.on("pageerror", (error) => failures.push(error.message));
page.on("console", (message) => {
  // The WebSocket transport's package does not know the frame by which the framework announces an interruption.
  if (message.type() === "error" && !message.text().includes("Unknown frame kind")) complaints.push(message.text());
});
page.on("request", (request) => {
  const { protocol, hostname } = new URL(request.url());
  if (protocol.startsWith("http") && !["localhost", "127.0.0.1"].includes(hostname)) elsewhere.push(request.url());
});

const connect = page.getByRole("button", { name: "Connect", exact: true });
const disconnect = page.getByRole("button", { name: "Disconnect", exact: true });
const alert = page.getByRole("alert");
const log = page.getByRole("log");
const status = (text) => page.getByRole("status").getByText(text).waitFor();
const focused = (button) => button.evaluate((element) => element === document.activeElement);

/** The sizes of screens, and how much of each a keyboard leaves. */
const SCREENS = [
  [1280, 800, 800],
  [768, 1024, 700],
  [360, 640, 340],
  [320, 568, 300],
  [568, 320, 160],
];

/** Nothing is wider than the page, and everything can be reached at once to write and to end: on each screen, also above a keyboard. */
async function fits(name) {
  for (const [width, height, left] of SCREENS) {
    // A keyboard makes the page smaller in some browsers, and covers it in others.
    for (const [high, visible] of [[height, height], [left, left], [height, left]]) {
      await page.setViewportSize({ width, height: high });
      const faults = await page.evaluate((visible) => {
        Object.defineProperty(visualViewport, "height", { configurable: true, get: () => visible });
        visualViewport.dispatchEvent(new Event("resize"));
        const message = document.querySelector(".compose input");
        const main = document.querySelector("main");
        main.scrollTop = 0;
        if (message.disabled) main.scrollTop = main.scrollHeight;
        else message.focus();
        const isReached = (it) => {
          const { left, top, width, height, bottom } = it.getBoundingClientRect();
          return top >= 0 && bottom <= visible && it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        };
        // Beside each other, they are reached one by one.
        const shown = [...document.querySelectorAll(".compose > *, .dock > button:not([hidden])")];
        const faults = shown.filter((it) => {
          if (innerWidth >= 960) it.scrollIntoView({ block: "nearest" });
          return !isReached(it);
        });
        message.blur();
        delete visualViewport.height;
        return [document.documentElement.scrollWidth, ...faults.map((it) => it.outerHTML)];
      }, visible);
      assert.deepEqual(faults, [width], `${name}, ${width}×${high}, ${visible} visible`);
    }
  }
}

/** Looks at the page in both colour schemes, on a large and a small screen. */
async function inspect(name) {
  if (name !== "settings") await fits(name);
  for (const [width, height] of [[1280, 800], [320, 568]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      // A colour that is still changing is not the one to judge.
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const axe = new AxeBuilder({ page });
      // Schemes differ in their colours alone.
      if (colorScheme === "dark") axe.withRules("color-contrast");
      const { violations } = await axe.analyze();
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], `${name}, ${width}, ${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 1000, height: 800 });
}

/** The scripts of the client that the page has loaded, with their bytes when packed. */
async function scripts() {
  const { origin } = new URL(given.page);
  const all = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  const addresses = [...new Set(all)].filter((address) => address.startsWith(origin) && new URL(address).pathname.endsWith(".js"));
  return Promise.all(addresses.map(async (address) => gzipSync(await (await fetch(address)).text()).length));
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** Waits until what the page plays is loud. */
async function hear() {
  await page.waitForFunction(() => {
    const [audio] = document.querySelectorAll("audio");
    if (!audio?.srcObject || audio.paused) return false;
    if (window.heard?.stream !== audio.srcObject) {
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      context.createMediaStreamSource(audio.srcObject).connect(analyser);
      window.heard = { stream: audio.srcObject, analyser };
    }
    const samples = new Float32Array(window.heard.analyser.fftSize);
    window.heard.analyser.getFloatTimeDomainData(samples);
    return samples.some((sample) => Math.abs(sample) > 0.05);
  });
}

/** Fails if the page has loaded more than it may in a conversation. */
async function assertSmall(over) {
  const bytes = sum(await scripts());
  assert.ok(bytes < LARGEST, `${bytes} bytes of scripts in a conversation over ${over}`);
}

/** The call software can't be loaded: so much of the client runs before that, and no part of the client is loaded after it. */
async function callOverDaily() {
  await page.route(`${CALL_SOFTWARE}**`, (route) => route.abort("internetdisconnected"));
  const asked = page.waitForRequest(`${CALL_SOFTWARE}**`);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("combobox", { name: "Connection" }).selectOption("daily");
  await page.getByRole("button", { name: "Done" }).click();
  await connect.click();
  await asked;
  await alert.getByText("The bot can't be reached.").waitFor();
  await alert.getByText("Details").click();
  await alert.getByText("Failed to load call object bundle").waitFor();
  await status("Not connected");
  await assertSmall("Daily");
}

try {
  await page.goto(given.page);
  await status("Not connected");
  await inspect("idle");
  const first = await scripts();
  assert.ok(sum(first) > 0 && sum(first) < LARGEST_START, `${sum(first)} bytes of scripts at the start`);

  // The microphone is refused.
  await connect.click();
  await alert.getByText("This page may not use your microphone. Allow it").waitFor();
  await status("Not connected");
  await inspect("refused");
  await page.context().grantPermissions(["microphone", "camera"]);

  // A conversation, begun by keyboard alone.
  await page.reload();
  await status("Not connected");
  await page.keyboard.press("Tab");
  assert.ok(await focused(connect), "the first stop is the Connect button");
  await page.keyboard.press("Enter");
  await Promise.all([log.getByText(given.greeting).first().waitFor(), hear()]);
  assert.ok(await focused(disconnect), "the focus stays where it was");
  await log.getByText(given.question).first().waitFor();
  await log.getByText(given.answer).first().waitFor();
  await inspect("ready");
  assert.equal(await page.getByRole("button", { name: /Developer/ }).count(), 0, "users see no drawer");

  await page.getByRole("button", { name: "Mute microphone" }).click();
  await page.getByRole("button", { name: "Mute microphone", pressed: true }).waitFor();
  await status("Ready: your microphone is muted");

  // A service of the bot fails, which is told in plain words. The voice would interrupt it.
  const words = "The bot has a problem and may not answer. If it stays silent, disconnect and connect again.";
  await page.getByRole("textbox", { name: "Message" }).fill(given.breakdown);
  await page.keyboard.press("Enter");
  await alert.getByText(words).waitFor();
  assert.deepEqual((await page.locator(".problem").innerText()).split(/\n+/), [words, "Details"]);
  await inspect("fault");
  await alert.getByText("Details").click();
  await alert.getByText(/\b400\b/).waitFor();
  await alert.getByRole("button", { name: "Close" }).click();
  await alert.getByText(words).waitFor({ state: "hidden" });
  const then = await scripts();
  assert.ok(then.length > first.length, "the transport is loaded when it is used");
  await assertSmall("the first connection");
  if (given.camera) {
    const own = page.getByLabel("Your camera");
    await page.waitForFunction((video) => video.videoWidth > 0 && !video.paused, await own.elementHandle());
    await page.getByRole("button", { name: "Turn camera off" }).click();
    await page.getByRole("button", { name: "Turn camera off", pressed: true }).waitFor();
  }
  await disconnect.click();
  await status("Disconnected");

  // Another conversation, which the bot ends.
  await page.getByRole("button", { name: "Settings" }).click();
  await inspect("settings");
  await page.getByRole("combobox", { name: "Connection" }).selectOption(given.last);
  await page.getByRole("button", { name: "Done" }).click();
  const greetings = log.getByText(given.greeting);
  const greeted = await greetings.count();
  await connect.click();
  await greetings.nth(greeted).waitFor();
  await status("Ready: say something");
  assert.deepEqual({ complaints, elsewhere }, { complaints: [], elsewhere: [] });

  // On Ctrl-C the bot's server closes its WebSockets, but waits for conversations between peers.
  process.kill(Number(given["bot-process"]), given.last === "webrtc" ? "SIGKILL" : "SIGINT");
  if (given.last === "webrtc") await alert.getByText(/^The (connection to the bot was lost|bot has stopped responding)\./).waitFor();
  else {
    // A connection that is closed while a message is on its way is reset: then nobody can tell that it was closed in order.
    const reset = page.waitForFunction(() => document.querySelector(".problem")?.textContent.includes("Code: 1006"));
    await Promise.any([status("The bot ended the conversation"), reset]);
  }
  await inspect("ended");

  // There is no bot any more.
  await connect.click();
  await alert.getByText("The bot can't be reached.").waitFor();
  await alert.getByText("Details").click();
  await alert.getByText(`The bot does not answer at ${given.bot}.`).waitFor();
  await alert.getByText("cd server && uv run bot.py").waitFor();
  await inspect("nobody");
  assert.deepEqual(failures, []);

  // With nothing in it but what a call over Daily needs.
  await page.reload();
  await status("Not connected");
  await callOverDaily();
  assert.deepEqual(failures, []);
} catch (error) {
  await report(page, error, failures, complaints);
} finally {
  await browser.close();
}
