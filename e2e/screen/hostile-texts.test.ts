import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { sharedBrowser, openPage } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
const emptyCollector = sharedCollectorHere();

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

/** Posts model calls, each in a trace of its own, whose name is that of the call, and opens the list. */
async function openCalls(calls: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  const collector = await emptyCollector();
  for (const [at, [name, attributes]] of Object.entries(calls).entries()) {
    const call = {
      name,
      span_type: "llm",
      trace_id: `hard-${at}`,
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
  }
  const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
  return { page, complaints, longestStallMs: await watchStalls(page) };
}

/** Opens the trace of a call from the list. */
async function openCall(page: Page, name: string): Promise<void> {
  await page.getByRole("grid", { name: "Traces" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  await page.getByRole("tabpanel", { name: "Messages" }).getByText("Begin.").first().waitFor();
}

describe("messages that are hard to render", () => {
  it(`keep the page responsive: ${Object.keys(TEXTS).join(", ")}`, async () => {
    const { page, complaints, longestStallMs } = await openCalls(
      Object.fromEntries(
        Object.entries(TEXTS).map(([name, text]) => [
          name,
          {
            prompt_messages: [{ role: "user", parts: [{ type: "text", content: `Begin. ${text}` }] }],
            completion_text: text,
          },
        ]),
      ),
    );
    for (const name of Object.keys(TEXTS)) {
      await openCall(page, name);
      await showAll(page);
      for (const tab of ["Attributes", "Raw", "Messages"]) {
        await page.getByRole("tab", { name: tab }).click();
        await page.getByRole("tabpanel", { name: tab }).waitFor();
      }
      expect(await longestStallMs(), name).toBeLessThan(5000);
      await page.goBack();
    }
    expect(complaints).toEqual([]);
  });

  it("shows thousands of messages, and of parts of a message, in pages", async () => {
    const part = { type: "text", content: "Begin." };
    const { page, complaints, longestStallMs } = await openCalls({
      many: {
        prompt_messages: Array.from({ length: 20_000 }, () => ({ role: "user", parts: [part] })),
        completion_messages: [{ role: "assistant", parts: Array.from({ length: 20_000 }, () => part) }],
      },
    });
    await openCall(page, "many");
    await page.getByRole("button", { name: "Show 300 more of 20000 input messages" }).click();
    await page.getByRole("button", { name: "Show 300 more of 20000 parts" }).click();
    expect(await page.getByRole("article").getByText("Begin.").count()).toBe(1200);
    expect(await longestStallMs()).toBeLessThan(5000);
    expect(complaints).toEqual([]);
  });
});

/** Names of what every object inherits. */
const INHERITED = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"];

it("spans with the names of what every object inherits as types, statuses, message parts and evaluation types are drawn", async () => {
  const collector = await emptyCollector();
  for (const text of INHERITED) {
    const message = { role: text, parts: [{ type: text, content: `said by ${text}` }] };
    const attributes = { model: text, agent: text, prompt_messages: [message] };
    const score = { evaluation_type: text, evaluation_score: 0.1 };
    const call = `call ${text}`;
    const inTrace = { trace_id: "t", parent_span_id: "root" };
    const spans = [
      { name: "run", trace_id: "t", span_id: "root", span_type: "agent", duration_ms: 9 },
      { ...inTrace, name: `step ${text}`, span_id: text, span_type: text, status: text },
      { ...inTrace, name: call, span_id: call, span_type: "llm", attributes },
      { name: "score", trace_id: "t", parent_span_id: call, span_type: "evaluation", attributes: score },
    ];
    const response = await fetch(`${collector.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: text, spans }),
    });
    expect(response.status).toBe(202);
  }
  const { page, complaints } = await openPage(browser, `${collector.url}/traces/t?view=tree`);
  const rows = page.getByRole("treegrid", { name: "Spans" }).getByRole("row");
  for (const text of INHERITED) {
    await rows
      .filter({ hasText: `step ${text}` })
      .first()
      .waitFor();
    await rows
      .filter({ hasText: `call ${text}` })
      .first()
      .click();
    await page.getByRole("heading", { name: `call ${text}` }).waitFor();
    for (const tab of ["Attributes", "Raw", "Messages"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
    }
    await page.getByRole("tabpanel", { name: "Messages" }).getByText(`said by ${text}`).first().waitFor();
    expect(await page.getByText("cannot be shown").count(), text).toBe(0);
  }
  await page.goto(`${collector.url}/evaluations`);
  for (const text of INHERITED) await page.getByRole("rowheader", { name: text }).getByText(text).waitFor();
  expect(await page.getByText("cannot be shown").count()).toBe(0);
  expect(complaints).toEqual([]);
});

/** Posts spans of one service. */
async function post(url: string, spans: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", spans }),
  });
  expect(response.status).toBe(202);
}

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("the transcript", () => {
  it("shows arguments and results of tools that are plain texts, short and long", async () => {
    const collector = await emptyCollector();
    const inTrace = { trace_id: "plain", parent_span_id: "root", duration_ms: 5 };
    const long = `It is cloudy. ${"word ".repeat(3000)}The end.`;
    await post(collector.url, [
      { name: "run", trace_id: "plain", span_id: "root", span_type: "agent", duration_ms: 20 },
      {
        ...inTrace,
        name: "chat",
        span_id: "call",
        span_type: "llm",
        attributes: {
          model: "m",
          prompt_messages: [
            { role: "user", content: "Is it sunny?" },
            { role: "tool", tool_call_id: "0", content: "No, said before" },
          ],
          completion_messages: [{ role: "assistant", tool_calls: [call("1", "look", "out of the window")] }],
        },
      },
      {
        ...inTrace,
        name: "look",
        span_id: "tool",
        span_type: "tool",
        attributes: {
          tool_name: "look",
          tool_call_id: "1",
          input_text: "out of the window",
          output_text: long,
        },
      },
    ]);
    const { page, complaints } = await openPage(browser, `${collector.url}/traces/plain?view=transcript`);
    const feed = page.getByRole("feed", { name: "Transcript" });
    await feed.getByText("No, said before").first().waitFor();
    await feed.getByRole("button", { name: /look/, expanded: false }).first().click();
    await feed.getByText("out of the window", { exact: true }).waitFor();
    await feed
      .getByText(/^It is cloudy\./)
      .first()
      .waitFor();
    await feed
      .getByRole("button", { name: /^Show all/ })
      .first()
      .click();
    await feed
      .getByText(/The end\.$/)
      .first()
      .waitFor();
    expect(await feed.getByText("cannot be shown").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows ten thousand calls of one answer in pages", async () => {
    const collector = await emptyCollector();
    const calls = Array.from({ length: 10_000 }, (_, index) => call(`c${index}`, `tool-${index}`, "{}"));
    await post(collector.url, [
      {
        name: "chat",
        trace_id: "calls",
        span_id: "s1",
        span_type: "llm",
        duration_ms: 5,
        attributes: { completion_messages: [{ role: "assistant", tool_calls: calls }] },
      },
    ]);
    const { page, complaints } = await openPage(browser, `${collector.url}/traces/calls?view=transcript`);
    const feed = page.getByRole("feed", { name: "Transcript" });
    await feed.getByRole("button", { name: "Show 300 more of 10000 tools" }).click();
    await feed.getByRole("button", { name: /tool-599/ }).waitFor();
    expect(await feed.getByRole("button", { name: /tool-600/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

it("events with long names are shown", async () => {
  const collector = await emptyCollector();
  const events = [{ name: `a long name ${"x".repeat(5000)}` }, { name: "a short name" }];
  await post(collector.url, [
    { name: "step", trace_id: "events", span_id: "s1", span_type: "task", duration_ms: 5, events },
  ]);
  const { page, complaints } = await openPage(browser, `${collector.url}/traces/events?view=tree&span=s1`);
  const list = page.getByRole("region", { name: "Events" });
  await list.getByText(/^a long name x+…$/).waitFor();
  await list.getByText("a short name").waitFor();
  expect(await page.getByText("cannot be shown").count()).toBe(0);
  expect(complaints).toEqual([]);
});

/** The names of the buttons that are beside the page. */
const besidePage = (page: Page): Promise<string[]> =>
  page.getByRole("button").evaluateAll((buttons) =>
    (buttons as unknown as BesideElement[])
      .filter((button) => {
        const { left, right, width } = button.getBoundingClientRect();
        return (
          width > 0 && (left >= (globalThis as unknown as { innerWidth: number }).innerWidth || right <= 0)
        );
      })
      .map((button) => button.getAttribute("aria-label") ?? button.textContent),
  );

/** The types of a browser are not those of the tests. */
interface BesideElement {
  readonly textContent: string;
  getBoundingClientRect(): { readonly left: number; readonly right: number; readonly width: number };
  getAttribute(name: string): string | null;
}

it("long names leave every control on the page: of models, roles, users, agents and steps", async () => {
  const collector = await emptyCollector();
  const long = "a name without an end ".repeat(40).trim();
  const run = (traceId: string, answer: string) => [
    {
      name: long,
      trace_id: traceId,
      span_id: "root",
      span_type: "agent",
      duration_ms: 20,
      attributes: { agent: long, user_id: long, input_text: "Where is it?", output_text: answer },
    },
    {
      name: long,
      trace_id: traceId,
      span_id: "hand",
      parent_span_id: "root",
      span_type: "agent",
      duration_ms: 10,
      attributes: { agent: `another ${long}` },
    },
    {
      name: long,
      trace_id: traceId,
      span_id: "call",
      parent_span_id: "hand",
      span_type: "llm",
      duration_ms: 5,
      attributes: {
        model: `${long} ${answer}`,
        prompt_messages: [
          { role: "user", content: "Where is it?" },
          { role: long, content: "Elsewhere." },
        ],
        completion_messages: [{ role: long, content: answer }],
      },
    },
  ];
  await post(collector.url, [...run("one", "In Lyon."), ...run("two", "In Nice.")]);
  const { page, complaints } = await openPage(browser, `${collector.url}/traces/one?view=transcript`);
  await page.getByRole("feed", { name: "Transcript" }).getByText("Elsewhere.").waitFor();
  expect(await besidePage(page)).toEqual([]);
  await page.goto(`${collector.url}/traces/one?view=tree&span=call`);
  await page.getByRole("tabpanel", { name: "Messages" }).getByText("In Lyon.").waitFor();
  expect(await besidePage(page)).toEqual([]);
  await page.goto(`${collector.url}/compare?a=one&b=two&step=call`);
  await page.getByRole("button", { name: "Next difference" }).waitFor();
  expect(await besidePage(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
