import { readFile } from "node:fs/promises";
import type { Attributes, Span } from "@obspan/sdk/wire";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCollectorHere, type CollectorHere } from "../harness/collector-here.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { agentRun } from "./agent-run.js";
import { openPage, sharedBrowser } from "./browser.js";
import { comparedRun } from "./compared-runs.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW_MS = Date.now() - MINUTE_MS;

interface RunOptions {
  readonly id: string;
  readonly startMs: number;
  readonly agent: string;
  readonly ms?: number;
  readonly root?: Attributes;
  readonly model?: Attributes;
  readonly tool?: Attributes;
}

/** A run of an agent that asks a model and uses a tool. */
function run({ id, startMs, agent, ms = 2000, root = {}, model = {}, tool = {} }: RunOptions): Span[] {
  const span = (name: string, type: string, offsetMs: number, attributes: Attributes): Span => ({
    name,
    span_type: type,
    trace_id: id,
    span_id: `${id}-${name}`,
    parent_span_id: `${id}-${agent}.answer`,
    start_time: startMs + offsetMs,
    duration_ms: ms / 4,
    attributes,
  });
  return [
    { ...span(`${agent}.answer`, "agent", 0, { agent, ...root }), parent_span_id: null, duration_ms: ms },
    span("search", "tool", ms / 10, {
      tool_name: "search",
      input_text: '{"q":"parcel"}',
      output_text: "2 parcels",
      ...tool,
    }),
    span("chat", "llm", ms / 2, { model: "swift-1", tokens_input: 500, tokens_output: 50, ...model }),
  ];
}

const said = (question: string, answer: string) => ({
  session_id: "s1",
  user_id: "42",
  input_text: question,
  output_text: answer,
});
/** What a day of a few agents leaves behind. */
const SPANS: readonly Span[] = [
  ...agentRun("long", NOW_MS - 2 * HOUR_MS),
  ...comparedRun({ traceId: "before", startMs: NOW_MS - 20 * MINUTE_MS, version: "a" }),
  ...comparedRun({ traceId: "after", startMs: NOW_MS, version: "b" }),
  ...run({
    id: "t1",
    startMs: NOW_MS - 2 * MINUTE_MS,
    agent: "chat",
    root: said("Where is it?", "In Lyon."),
  }),
  ...run({
    id: "t2",
    startMs: NOW_MS - MINUTE_MS,
    agent: "chat",
    root: said("When does it come?", "Tomorrow."),
  }),
  ...run({ id: "other", startMs: NOW_MS, agent: "chat", root: { session_id: "s2", user_id: "7" } }),
  ...run({ id: "none", startMs: NOW_MS - HOUR_MS, agent: "faq", tool: { output_text: "[]" } }),
  ...[26, 3, 2, 1].flatMap((hours) =>
    run({ id: `p${hours}`, startMs: NOW_MS - hours * HOUR_MS, agent: "pricing", model: { cost_usd: 1.25 } }),
  ),
  ...[1, 2, 3].flatMap((hours) =>
    run({
      id: `m${hours}`,
      startMs: NOW_MS - hours * HOUR_MS,
      agent: "mail",
      ms: 40_000,
      model: { model: "slow-1" },
    }),
  ),
];

let collector: CollectorHere;
beforeAll(async () => {
  collector = await startCollectorHere();
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans: SPANS }),
  });
  expect(response.status).toBe(202);
  await ledgerAtRest(collector.url);
});
afterAll(async () => void (await collector.stop()));

/** The app as it opens. */
async function start(): Promise<Page> {
  const { page } = await openPage(await sharedBrowser(), collector.url);
  return page;
}

const row = (page: Page, text: string | RegExp): Locator =>
  page
    .getByRole("grid", { name: /^Traces/ })
    .getByRole("row")
    .filter({ hasText: text });
const pane = (page: Page): Locator => page.getByRole("region", { name: "Selected span" });
/** Of the run that failed: of two equal names the output tells which it is. */
const AFTER = "It is at the depot in Lyon.";
const LONG = "It was due on Tuesday";

async function groupBy(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Group", exact: true }).click();
  await page.getByRole("option", { name, exact: true }).click();
}

async function textOf(element: Locator): Promise<string> {
  return (await element.innerText()).replace(/\s+/g, " ");
}

/** Each starts at the list, as somebody does who opens the app with a question. */
describe("questions that the app answers", () => {
  it("why does it cost three times as much as yesterday?", async () => {
    const page = await start();
    await page.getByRole("button", { name: "Any time" }).click();
    await page.getByRole("menuitem", { name: "Last 24 hours" }).click();
    await groupBy(page, "Agent");
    await page.getByRole("columnheader").getByRole("button", { name: "Cost", exact: true }).click();
    // The agent that costs most, against the day before.
    await expect.poll(() => textOf(row(page, "pricing"))).toContain("$3.75 ×3.0");
    await expect.poll(() => textOf(row(page, "support-agent"))).toContain("new");
    await page.getByRole("gridcell", { name: "×3.0" }).locator("span").hover();
    await page.getByText("$1.25 in the same length of time before, 1 run").waitFor();
    await row(page, "pricing").click();
    await expect.poll(() => row(page, "pricing.answer").count()).toBe(3);
  });

  it("which tool failed, and with which arguments?", async () => {
    const page = await start();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: /^Errors/ }).click();
    await row(page, AFTER).click();
    await page.getByRole("button", { name: "1 error span" }).click();
    await pane(page).getByRole("heading", { name: "get_shipping_status" }).waitFor();
    expect(await pane(page).innerText()).toContain("timeout after 3,000 ms");
    expect(await textOf(pane(page))).toMatch(/"?order_id"?: "48190"/);
  });

  it("what was the prompt at step 8?", async () => {
    const page = await start();
    await row(page, LONG).click();
    await page.getByRole("article", { name: "Step 8, decide_next_step" }).click();
    await pane(page).getByRole("heading", { name: "decide_next_step" }).waitFor();
    // What the call before sent too is folded.
    await pane(page)
      .getByRole("button", { name: /as in the call before$/ })
      .click();
    await pane(page).getByText("You are the support agent of a furniture shop.").first().waitFor();
  });

  it("what is different from the previous run?", async () => {
    const page = await start();
    await row(page, AFTER).click();
    await page.getByRole("link", { name: "Compare with the previous run" }).click();
    const first = page
      .getByRole("grid", { name: "Steps of both runs" })
      .getByRole("row", { selected: true })
      .filter({ hasText: "search_help_center" });
    await first.waitFor();
    await page.getByRole("tabpanel").locator("ins", { hasText: "returns" }).waitFor();
    await page.getByText("get_shipping_status took 2.32 s more and failed").waitFor();
  });

  it("where does the time go?", async () => {
    const page = await start();
    await row(page, AFTER).click();
    await page.getByRole("button", { name: "Flame" }).click();
    const where = page.getByRole("table", { name: "Where it went" }).getByRole("row");
    await expect.poll(() => textOf(where.nth(1))).toMatch(/^get_shipping_status 2 3\.73 s/);
  });

  it("in which runs did a tool return nothing?", async () => {
    const page = await start();
    await page.getByRole("combobox", { name: "Filter traces" }).fill("tool_output:empty ");
    await page.keyboard.press("Escape");
    await row(page, "faq.answer").waitFor();
    await expect.poll(() => row(page, "pricing.answer").count()).toBe(0);
    await row(page, "faq.answer").click();
    await page.waitForURL(/\/traces\/none/);
  });

  it("what did user 42 talk about?", async () => {
    const page = await start();
    await page.getByRole("link", { name: "Sessions" }).click();
    const sessions = page.getByRole("grid", { name: "Sessions" }).getByRole("row");
    await sessions.filter({ hasText: "Where is it?" }).filter({ hasText: "42" }).click();
    await page.getByRole("article", { name: "Turn 1" }).getByText("In Lyon.").waitFor();
    await page.getByRole("article", { name: "Turn 2" }).getByText("Tomorrow.").waitFor();
  });

  it("which model is slower?", async () => {
    const page = await start();
    await groupBy(page, "Model");
    await page.getByRole("columnheader").getByRole("button", { name: "p95", exact: true }).click();
    const models = page.getByRole("grid", { name: "Traces by Model" }).getByRole("row");
    await expect.poll(() => textOf(models.nth(1))).toMatch(/^slow-1 .* 40\.00 s/);
    await expect.poll(() => textOf(models.last())).toMatch(/^swift-1 .* 2\.00 s/);
  });

  it("is the new version of the prompt better?", async () => {
    const page = await start();
    await groupBy(page, "Prompt");
    // Runs, errors, times, cost and scores of both.
    await row(page, "support.reply@13").waitFor();
    await row(page, "support.reply@14").click();
    await row(page, AFTER).click();
    await page.getByRole("link", { name: "Compare with the previous run" }).click();
    const versions = page.getByRole("region", { name: "All runs of both versions" });
    await versions.getByText("13 → 14").waitFor();
    expect(await versions.textContent()).toMatch(/hallucination.*\.08 → \.62/);
    await page.getByRole("button", { name: "Prompts" }).click();
    await page.getByRole("option", { name: /compose_reply/ }).click();
    const prompt = page.getByRole("region", { name: "System prompt" });
    await prompt.locator("ins", { hasText: "Be concrete" }).waitFor();
  });

  it("how does a colleague get to see this run?", async () => {
    const page = await start();
    await row(page, LONG).click();
    await page.getByRole("button", { name: "Share" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: /^Web page/ }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("obspan-trace-long.html");
    expect(await readFile(await file.path(), "utf8")).toContain("carrier-api gave no answer in 3,000 ms");
  });
});
