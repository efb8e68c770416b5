// Uses each part of a web client during a conversation. Whatever is missing from the page fails here.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { launch, newPage, report } from "./browser.mjs";

const { values: given } = parseArgs({
  options: {
    chromium: { type: "string" },
    page: { type: "string" },
    greeting: { type: "string" },
    question: { type: "string" },
    typed: { type: "string" },
    reply: { type: "string" },
    interim: { type: "string" },
    wish: { type: "string" },
    tale: { type: "string" },
    transport: { type: "string" },
    camera: { type: "boolean" },
    hooks: { type: "boolean" },
  },
});

const browser = await launch(given.chromium, { speaks: true });
const page = await newPage(browser, { viewport: { width: 1280, height: 800 } });
const failures = [];
page.on("pageerror", (error) => failures.push(error.message));

// What was to be spoken, and what was heard until then, at some moment.
await page.addInitScript(() => {
  window.seen = { unspoken: "", interim: new Set(), devices: [] };
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (wish) => {
    window.seen.devices.push(wish);
    return open(wish);
  };
  new MutationObserver(() => {
    for (const text of document.querySelectorAll(".bot .unspoken")) window.seen.unspoken ||= text.textContent;
    for (const text of document.querySelectorAll("li.user[aria-busy=true] p")) window.seen.interim.add(text.textContent.trim());
  }).observe(document, { childList: true, characterData: true, subtree: true });
});

const button = (name) => page.getByRole("button", { name, exact: true });
const log = page.getByRole("log");
const status = (text) => page.getByRole("status").getByText(text).waitFor();
const questions = () => log.locator("li.user").filter({ hasText: given.question }).count();
const setting = (role, name) => page.getByRole(role, { name });

/** Waits until a meter shows something, or nothing. */
async function meter(name, loud) {
  const element = await page.getByRole("meter", { name }).elementHandle();
  await page.waitForFunction(([meter, loud]) => (Number(meter.ariaValueNow) > 20) === loud, [element, loud]);
}

/** Nothing is shown by a meter for as long as the voice takes to come around once. */
async function staysQuiet(name) {
  const element = await page.getByRole("meter", { name }).elementHandle();
  // A meter falls slowly.
  await page.waitForFunction((meter) => meter.ariaValueNow === "0", element);
  const loudest = await element.evaluate(
    (meter) =>
      new Promise((resolve) => {
        let most = 0;
        const until = performance.now() + 11_000;
        const look = () => {
          most = Math.max(most, Number(meter.ariaValueNow));
          if (performance.now() > until) resolve(most);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  assert.equal(loudest, 0, `${name} is silent`);
}

/** Waits for what the hooks of client-react tell, anywhere on the page. */
function hooks(say) {
  return page.waitForFunction((say) => say.test(document.querySelector("#probe").textContent), say);
}

async function inSettings(change) {
  await button("Settings").click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await change();
  await button("Done").click();
}

try {
  await page.goto(given.page);
  await status("Not connected");
  await inSettings(() => setting("combobox", "Connection").selectOption(given.transport));
  if (given.hooks) await hooks(/^disconnected, 0 messages, microphone off$/);
  assert.ok(await page.getByRole("textbox", { name: "Message" }).isDisabled(), "nobody reads a message yet");

  // Levels of both sides, and a transcript that says what was spoken.
  await button("Connect").click();
  await meter("Level of the bot", true);
  await log.locator(".bot .spoken").getByText(given.greeting).first().waitFor();
  assert.equal(await page.evaluate(() => window.seen.unspoken.trim()), given.greeting, "what will be spoken is shown before");
  await meter("Level of the bot", false);
  await meter("Level of your microphone", true);
  await log.getByText(given.question).first().waitFor();
  // What the user is saying is shown meanwhile, and the whole of it takes that place.
  const interim = await page.evaluate(() => [...window.seen.interim]);
  assert.ok(interim.includes(given.interim), `shown while it was said: ${interim}`);
  assert.equal(await log.getByText(`${given.interim} ${given.question}`).count(), 0);
  if (given.hooks) await hooks(/^ready, [1-9]\d* messages, microphone on$/);

  // Typed text.
  await page.getByRole("textbox", { name: "Message" }).fill(given.typed);
  await page.keyboard.press("Enter");
  await log.locator("li.user").filter({ hasText: given.typed }).getByText("Typed", { exact: true }).waitFor();
  await log.locator("li.bot").getByText(given.reply).first().waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "");

  // The user interrupts a long answer: what was not spoken stays unspoken, and is marked so. The voice has just been heard: it
  // comes back in the middle of that answer, unless the answer was late: then nothing of it was spoken yet, or it never came.
  const cut = log.locator("li.bot.cut").filter({ hasText: given.tale });
  const includesTale = async (turn, part) => (await turn.locator(part).allTextContents()).join("").includes(given.tale);
  for (let tries = 1, marked = false; !marked; tries++) {
    const asked = await questions();
    await page.waitForFunction(
      ([question, asked]) => [...document.querySelectorAll("li.user")].filter((turn) => turn.textContent.includes(question)).length > asked,
      [given.question, asked],
    );
    const turn = cut.nth(await cut.count());
    await page.getByRole("textbox", { name: "Message" }).fill(given.wish);
    await page.keyboard.press("Enter");
    const interrupted = turn.getByText("Interrupted", { exact: true }).waitFor({ timeout: 15_000 });
    if (!(await interrupted.then(() => true, () => false))) {
      assert.ok(tries < 8, "the long answer comes and is interrupted");
      continue;
    }
    assert.ok(await includesTale(turn, ".unspoken"), "what was not spoken is marked");
    marked = await includesTale(turn, ".spoken");
    assert.ok(marked || tries < 8, "what was spoken is marked");
  }

  // Muting.
  await button("Mute microphone").click();
  assert.equal(await button("Mute microphone").getAttribute("aria-pressed"), "true");
  await meter("Level of your microphone", false);
  await button("Mute microphone").click();

  // Devices during the conversation.
  const opened = await page.evaluate(() => window.seen.devices.length);
  await inSettings(async () => {
    for (const name of given.camera ? ["Microphone", "Camera"] : ["Microphone"]) {
      const chosen = await setting("combobox", name).locator("option").last().getAttribute("value");
      await setting("combobox", name).selectOption(chosen);
      await page
        .waitForFunction(([chosen, opened]) => JSON.stringify(window.seen.devices.slice(opened)).includes(chosen), [chosen, opened])
        .catch(() => assert.fail(`the other ${name} is not opened`));
    }
    const speaker = await setting("combobox", "Speaker").locator("option").last().getAttribute("value");
    await setting("combobox", "Speaker").selectOption(speaker);
    await page
      .waitForFunction((speaker) => document.querySelector("audio").sinkId === speaker, speaker)
      .catch(() => assert.fail("the other speaker is not used"));
    await setting("slider", "Volume").fill("0.5");
    await page.waitForFunction(() => document.querySelector("audio").volume === 0.5);
  });
  await meter("Level of your microphone", true);

  // Push-to-talk: silent, until the space bar is held.
  await inSettings(() => setting("checkbox", "Push to talk").check());
  await button("Hold to talk").waitFor();
  await staysQuiet("Level of your microphone");
  const before = await questions();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.down("Space");
  await meter("Level of your microphone", true);
  await meter("Level of your microphone", false);
  assert.equal(await button("Hold to talk").getAttribute("aria-pressed"), "true");
  await page.keyboard.up("Space");
  await page.waitForFunction(
    ([question, before]) => [...document.querySelectorAll("li.user")].filter((turn) => turn.textContent.includes(question)).length > before,
    [given.question, before],
  ).catch(() => assert.fail("what was said while the key was held is not heard"));

  // The choices are remembered.
  await button("Disconnect").click();
  await status("Disconnected");
  assert.ok((await questions()) > before, "the transcript stays");
  await page.reload();
  await inSettings(async () => {
    assert.equal(await setting("combobox", "Connection").inputValue(), given.transport);
    for (const name of ["Microphone", "Speaker"]) {
      const select = await setting("combobox", name).elementHandle();
      await page.waitForFunction((select) => select.value !== "", select);
    }
    assert.equal(await setting("slider", "Volume").inputValue(), "0.5");
    assert.ok(await setting("checkbox", "Push to talk").isChecked());
  });
  assert.deepEqual(failures, []);
} catch (error) {
  await report(page, error, failures);
} finally {
  await browser.close();
}
