import type { Span } from "@obspan/sdk/wire";
import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { agentRun } from "./agent-run.js";
import { showApp, type ShownApp } from "./shown-app.js";

async function post({ url }: Pick<ShownApp, "url">, spans: readonly Span[]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

const feed = (page: Page) => page.getByRole("feed", { name: "Transcript" });
const current = (page: Page) => feed(page).locator("[aria-current=true]");
const pane = (page: Page) => page.getByRole("region", { name: "Selected span" });

/** The text that was copied, read by pasting it. */
async function copied(page: Page): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return await page.evaluate(
    async () =>
      await (globalThis as unknown as { navigator: ClipboardNavigator }).navigator.clipboard.readText(),
  );
}

/** The types of a browser are not those of the tests. */
interface ClipboardNavigator {
  readonly clipboard: { readText(): Promise<string> };
}

describe("the transcript of a run", () => {
  it("is what a run of several model calls opens in, with every message once", async () => {
    const app = await showApp("/traces/run", {
      before: (collector) => post(collector, agentRun("run", Date.now() - 60_000)),
    });
    const { page } = app;
    await feed(page).getByText("final answer").waitFor();
    const texts = await feed(page).getByRole("article").allInnerTexts();
    const all = texts.join("\n");
    for (const said of [
      "Where is my order 48190?",
      "I look up the order",
      "four days late",
      "tomorrow, Sunday",
    ])
      expect(all.split(said)).toHaveLength(2);
    expect(all).toContain("carrier-api gave no answer in 3,000 ms");
    expect(all).toContain("second try");
    expect(all).toMatch(/support-agent\s+refunds-agent\s+late_delivery, 4 days/);
    expect(all).toContain("final answer");
    // Instructions are shown on request.
    expect(all).not.toContain("You are the support agent");
    await page.getByRole("button", { name: "System" }).click();
    await feed(page).getByText("You are the support agent").waitFor();
    await app.expectAccessible();
  });

  it("is read with the keyboard, and the selected step is beside it", async () => {
    const app = await showApp("/traces/run", {
      before: (collector) => post(collector, agentRun("run", Date.now() - 60_000)),
    });
    const { page } = app;
    await feed(page).getByText("plan_resolution").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await pane(page).getByRole("heading", { name: "plan_resolution" }).waitFor();
    expect(await current(page).innerText()).toContain("I look up the order");
    await page.keyboard.press("ArrowRight");
    await current(page).getByText('"carrier"').first().waitFor();
    await page.keyboard.press("ArrowLeft");
    await current(page).getByText('"carrier"', { exact: true }).waitFor({ state: "detached" });
    await page.keyboard.press("e");
    await pane(page).getByRole("heading", { name: "get_shipping_status" }).waitFor();
    await page.keyboard.press("End");
    await pane(page).getByRole("heading", { name: "compose_reply" }).waitFor();
    expect(await current(page).innerText()).toMatch(/^Step\s+12\s/);
    // The same number in the tree.
    await page.keyboard.press("1");
    const row = page.getByRole("treegrid", { name: "Spans" }).getByRole("row", { selected: true });
    expect(await row.innerText()).toMatch(/^Step\s+12\s+compose_reply/);
  });

  it("is copied as Markdown, whole or one message", async () => {
    const app = await showApp("/traces/run", {
      before: (collector) => post(collector, agentRun("run", Date.now() - 60_000)),
    });
    const { page } = app;
    const turn = feed(page).getByRole("article").filter({ hasText: "decide_next_step" });
    await turn.hover();
    await turn.getByRole("button", { name: "Copy as Markdown" }).click();
    expect(await copied(page)).toMatch(/^### 8\. Assistant, decide_next_step\n\nThe parcel is/);
    await page
      .getByRole("region", { name: "Spans" })
      .getByRole("button", { name: "Copy as Markdown" })
      .first()
      .click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await copied(page)).toContain("### 12. Assistant, compose_reply");
  });

  it("grows with the run, and follows its newest step until a span is chosen", async () => {
    const [root, ...others] = agentRun("run", Date.now() - 20_000);
    if (root === undefined) throw new Error("There is no root.");
    const { output_text: _answer, ...asked } = root.attributes ?? {};
    const begun: Span[] = [{ ...root, status: "RUNNING", attributes: asked }, ...others.slice(0, 4)];
    const app = await showApp("/traces/run", { before: (collector) => post(collector, begun) });
    const { page } = app;
    await feed(page).getByText("plan_resolution").waitFor();
    await page.keyboard.press("l");
    await pane(page).getByRole("heading", { name: "plan_resolution" }).waitFor();
    await post(app, others.slice(4, 8));
    await pane(page).getByRole("heading", { name: "decide_next_step" }).waitFor();
    expect(await current(page).innerText()).toContain("four days late");
    await feed(page).getByRole("article").first().click();
    expect(await page.getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("false");
    await post(app, [root, ...others.slice(8)]);
    await feed(page).getByText("final answer").waitFor();
    await pane(page).getByRole("heading", { name: "support.resolve_ticket" }).waitFor();
    expect(await page.getByRole("button", { name: "Follow" }).count()).toBe(0);
  });

  it("renders only what is visible of 400 messages, and fetches long texts when they are opened", async () => {
    const long = `A long text. ${"word ".repeat(3000)}the end`;
    const messages: object[] = [];
    const calls = Array.from({ length: 200 }, (_, index): Span => {
      messages.push({ role: "user", parts: [{ type: "text", content: `question ${index}` }] });
      const content = index === 199 ? long : `answer ${index}`;
      const answer = { role: "assistant", parts: [{ type: "text", content }] };
      const prompt = messages.slice(-9);
      messages.push(answer);
      return {
        name: "chat",
        span_type: "llm",
        trace_id: "long",
        span_id: `c${index}`,
        parent_span_id: "root",
        start_time: 1_700_000_000_000 + index * 10,
        duration_ms: 9,
        attributes: { prompt_messages: prompt as never, completion_messages: [answer] as never },
      };
    });
    const root: Span = {
      name: "loop",
      span_type: "agent",
      trace_id: "long",
      span_id: "root",
      start_time: 1_700_000_000_000,
      duration_ms: 2000,
    };
    const { page } = await showApp("/traces/long", {
      before: (collector) => post(collector, [root, ...calls]),
    });
    await feed(page).getByText("question 0").waitFor();
    const shown = feed(page).getByRole("article");
    expect(await shown.first().getAttribute("aria-setsize")).toBe("400");
    expect(await shown.count()).toBeLessThan(60);
    await page.keyboard.press("End");
    await current(page).getByText("A long text.").waitFor();
    expect(await current(page).getByText("the end").count()).toBe(0);
    await current(page)
      .getByRole("button", { name: /^Show all/ })
      .click();
    await current(page).getByText("the end").waitFor();
  });
});
