import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { check } from "../check/check.mjs";

await build({
  entryPoints: ["page.js"],
  bundle: true,
  outfile: "dist/page.js",
  format: "esm",
  conditions: ["browser"],
});
assert.doesNotMatch(await readFile("dist/page.js", "utf8"), /from\s*["']node:|\bBuffer\b|\bprocess\.env\b/);

await check(async ({ start, expectTraces }) => {
  const { url } = await start("node", ["server.js"]);
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage();
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("[obspan]")) problems.push(message.text());
    });
    await page.goto(url);
    await page.fill("input", "Where is my order?");
    await page.click("button");
    await page.waitForFunction(() => document.querySelector("output").textContent !== "");
    // Long before the next interval: the spans are sent when the user leaves the page.
    await page.goto("about:blank");
    assert.deepEqual(problems, []);
    await expectTraces("shop-web", [["agent support", "  tool ask", "    agent answer", "  tool show"]]);
  } finally {
    await browser.close();
  }
});
