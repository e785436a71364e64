import type { Attributes, Span } from "@obspan/sdk/wire";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { agentRun } from "./agent-run.js";
import { showApp, type ShownApp } from "./shown-app.js";

const NOW_MS = Date.now() - 60_000;

async function post({ url }: ShownApp, spans: readonly Span[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

/** A run of an agent that asks a model and uses a tool. */
function run(
  id: string,
  startMs: number,
  changes: { root?: Attributes; model?: Attributes; tool?: Attributes },
): Span[] {
  const span = (name: string, type: string, offsetMs: number, ms: number, attributes: Attributes): Span => ({
    name,
    span_type: type,
    trace_id: id,
    span_id: `${id}-${name}`,
    parent_span_id: `${id}-answer`,
    start_time: startMs + offsetMs,
    duration_ms: ms,
    attributes,
  });
  const { root = {}, model = {}, tool = {} } = changes;
  return [
    { ...span("answer", "agent", 0, 2000, { agent: "support", ...root }), parent_span_id: null },
    span("search", "tool", 100, 300, {
      tool_name: "search",
      input_text: '{"q":"parcel"}',
      output_text: "2 parcels",
      ...tool,
    }),
    span("chat", "llm", 500, 1200, { model: "gpt-5-mini", tokens_input: 500, tokens_output: 50, ...model }),
  ];
}

const rows = (page: Page) => page.getByRole("grid", { name: "Traces" }).getByRole("link");
const bar = (page: Page) => page.getByRole("combobox", { name: "Filter traces" });
const pane = (page: Page) => page.getByRole("region", { name: "Selected span" });

/** Each starts at the list, as somebody does who opens the app with a question. */
describe("questions that the app answers", () => {
  it("which tool failed, and with which arguments?", async () => {
    const app = await showApp();
    const { page } = app;
    await post(app, [...agentRun("failed", NOW_MS), ...run("fine", NOW_MS, {})]);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: /^Errors/ }).click();
    await expect.poll(() => rows(page).allInnerTexts()).toEqual(["support.resolve_ticket"]);
    await rows(page).first().click();
    await page.keyboard.press("e");
    await pane(page).getByRole("heading", { name: "get_shipping_status" }).waitFor();
    expect(await pane(page).innerText()).toContain("6C19820047351");
    expect(await pane(page).innerText()).toContain("carrier-api gave no answer in 3,000 ms");
  });

  it("what was the prompt at step 8?", async () => {
    const app = await showApp();
    const { page } = app;
    await post(app, agentRun("run", NOW_MS));
    await rows(page).first().click();
    await page.getByRole("article", { name: "Step 8, decide_next_step" }).click();
    await pane(page).getByRole("heading", { name: "decide_next_step" }).waitFor();
    await pane(page).getByText("You are the support agent of a furniture shop.").first().waitFor();
  });

  it("in which runs did a tool return nothing?", async () => {
    const app = await showApp();
    const { page } = app;
    await post(app, [
      ...run("found", NOW_MS, {}),
      ...run("none", NOW_MS, { root: { agent: "empty-handed" }, tool: { output_text: "[]" } }),
    ]);
    await bar(page).fill("tool_output:empty ");
    await page.keyboard.press("Escape");
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    await page.waitForURL(/\/traces\/none/);
  });

  it("what did user 42 talk about?", async () => {
    const app = await showApp();
    const { page } = app;
    const said = (question: string, answer: string) => ({
      root: { session_id: "s1", user_id: "42", input_text: question, output_text: answer },
    });
    await post(app, [
      ...run("t1", NOW_MS - 60_000, said("Where is it?", "In Lyon.")),
      ...run("t2", NOW_MS, said("When does it come?", "Tomorrow.")),
      ...run("other", NOW_MS, { root: { session_id: "s2", user_id: "7" } }),
    ]);
    await page.getByRole("link", { name: "Sessions" }).click();
    const sessions = page.getByRole("grid", { name: "Sessions" }).getByRole("row");
    await sessions.filter({ hasText: "42" }).click();
    await page.getByRole("article", { name: "Turn 1" }).getByText("In Lyon.").waitFor();
    await page.getByRole("article", { name: "Turn 2" }).getByText("Tomorrow.").waitFor();
  });
});
