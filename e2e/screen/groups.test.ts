import { expect, it } from "vitest";
import { showApp } from "./shown-app.js";

/** A run of an agent that calls a model and a tool. */
function run(n: number, name: string, tier: string, durationMs: number): unknown[] {
  const ids = { trace_id: `run-${n}`, parent_span_id: "root" };
  return [
    {
      ...ids,
      name,
      span_id: "root",
      parent_span_id: null,
      span_type: "agent",
      duration_ms: durationMs,
      attributes: { agent: name, "customer.tier": tier },
    },
    {
      ...ids,
      name: "chat",
      span_id: "m",
      span_type: "llm",
      duration_ms: 40,
      attributes: { model: "small", tokens_input: 1200, tokens_output: 30, cost_usd: 0.25 },
    },
    {
      ...ids,
      name: "search",
      span_id: "t",
      span_type: "tool",
      duration_ms: 5,
      attributes: { tool_name: "x" },
    },
  ];
}

it("groups the list by a key or an attribute, filters by a row, and keeps the grouping in a view", async () => {
  const app = await showApp();
  const { page } = app;
  const spans = [
    ...[0, 1, 2].flatMap((n) => run(n, "planner", "gold", 100 + n)),
    ...run(3, "writer", "silver", 900),
  ];
  await fetch(`${app.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  const list = page.getByRole("grid", { name: "Traces", exact: true });
  await list.getByRole("row").nth(4).waitFor();

  await page.keyboard.press("b");
  await page.getByRole("combobox", { name: "Key or attribute" }).fill("agent");
  await page.keyboard.press("Enter");
  const agents = page.getByRole("grid", { name: "Traces by Agent" });
  const rows = agents.getByRole("row");
  await rows.nth(2).waitFor();
  await expect.poll(() => rows.nth(1).innerText()).toContain("planner");
  expect((await rows.nth(1).innerText()).replace(/\s+/g, " ")).toContain("planner 3 · 101 ms 102 ms");
  await app.expectAccessible();

  // All groups are ranked, not the rows.
  await agents.getByRole("button", { name: "p95" }).click();
  await expect.poll(() => rows.nth(1).innerText()).toContain("writer");
  await expect.poll(() => page.url()).toContain("group_by=agent&order=p95");

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("textbox", { name: "Name of the view" }).fill("Slow agents");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Slow agents", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  // The menu gives the focus back a moment after it has closed.
  await page.locator("button:focus").waitFor();

  await agents.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.waitForURL(/agent=planner$/);
  await expect.poll(() => list.getByRole("row").count()).toBe(4);

  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: /^Slow agents/ }).click();
  await page.waitForURL(/group_by=agent&order=p95$/);
  await rows.nth(2).waitFor();

  await page.keyboard.press("b");
  await page.getByRole("combobox", { name: "Key or attribute" }).fill("@customer.tier");
  await page.keyboard.press("Enter");
  await page.getByRole("grid", { name: "Traces by @customer.tier" }).getByText("silver").click();
  await page.waitForURL(/query=/);
  await expect.poll(() => list.getByRole("row").count()).toBe(2);

  // An agent has the sums of everything below it.
  await list.getByRole("row").nth(1).click();
  await page.getByRole("button", { name: "Tree" }).click();
  const agent = page.getByRole("treegrid", { name: "Spans" }).getByRole("row").first();
  await expect
    .poll(async () => (await agent.innerText()).replace(/\s+/g, " "))
    .toMatch(/1 call · 1 tool Σ ?in total 1\.2k → 30 Σ ?in total \$0\.2500/);
});
