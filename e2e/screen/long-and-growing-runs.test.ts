import type { Span } from "@obspan/sdk/wire";
import type { Page } from "playwright";
import { expect, it } from "vitest";
import { showApp, type ShownApp } from "./shown-app.js";

async function post({ url }: Pick<ShownApp, "url">, spans: readonly Span[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

const START_MS = Date.now() - 600_000;
const frame = (page: Page, name: string | RegExp) => page.getByRole("treeitem", { name });
const node = (page: Page, name: string | RegExp) =>
  page.getByRole("group", { name: /agents?, .* models?, / }).getByRole("button", { name });

/** Agents that each ask a model and call a tool. */
function longRun(agents: number): Span[] {
  const root: Span = {
    trace_id: "long",
    span_id: "root",
    name: "orchestrate",
    span_type: "agent",
    start_time: START_MS,
    duration_ms: agents * 100,
  };
  const runs = Array.from({ length: agents }, (_, index): Span[] => {
    const of = { trace_id: "long", parent_span_id: `a${index}` };
    const startMs = START_MS + index * 100;
    return [
      {
        trace_id: "long",
        span_id: `a${index}`,
        parent_span_id: "root",
        name: `worker-${index % 5}`,
        span_type: "agent",
        start_time: startMs,
        duration_ms: 90,
      },
      {
        ...of,
        span_id: `m${index}`,
        name: "decide",
        span_type: "llm",
        start_time: startMs + 1,
        duration_ms: 40,
        attributes: {
          model: "gpt-5-mini",
          prompt_text: `Question ${index}`,
          completion_text: `Answer ${index}`,
        },
      },
      {
        ...of,
        span_id: `t${index}`,
        name: "look_up",
        span_type: "tool",
        start_time: startMs + 50,
        duration_ms: 30,
        attributes: { input_text: `{"n":${index}}` },
      },
    ];
  });
  return [root, ...runs.flat()];
}

it("reads a long run in slices, shows its first spans, and says how many there are", async () => {
  const app = await showApp("/traces", {
    settings: { TRACE_STORE_MAX_SPANS_PER_TRACE: "5000" },
    before: (collector) => post(collector, longRun(500)),
  });
  const { page } = app;
  // As for more than 10,000 spans.
  await page.route("**/v1/traces/long?*", async (route) => {
    await route.continue({ url: route.request().url().replace("max_spans=10000", "max_spans=1201") });
  });
  await page.goto(`${app.url}/traces/long`);
  const feed = page.getByRole("feed", { name: "Transcript" });
  await feed.getByText("Question 0", { exact: true }).waitFor();
  await page.getByText("first 1,201 of 1,501 spans").waitFor();
  await app.expectAccessible();
  await page.keyboard.press("/");
  await page.keyboard.type("Answer 399");
  await page.keyboard.press("Enter");
  await feed.getByText("Answer 399", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("3");
  await frame(page, /^worker-4 ×80, 7\.20 s/).click();
  await page.getByRole("region", { name: "Selected frame" }).getByText("80 spans").waitFor();
  await page.keyboard.press("4");
  await node(page, /^tool look_up, 400 calls/).waitFor();
  await page.keyboard.press("2");
  await page.getByRole("treegrid").getByText("worker-4").first().waitFor();

  // A link to a span that is not among the shown ones opens it.
  await page.goto(`${app.url}/traces/long?view=tree&tab=messages&span=m450`);
  const pane = page.getByRole("region", { name: "Selected span" });
  await pane.getByText("Answer 450", { exact: true }).waitFor();
  await page.getByText("The linked span is not among the first 1,201 spans").waitFor();
  expect(await page.getByRole("row", { selected: true }).count()).toBe(0);
  await app.expectAccessible();
  await page.keyboard.press("ArrowDown");
  await page.getByText("The linked span").waitFor({ state: "detached" });
  await page.goto(`${app.url}/traces/long?view=tree&tab=messages&span=none`);
  await page.getByText("The linked span is not in this trace").waitFor();
  await pane.getByRole("heading", { name: "orchestrate" }).waitFor();
});

it("keeps the selection in the flame and the graph of a run that grows", async () => {
  const step = (
    id: string,
    type: string,
    parent: string,
    atMs: number,
    fields: Partial<Span> = {},
  ): Span => ({
    trace_id: "grows",
    span_id: id,
    parent_span_id: parent,
    name: id,
    span_type: type,
    start_time: Date.now() - 5000 + atMs,
    duration_ms: 100,
    ...fields,
  });
  /** A span without an end. */
  const running = ({ duration_ms: _duration, ...span }: Span): Span => ({ ...span, status: "RUNNING" });
  const begun = [
    running(step("shop-agent", "agent", "", 0, { parent_span_id: null })),
    step("plan", "llm", "shop-agent", 10, { attributes: { model: "gpt-5-mini" } }),
    step("get_order", "tool", "shop-agent", 200),
  ];
  const app = await showApp("/traces/grows?view=flame", { before: (collector) => post(collector, begun) });
  const { page } = app;
  await frame(page, /^get_order/).click();
  const framePane = page.getByRole("region", { name: "Selected frame" });
  await framePane.getByText("1 span", { exact: true }).waitFor();
  await post(app, [
    step("get_order_again", "tool", "shop-agent", 400, { name: "get_order" }),
    step("refund", "tool", "shop-agent", 600),
  ]);
  await framePane.getByText("2 spans", { exact: true }).waitFor();
  await frame(page, /^refund/).waitFor();
  await page.getByRole("treeitem", { name: /^get_order ×2/, selected: true }).waitFor();

  await page.keyboard.press("4");
  await node(page, /^tool refund/).click();
  const nodePane = page.getByRole("region", { name: "Selected node" });
  await nodePane.getByText("1 span behind this node").waitFor();
  const topOf = async (name: RegExp) =>
    /top: [^;]+/.exec((await node(page, name).getAttribute("style")) ?? "")?.[0];
  const kept = [/^agent shop-agent/, /gpt-5-mini, 1 call/, /^tool get_order/, /^tool refund/];
  const tops = await Promise.all(kept.map(topOf));
  expect(new Set(tops).size).toBe(4);
  await post(app, [
    running(step("policy-agent", "agent", "shop-agent", 800)),
    step("check", "llm", "policy-agent", 810, { attributes: { model: "haiku" } }),
    step("refund_again", "tool", "policy-agent", 900, { name: "refund" }),
  ]);
  await nodePane.getByText("2 spans behind this node").waitFor();
  await node(page, /^agent policy-agent, 1 call,.* running$/).waitFor();
  await node(page, /^tool refund, 2 calls/)
    .and(page.locator("[aria-current=true]"))
    .waitFor();
  // What was there keeps its place.
  expect(await Promise.all(kept.map(topOf))).toEqual(tops);
  await app.expectAccessible();

  // All figures that grow with the run show the same time.
  await page.keyboard.press("1");
  await page
    .getByRole("treegrid", { name: "Spans" })
    .getByRole("row")
    .filter({ hasText: "shop-agent" })
    .click();
  await page
    .getByRole("region", { name: "Selected span" })
    .getByRole("heading", { name: "shop-agent" })
    .waitFor();
  const shown = await page.locator("body").innerText();
  const [, inHeader] = /Duration\s+([\d.]+)\s+s so far/.exec(shown) ?? [];
  const [, inPane] = /Time\s*([\d.]+)\s*s/.exec(shown) ?? [];
  expect(inHeader).toMatch(/\d/);
  expect(inPane).toBe(inHeader);

  // The bar of a running trace has a button more than others, and room for it.
  const bar = page.getByRole("group", { name: "View" }).locator("..");
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const view of ["2", "3", "4", "5"]) {
    await page.keyboard.press(view);
    await bar.getByRole("button", { name: "Follow" }).waitFor();
    const [content, room] = await bar.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as Record<
        "scrollWidth" | "clientWidth",
        number
      >;
      return [scrollWidth, clientWidth];
    });
    expect(content).toBe(room);
  }
});
