// Opens a web client whose drawer for developers was deleted.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { launch, newPage } from "./browser.mjs";

const { values: given } = parseArgs({ options: { chromium: { type: "string" }, page: { type: "string" } } });

const browser = await launch(given.chromium);
try {
  const page = await newPage(browser);
  const failures = [];
  page.on("pageerror", (error) => failures.push(error.message));
  page.on("console", (message) => message.type() === "error" && failures.push(message.text()));
  await page.goto(given.page, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("combobox", { name: "Microphone" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Connect", exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Developer/ }).count(), 0);
  assert.deepEqual(failures, []);
} finally {
  await browser.close();
}
