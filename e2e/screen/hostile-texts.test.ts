import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { sharedCollector } from "../harness/shared-collector.js";
import { sharedBrowser, openPage } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
const emptyCollector = sharedCollector();

const TEXTS: Readonly<Record<string, string>> = {
  "what a compiler underlines": `error: no such name\n    ${"~".repeat(50)} ${"here is what it said about it ".repeat(8)}`,
  "a masked number": `${"*".repeat(50)}4242 ${"and what came after it ".repeat(10)}`,
  "runs of every mark": Array.from("*~`[]!<_", (mark) => mark.repeat(500)).join(" and "),
  "brackets inside brackets": "![".repeat(700) + "](b)".repeat(700),
  "a table that asks for a million cells": `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|\n".repeat(990)}`,
  "a line of a million characters": "x".repeat(1_000_000),
  "JSON that nests deeply": "[".repeat(100_000) + "]".repeat(100_000),
};

/** The longest time in ms in which the page was unresponsive, since the first call. */
async function watchStalls(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const state = globalThis as unknown as { longestStallMs: number };
    state.longestStallMs = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      state.longestStallMs = Math.max(state.longestStallMs, now - last);
      last = now;
    }, 20);
  });
  return () => page.evaluate(() => (globalThis as unknown as { longestStallMs: number }).longestStallMs);
}

/** Opens every long text of input and output. The button returns while a text is fetched. */
async function showAll(page: Page): Promise<void> {
  const more = page.getByRole("button", { name: /^Show all/ });
  for (let press = 0; press < 4 && (await more.count()) > 0; press++) {
    await more.first().click();
    await page.getByRole("button", { name: "Loading…" }).first().waitFor({ state: "detached" });
  }
}

/** Posts one model call, and opens its trace from the list. */
async function openCall(attributes: Readonly<Record<string, unknown>>) {
  const collector = await emptyCollector();
  const call = {
    name: "chat",
    span_type: "llm",
    trace_id: "hard",
    span_id: "s1",
    duration_ms: 5,
    attributes,
  };
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", spans: [call] }),
  });
  expect(response.status).toBe(202);
  const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
  const longestStallMs = await watchStalls(page);
  await page.getByRole("grid", { name: "Traces" }).getByRole("link", { name: "chat" }).click();
  await page.getByRole("tabpanel", { name: "Messages" }).getByText("Begin.").first().waitFor();
  return { page, complaints, longestStallMs };
}

describe("a message that is hard to render", () => {
  it.each(Object.entries(TEXTS))("%s keeps the page responsive", async (name, text) => {
    const { page, complaints, longestStallMs } = await openCall({
      prompt_messages: [{ role: "user", parts: [{ type: "text", content: `Begin. ${text}` }] }],
      completion_text: text,
    });
    await showAll(page);
    for (const tab of ["Attributes", "Raw", "Messages"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
    }
    expect(await longestStallMs(), name).toBeLessThan(5000);
    expect(complaints).toEqual([]);
  });

  it("shows thousands of messages, and of parts of a message, in pages", async () => {
    const part = { type: "text", content: "Begin." };
    const { page, complaints, longestStallMs } = await openCall({
      prompt_messages: Array.from({ length: 40_000 }, () => ({ role: "user", parts: [part] })),
      completion_messages: [{ role: "assistant", parts: Array.from({ length: 40_000 }, () => part) }],
    });
    await page.getByRole("button", { name: "Show 300 more of 40000 input messages" }).click();
    await page.getByRole("button", { name: "Show 300 more of 40000 parts" }).click();
    expect(await page.getByRole("article").getByText("Begin.").count()).toBe(1200);
    expect(await longestStallMs()).toBeLessThan(5000);
    expect(complaints).toEqual([]);
  });
});

describe("a span with the name of what every object inherits", () => {
  it.each(["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"])(
    "%s as its type, status, message part and evaluation type is drawn",
    async (text) => {
      const collector = await emptyCollector();
      const message = { role: text, parts: [{ type: text, content: "said" }] };
      const attributes = { model: text, agent: text, prompt_messages: [message] };
      const score = { evaluation_type: text, evaluation_score: 0.1 };
      const spans = [
        { name: "run", trace_id: "t", span_id: "root", span_type: "agent", duration_ms: 9 },
        { name: "step", trace_id: "t", span_id: text, parent_span_id: "root", span_type: text, status: text },
        {
          name: "chat",
          trace_id: "t",
          span_id: "call",
          parent_span_id: "root",
          span_type: "llm",
          attributes,
        },
        { name: "score", trace_id: "t", parent_span_id: "call", span_type: "evaluation", attributes: score },
      ];
      await fetch(`${collector.url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: text, spans }),
      });
      const { page, complaints } = await openPage(browser, `${collector.url}/traces/t`);
      const rows = page.getByRole("treegrid", { name: "Spans" }).getByRole("row");
      for (const name of ["step", "chat"]) await rows.filter({ hasText: name }).first().waitFor();
      await rows.filter({ hasText: "chat" }).first().click();
      for (const tab of ["Attributes", "Raw", "Messages"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.getByRole("tabpanel", { name: tab }).waitFor();
      }
      await page.goto(`${collector.url}/evaluations`);
      await page.getByRole("main").getByText(text).first().waitFor();
      expect(await page.getByText("cannot be shown").count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
});
