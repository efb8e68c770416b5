// Breaks the connection of a web client at every step, and looks each time whether it still listens: no microphone or camera may
// be open behind a page that says "Disconnected", and no connection.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { launch, report } from "./browser.mjs";
import { count } from "./counted.mjs";

const { values: given } = parseArgs({
  options: {
    chromium: { type: "string" },
    page: { type: "string" },
    "bot-process": { type: "string" },
    greeting: { type: "string" },
    camera: { type: "boolean" },
  },
});

/** Longer than the client waits for a bot, in milliseconds. */
const LATE = 60_000;

const browser = await launch(given.chromium);
const context = await newContext();
const errors = [];
let page;

const button = (name) => page.getByRole("button", { name, exact: true });
const alert = (text) => page.getByRole("alert").getByText(text).waitFor();
const status = (text) => page.getByRole("status").getByText(text).first().waitFor();
const greetings = () => page.getByRole("log").getByText(given.greeting);
const start = (handle) => page.route("**/start", handle, { times: 1 });
/** The parts of the page that are loaded when they are needed. */
const SCRIPTS = /\.js$/;

async function newContext() {
  const made = await browser.newContext({ permissions: ["microphone", "camera"] });
  await made.addInitScript(count);
  return made;
}

async function open(transport, browsing = context) {
  page = await browsing.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(given.page);
  await status("Not connected");
  await choose("Connection", transport);
}

/** Chooses an option in the settings. Returns its name. */
async function choose(setting, value) {
  await button("Settings").click();
  const choice = page.getByRole("combobox", { name: setting });
  const option = value ? choice.locator(`option[value="${value}"]`) : choice.locator("option").last();
  const label = await option.textContent();
  await choice.selectOption({ label });
  await button("Done").click();
  return label;
}

/** Nothing is open: at once, not only after a while. */
async function assertClosed(fault) {
  assert.deepEqual(await page.evaluate(() => window.counted.open()), { tracks: 0, peers: 0, sockets: 0 }, fault);
}

/** A conversation begins: the bot greets once more. */
async function converse(click = () => button("Connect").click()) {
  const before = await greetings().count();
  await click();
  await greetings().nth(before).waitFor();
  await button("Disconnect").waitFor();
}

/** The start is under way, and `/start` is asked. Returns what lets it answer. */
async function startSlowly() {
  let answer;
  const gate = new Promise((resolve) => (answer = resolve));
  const asked = new Promise((resolve) => {
    void start(async (route) => {
      resolve();
      await gate;
      // Fails if the page has given up.
      await route.continue().catch(() => undefined);
    });
  });
  await button("Connect").click();
  await asked;
  return answer;
}

const FAULTS = {
  "cancelled while the bot starts": async () => {
    const answer = await startSlowly();
    await button("Cancel").click();
    await status("Disconnected");
    await assertClosed("before /start answers");
    answer();
  },
  "cancelled while the user is asked for the microphone": async () => {
    await page.evaluate(() => window.counted.hold());
    await button("Connect").click();
    await page.waitForFunction(() => window.counted.held());
    await button("Cancel").click();
    await status("Disconnected");
    // Permission is given all the same, later.
    await page.evaluate(() => window.counted.release());
  },
  "cancelled while the connection is opened": async () => {
    await page.evaluate(() => window.counted.whenConnecting(() => document.querySelector("button.primary, #connect")?.click()));
    await button("Connect").click();
    await status("Disconnected");
  },
  "cancelled after the connection is opened": async () => {
    await page.evaluate(() => window.counted.whenConnecting(() => setTimeout(() => document.querySelector("button.primary, #connect")?.click(), 150)));
    await button("Connect").click();
    await status("Disconnected");
  },
  "the server fails": async () => {
    await start((route) => route.fulfill({ status: 500, contentType: "text/html", body: "<h1>Internal Server Error</h1>" }));
    await button("Connect").click();
    await alert("The bot's server refused: Internal Server Error");
    await status("Not connected");
  },
  "the server answers nonsense": async () => {
    await start((route) => route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Hello</h1>" }));
    await button("Connect").click();
    await alert("did not answer as a bot does");
    await status("Not connected");
  },
  "no bot is running": async () => {
    await start((route) => route.abort("connectionrefused"));
    await button("Connect").click();
    await alert("The bot does not answer at");
    await status("Not connected");
  },
  "no microphone": async () => {
    await page.evaluate(() => window.counted.refuse("audio", "NotFoundError"));
    await button("Connect").click();
    await alert("No microphone was found.");
    await status("Not connected");
    await page.evaluate(() => window.counted.allow());
  },
  "microphone refused": async () => {
    await page.evaluate(() => window.counted.refuse("audio", "NotAllowedError"));
    await button("Connect").click();
    await alert("This page may not use your microphone.");
    await status("Not connected");
    await page.evaluate(() => window.counted.allow());
  },
  "Connect is double-clicked": async () => {
    await converse(() => button("Connect").dblclick());
    await button("Disconnect").dblclick();
    await status("Disconnected");
  },
  "the page is left": async () => {
    await converse();
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    await status("Disconnected");
  },
};

/** The code of a transport is loaded when it is used first: slowly, not at all, and when nobody serves the page any more. */
async function loadParts() {
  let arrive;
  const gate = new Promise((resolve) => (arrive = resolve));
  const asked = new Promise((resolve) => {
    void page.route(SCRIPTS, async (route) => {
      resolve();
      await gate;
      await route.continue();
    });
  });
  await button("Connect").click();
  await asked;
  await button("Cancel").click();
  await status("Disconnected");
  await assertClosed("before it is loaded");
  const loaded = page.waitForResponse(SCRIPTS);
  arrive();
  await (await loaded).finished();
  await page.unrouteAll({ behavior: "wait" });
  assert.ok(await button("Connect").isVisible());
  await assertClosed("after it is loaded");

  // What is loaded at the start has to be there.
  await page.reload({ waitUntil: "networkidle" });
  await page.route(SCRIPTS, (route) => route.abort("internetdisconnected"));
  await button("Connect").click();
  await alert("A part of this page could not be loaded. Check the network, then try again.");
  await status("Not connected");
  await assertClosed("not loaded");
  await page.route(given.page, (route) => route.abort("internetdisconnected"));
  await button("Try again").click();
  await alert("The server of this page does not answer.");
  await page.unrouteAll({ behavior: "wait" });
  await Promise.all([page.waitForEvent("load"), button("Try again").click()]);
  await page.waitForLoadState("networkidle");
}

async function noCamera() {
  await page.evaluate(() => window.counted.refuse("video", "NotFoundError"));
  await converse();
  await alert("No camera was found.");
  await button("Disconnect").click();
  await status("Disconnected");
  await page.evaluate(() => window.counted.allow());
}

/** Another microphone in the middle of a conversation. */
async function exchangeMicrophone(transport) {
  await converse();
  const before = await page.evaluate(() => window.counted.open().tracks);
  const other = await choose("Microphone");
  await page.waitForFunction((label) => window.counted.labels().every((name) => name === label), other);
  if (transport === "webrtc") {
    await page.waitForFunction((label) => window.counted.sent().some((track) => track === `live ${label}`), other);
  }
  assert.equal(await page.evaluate(() => window.counted.open().tracks), before, "the first microphone is closed");
  // It is unplugged, and the default one takes its place; then that one, and there is no other.
  await page.evaluate(() => window.counted.unplug());
  await page.waitForFunction((label) => window.counted.labels().some((name) => name !== label), other);
  await page.evaluate(() => window.counted.refuse("audio", "NotFoundError"));
  await page.evaluate(() => window.counted.unplug());
  await alert("No microphone was found.");
  await status("Ready: your microphone is muted");
  await page.evaluate(() => window.counted.allow());
  await button("Disconnect").click();
  await status("Disconnected");
  await assertClosed("after another microphone");
}

/** The bot stands still for a while, and goes on. */
async function stall() {
  await converse();
  const bot = Number(given["bot-process"]);
  process.kill(bot, "SIGSTOP");
  try {
    await status("Reconnecting");
  } finally {
    process.kill(bot, "SIGCONT");
  }
  await page.waitForFunction(() => !document.querySelector("[role=status]").textContent.includes("Reconnecting"));
  await button("Disconnect").waitFor();
  await page.waitForFunction(() => window.counted.sent().some((track) => track.startsWith("live")));
  await button("Disconnect").click();
  await status("Disconnected");
  await assertClosed("after a stall");
}

/** The clock that runs ahead is that of a context of its own. */
async function timeOut(transport) {
  const browsing = await newContext();
  await open(transport, browsing);
  await page.clock.install();
  const answer = await startSlowly();
  await page.clock.fastForward(LATE);
  await alert("The bot did not get ready.");
  await status("Not connected");
  await assertClosed("too late");
  answer();
  await browsing.close();
}

async function kill() {
  await converse();
  process.kill(Number(given["bot-process"]), "SIGKILL");
  await alert("The connection to the bot was lost.");
  await status("Not connected");
  await assertClosed("killed");
}

let doing = "";
try {
  for (const transport of ["websocket", "webrtc"]) {
    const now = (fault) => (doing = `${transport}: ${fault}`);
    now("open");
    await open(transport);
    now("its code is loaded");
    await loadParts();
    for (const [fault, act] of Object.entries(FAULTS)) {
      now(fault);
      await act();
      await button("Connect").waitFor();
      await page.waitForFunction(() => window.counted.settled());
      await assertClosed(doing);
    }
    if (given.camera && transport === "webrtc") {
      now("no camera");
      await noCamera();
      await assertClosed(doing);
    }
    now("another microphone");
    await exchangeMicrophone(transport);
    if (transport === "webrtc") {
      now("the bot stands still");
      await stall();
    }
    // What was said stays, whatever came after.
    now("what was said");
    assert.ok((await greetings().count()) > 2);
    now("nothing is left over");
    await assertClosed(doing);
    await page.close();
    now("too late");
    await timeOut(transport);
  }
  doing = "webrtc: the bot is killed";
  await open("webrtc");
  await kill();
  assert.deepEqual(errors, []);
} catch (error) {
  await report(page, error, doing, errors);
} finally {
  await browser.close();
}
