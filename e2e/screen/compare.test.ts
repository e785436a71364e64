import { expect, it } from "vitest";
import { comparedRun } from "./compared-runs.js";
import { showApp, type ShownApp } from "./shown-app.js";

const NOW_MS = Date.now();
const EARLIER = { traceId: "run-a", startMs: NOW_MS - 1_500_000, version: "a" } as const;
const LATER = { traceId: "run-b", startMs: NOW_MS - 60_000, version: "b" } as const;

async function post(
  { url }: Pick<ShownApp, "url">,
  version: string,
  spans: readonly unknown[],
): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "support", env: "production", version, spans }),
  });
  expect(response.status).toBe(202);
}

async function postBoth(app: ShownApp): Promise<void> {
  await post(app, "v2.13.2", comparedRun(EARLIER));
  await post(app, "v2.14.0", comparedRun(LATER));
}

it("compares a run with the previous one by a key, from the first difference to the changed prompt", async () => {
  const app = await showApp("/traces");
  const { page } = app;
  await postBoth(app);
  await page.getByRole("gridcell", { name: /It is at the depot/ }).click();
  await page.waitForURL(/\/traces\/run-b/);
  await page.getByRole("heading", { level: 1, name: "support.resolve_ticket" }).waitFor();
  await page.keyboard.press("c");
  const steps = page.getByRole("grid", { name: "Steps of both runs" });
  const selected = steps.getByRole("row", { selected: true });
  // The first divergence is selected.
  await selected.filter({ hasText: "search_help_center" }).waitFor();
  const panel = page.getByRole("tabpanel");
  await panel.locator("ins", { hasText: "returns" }).waitFor();
  const figures = page.getByLabel("Differences");
  expect(await figures.textContent()).toContain("+3.58 s +32 %");
  expect(await page.getByText("Most of the difference:").locator("..").textContent()).toContain(
    "get_shipping_status took 2.32 s more and failed: timeout after 3,000 ms",
  );
  await app.expectAccessible();

  // From difference to difference.
  for (const name of ["plan_resolution", "get_shipping_status", "get_shipping_status", "decide_next_step"]) {
    await page.keyboard.press("n");
    await selected.filter({ hasText: name }).waitFor();
  }
  await page.keyboard.press("k");
  await selected.filter({ hasText: "only in B" }).waitFor();
  await page.keyboard.press("End");
  await selected.filter({ hasText: "compose_reply" }).waitFor();
  await page.waitForURL(/step=run-b-\d+/);
  await panel.locator("del", { hasText: "this morning" }).waitFor();
  expect(await panel.textContent()).toContain("hallucination");

  await page.keyboard.press("2");
  const texts = page.getByRole("region", { name: "Texts of the step" });
  const prompt = texts.getByRole("region", { name: "System prompt" });
  await prompt.locator("del", { hasText: "Quote the carrier’s own words" }).waitFor();
  await prompt.locator("ins", { hasText: "Be concrete" }).waitFor();
  expect(await texts.getByRole("region", { name: "Parameters" }).textContent()).toContain("temperature0.7");
  expect(await texts.getByRole("region", { name: "Tool definitions" }).textContent()).toContain("add_note");
  expect(await page.getByRole("option", { selected: true }).textContent()).toContain("prompt, output");
  await app.expectAccessible();

  await page.keyboard.press("u");
  await prompt
    .locator("div", { has: page.locator("del") })
    .locator("ins")
    .first()
    .waitFor();
  await page.keyboard.press("u");
  await page.keyboard.press("s");
  await prompt.locator("ins", { hasText: "Quote the carrier’s own words" }).waitFor();
  await page.waitForURL(/a=run-b&b=run-a/);

  // The other theme, and a narrow window.
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 900, height: 800 });
  await app.expectAccessible();
  await page.keyboard.press("1");
  await steps.waitFor();
  await app.expectReadable();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/traces\/run-b/);
});

it("compares two selected rows, chooses another run, and says when there is none", async () => {
  const app = await showApp("/traces");
  const { page } = app;
  await postBoth(app);
  const rows = page.getByRole("grid", { name: "Traces" }).getByRole("row");
  await rows.filter({ hasText: "It comes today." }).waitFor();
  await rows.filter({ hasText: "It is at the depot" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  const bar = page.getByRole("region", { name: "Selected traces" });
  const compare = bar.getByRole("button", { name: "Compare" });
  expect(await compare.isDisabled()).toBe(true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("x");
  // The bar has one line in a narrow window too.
  await page.setViewportSize({ width: 900, height: 800 });
  expect((await bar.getByText("2 selected").boundingBox())?.height).toBeLessThan(24);
  await page.setViewportSize({ width: 1440, height: 900 });
  await compare.click();
  // The earlier run is A, in whatever order they were selected.
  await page.waitForURL(/\/compare\?a=run-a&b=run-b/);
  await page.getByRole("grid", { name: "Steps of both runs" }).waitFor();

  await page.getByRole("button", { name: "Choose run A" }).click();
  await page.getByRole("menuitem").nth(0).click();
  await page.waitForURL(/\/compare\?a=run-b&b=run-b/);
  await page.getByText("No step differs").waitFor();

  await page.goto(`${app.url}/compare?b=run-a`);
  await page.getByRole("heading", { name: "No earlier run of this name" }).waitFor();
  await page.goto(`${app.url}/compare?a=gone&b=run-b`);
  await page.getByRole("heading", { name: "One of the runs is gone" }).waitFor();
  expect(await page.getByRole("main").textContent()).toContain('"gone"');
});

it("follows a run that goes on", async () => {
  // The app does not know the cost of its last call.
  const spans = comparedRun(LATER).map((span) => {
    if (span.name !== "compose_reply") return span;
    const { cost_usd: _cost, ...attributes } = span.attributes ?? {};
    return { ...span, attributes: { ...attributes, model: "claude-sonnet-4-5" } };
  });
  const app = await showApp("/compare?a=run-a&b=run-b", {
    before: async (collector) => {
      await post(collector, "1", comparedRun(EARLIER));
      await post(collector, "2", spans.slice(0, 5));
    },
  });
  const { page } = app;
  const steps = page.getByRole("grid", { name: "Steps of both runs" });
  await steps.getByRole("row", { name: /compose_reply.*only in A/ }).waitFor();
  await post(app, "2", spans.slice(5));
  const reply = steps.getByRole("row", { name: /compose_reply.*text changed/ });
  await reply.waitFor();
  expect(await reply.textContent()).toMatch(/≈ \+\$[\d.]+, computed from the price list/);
  expect(await steps.getByText("≈").count()).toBe(1);
  // A total with such a cost is not what the app sent either.
  const ofRuns = page.locator("div", { has: page.getByText("Cost", { exact: true }) });
  expect(await ofRuns.last().textContent()).toMatch(/≈ [+−]\$[\d.]+, computed from the price list/);
  await page.goto(`${app.url}/traces/run-b`);
  await page
    .getByText(/^≈ \$[\d.]+, computed from the price list$/)
    .first()
    .waitFor();
  await page.goto(`${app.url}/traces/run-a`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expect(await page.getByText("≈").count()).toBe(0);
});

it("compares two versions of a prompt over all their runs, from the palette of a trace", async () => {
  const app = await showApp("/traces/run-b", {
    before: async (collector) => {
      await post(collector, "v2.13.2", [
        ...comparedRun({ ...EARLIER, traceId: "run-a1", startMs: EARLIER.startMs - 60_000 }),
        ...comparedRun(EARLIER),
      ]);
      await post(collector, "v2.14.0", comparedRun(LATER));
    },
  });
  const { page } = app;
  await page.getByRole("heading", { level: 1, name: "support.resolve_ticket" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("option", { name: "Compare with the previous version of its prompt" }).click();
  const versions = page.getByRole("region", { name: "All runs of both versions" });
  await versions.getByText("hallucination").waitFor();
  expect(await versions.textContent()).toMatch(/Runs2 → 1.*hallucination.*\.08 → \.62/);
  await page.getByRole("option", { name: /compose_reply/ }).click();
  const prompt = page.getByRole("region", { name: "System prompt" });
  await prompt.locator("ins", { hasText: "Be concrete" }).waitFor();
  await app.expectAccessible();

  await page.getByRole("button", { name: "Choose run A" }).click();
  await page.getByRole("menuitem", { name: /^14 its latest run/ }).click();
  await page.getByText("No step differs").waitFor();
  expect(await versions.count()).toBe(0);
});
