// Breaks the connection of a web client at every step, and looks each time whether it still listens: no microphone or camera may
// be open behind a page that says "Disconnected", and no connection.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { launch } from "./browser.mjs";
import { count } from "./counted.mjs";

const { values: given } = parseArgs({
  options: {
    chromium: { type: "string" },
    page: { type: "string" },
    "bot-process": { type: "string" },
    greeting: { type: "string" },
    camera: { type: "boolean" },
    "stand-in": { type: "boolean" },
  },
});

/** Longer than the client waits for a bot, in milliseconds. */
const LATE = 60_000;

const browser = await launch(given.chromium);
const errors = [];
/** The parts of the page that are loaded when they are needed. */
const SCRIPTS = /\.js$/;

async function newContext() {
  const made = await browser.newContext({ permissions: ["microphone", "camera"] });
  await made.addInitScript(count);
  return made;
}

const STOPPED = "The bot has stopped responding. Connect again to start over.";
/** What is being tried over each transport. */
const doing = {};

/** A page that uses one transport, with what it has to endure. */
function visitor(transport) {
  let page;
  const now = (fault) => (doing[transport] = fault);

  const button = (name) => page.getByRole("button", { name, exact: true });
  const alert = (text) => page.getByRole("alert").getByText(text).waitFor();
  /** The cause is behind a switch. */
  const cause = async (text) => {
    const words = page.getByRole("alert").getByText(text);
    await words.waitFor({ state: "hidden" });
    await page.getByText("Details", { exact: true }).click();
    await words.waitFor();
  };
  const status = (text) => page.getByRole("status").getByText(text).first().waitFor();
  const greetings = () => page.getByRole("log").getByText(given.greeting);
  const start = (handle) => page.route("**/start", handle, { times: 1 });
  async function open() {
    page = await (await newContext()).newPage();
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
      await alert("The bot could not start.");
      await cause("The bot's server refused: Internal Server Error");
      await status("Not connected");
    },
    "the server answers nonsense": async () => {
      await start((route) => route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Hello</h1>" }));
      await button("Connect").click();
      await alert("The bot could not start.");
      await cause("did not answer as a bot does");
      await status("Not connected");
    },
    "no bot is running": async () => {
      await start((route) => route.abort("connectionrefused"));
      await button("Connect").click();
      await alert("The bot can't be reached.");
      await cause("The bot does not answer at");
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
    await alert("The server of this page can't be reached.");
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
  async function exchangeMicrophone() {
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

  /** The bot stands still, and that is told; it goes on after a while. */
  async function waits() {
    await status("The bot is not responding");
  }

  async function goesOn() {
    await page.waitForFunction(() => !document.querySelector("[role=status]").textContent.includes("not responding"));
    assert.ok(await button("Disconnect").isVisible(), "a busy bot is not dropped");
    if (transport === "webrtc") await page.waitForFunction(() => window.counted.sent().some((track) => track.startsWith("live")));
  }

  /** The bot stands still for ever, or is gone. */
  async function isLost(words, fault) {
    await alert(words);
    await status("Not connected");
    await assertClosed(fault);
    await button("Connect").waitFor();
    assert.equal(await page.locator("details[open]").count(), 0, "the cause is behind a switch");
    await button("Close").click();
    await page.getByRole("alert").getByText(words).waitFor({ state: "hidden" });
  }

  async function timeOut() {
    await open();
    await page.clock.install();
    const answer = await startSlowly();
    await page.clock.fastForward(LATE);
    await alert("The bot could not start.");
    await status("Not connected");
    await assertClosed("too late");
    answer();
    await page.close();
  }

  /** Everything that does not need the bot itself to fail. */
  async function endure() {
    now("open");
    await open();
    now("its code is loaded");
    await loadParts();
    for (const [fault, act] of Object.entries(FAULTS)) {
      now(fault);
      await act();
      await button("Connect").waitFor();
      await page.waitForFunction(() => window.counted.settled());
      await assertClosed(fault);
    }
    if (given.camera && transport === "webrtc") {
      now("no camera");
      await noCamera();
      await assertClosed("no camera");
    }
    now("another microphone");
    await exchangeMicrophone();
    // What was said stays, whatever came after.
    now("what was said");
    assert.ok((await greetings().count()) > 2);
    now("nothing is left over");
    await assertClosed("nothing is left over");
    await page.close();
    now("too late");
    await timeOut();
  }

  /** A bot that hangs behind the page's own transport, whose server can't run here, by a clock that only the test moves. */
  async function hangAlone() {
    now("the bot stands still");
    await open();
    await page.clock.install();
    await start((route) => route.fulfill({ json: {} }));
    await button("Connect").click();
    await status("Ready: say something");
    await page.clock.pauseAt(Date.now() + LATE);
    const setHanging = (on) => page.evaluate((on) => (window.botHangs = on), on);
    await setHanging(true);
    await page.clock.runFor(9_000);
    await waits();
    await setHanging(false);
    await page.clock.runFor(2_000);
    await goesOn();
    now("the bot hangs");
    await setHanging(true);
    await page.clock.runFor(11_900);
    await waits();
    await page.clock.runFor(3_100);
    await isLost(STOPPED, "hung");
  }

  return { endure, hangAlone, open, converse, waits, goesOn, isLost, now, said: () => page.locator("body").innerText() };
}

const visitors = ["websocket", "webrtc"].map(visitor);
const all = (act) => Promise.all(visitors.map(act));
const signal = (name) => process.kill(Number(given["bot-process"]), name);

/** The bot stops, both pages wait, and it goes on before they give up. */
async function stall() {
  signal("SIGSTOP");
  try {
    await all((it) => it.waits());
  } finally {
    signal("SIGCONT");
  }
  await all((it) => it.goesOn());
}

/** The bot stops for good, and both pages say so. */
async function hang() {
  signal("SIGSTOP");
  try {
    await all((it) => it.isLost(STOPPED, "hung"));
  } finally {
    signal("SIGCONT");
  }
}

try {
  await Promise.all([...visitors.map((it) => it.endure()), given["stand-in"] && visitor("stand-in").hangAlone()]);
  await all((it) => it.open());
  await all((it) => it.converse());
  await all((it) => it.now("the bot stands still"));
  await stall();
  await all((it) => it.now("the bot hangs"));
  await hang();
  await all((it) => it.now("the bot is killed"));
  await all((it) => it.converse());
  signal("SIGKILL");
  await all((it) => it.isLost(/^(The connection to the bot was lost|The bot has stopped responding)\. Connect again to start over\.$/, "killed"));
  assert.deepEqual(errors, []);
} catch (error) {
  console.error(error.message, "\n", doing, errors, ...(await all((it) => it.said().catch(() => ""))));
  process.exitCode = 1;
} finally {
  await browser.close();
}
