import type { Span } from "@obspan/sdk/wire";
import { expect, it } from "vitest";
import { showApp } from "./shown-app.js";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const RULES = Array.from({ length: 60 }, (_, n) => `Rule ${n}: answer only from what the carrier says.`).join(
  "\n",
);
const EVENTS = JSON.stringify(
  Array.from({ length: 60 }, (_, n) => ({ at: `2026-11-21T08:${10 + n}`, status: `left depot ${n}` })),
);

/** An agent whose third call has another time in its system prompt, and twice the same result. */
function shippingRun(traceId: string, startMs: number): Span[] {
  const system = (minute: number) =>
    text("system", `Be brief.\nCurrent time: Sat 21 Nov 2026, 14:${minute}\n${RULES}`);
  const track = (id: string) => [
    {
      role: "assistant",
      parts: [{ type: "tool_call", id, name: "track_parcel", arguments: { parcel: "6C" } }],
    },
    { role: "tool", parts: [{ type: "tool_call_response", id, response: EVENTS }] },
  ];
  const question = text("user", "Where is my parcel?");
  const tool = {
    type: "function",
    name: "track_parcel",
    description: "The events of a parcel.",
    parameters: { type: "object", properties: { parcel: { type: "string" } } },
  };
  const calls = [
    { name: "choose_lookup", input: [system(36), question], tokens: 2100, cached: 0, written: 2100 },
    {
      name: "read_events",
      input: [system(36), question, ...track("c1")],
      tokens: 4700,
      cached: 2050,
      written: 2650,
    },
    {
      name: "summarise",
      input: [system(37), question, ...track("c1"), ...track("c2")],
      tokens: 7300,
      cached: 400,
      written: 6900,
    },
  ];
  const base = { trace_id: traceId, parent_span_id: "root", status: "OK" as const };
  return [
    {
      trace_id: traceId,
      span_id: "root",
      name: "shipping-agent",
      span_type: "agent",
      start_time: startMs,
      duration_ms: 9000,
      attributes: { agent: "shipping-agent" },
    },
    ...calls.map(({ name, input, tokens, cached, written }, index): Span => ({
      ...base,
      span_id: name,
      name,
      span_type: "llm",
      start_time: startMs + 100 + index * 3000,
      duration_ms: 1500,
      attributes: {
        model: "claude-sonnet-4-5",
        provider: "anthropic",
        prompt_messages: input,
        completion_messages: [text("assistant", `answer of ${name}`)],
        tool_definitions: [tool],
        tokens_input: tokens,
        tokens_output: 40,
        tokens_cached: cached,
        tokens_cache_write: written,
        ttft_ms: 400 + index * 300,
      },
    })),
    {
      ...base,
      span_id: "tool",
      name: "track_parcel",
      span_type: "tool",
      start_time: startMs + 2000,
      duration_ms: 500,
      attributes: { tool_name: "track_parcel", tool_call_id: "c1", output_text: EVENTS },
    },
  ];
}

it("the context of a model call shows what fills its window, why its cache broke, and what is repeated", async () => {
  const app = await showApp();
  const { page } = app;
  const response = await fetch(`${app.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", spans: shippingRun("run", Date.now() - 60_000) }),
  });
  expect(response.status).toBe(202);
  await page.goto(`${app.url}/traces/run?span=summarise`);
  await page.getByRole("tab", { name: "Messages" }).waitFor();
  await page.keyboard.press("Shift+Digit2");
  const pane = page.getByRole("tabpanel", { name: "Context" });
  const parts = pane.getByRole("region", { name: "What fills the window" });
  await parts.getByText("7,300").waitFor();
  expect(await parts.getByRole("listitem").allInnerTexts()).toHaveLength(5);
  expect(await parts.innerText()).toContain("of 200,000 tokens");
  const cache = pane.getByRole("region", { name: "Prompt cache" });
  await cache.getByText("timestamp in the system prompt").waitFor();
  expect(await cache.locator("ins").innerText()).toBe("37");
  expect(await page.getByRole("tab", { name: "Context" }).innerText()).toMatch(/2$/);
  await pane.getByText("twice").waitFor();
  await app.expectAccessible();

  await page.keyboard.press("Alt+ArrowLeft");
  await pane.getByText("The cache was read as far as it could be.").waitFor();
  expect(page.url()).toContain("span=read_events");
  await page.keyboard.press("Shift+Digit3");
  await page.getByRole("tabpanel", { name: "Tools" }).getByText("The events of a parcel.").first().waitFor();
  await app.expectAccessible();

  // What the call before sent is one row, which opens and leads there.
  await page.keyboard.press("Shift+Digit1");
  const messages = page.getByRole("tabpanel", { name: "Messages" });
  const fold = messages.getByRole("button", { name: "2 messages as in the call before" });
  await fold.waitFor();
  const shown = messages.getByRole("article");
  expect(await shown.count()).toBe(2);
  await app.expectAccessible();
  await fold.click();
  expect(await shown.count()).toBe(4);
  // The output stays at hand while it is below.
  await page.setViewportSize({ width: 1440, height: 420 });
  const output = messages.getByRole("button", { name: /^Output answer of read_events/ });
  await app.expectAccessible();
  await output.click();
  await output.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await messages.getByRole("button", { name: "choose_lookup" }).click();
  await expect.poll(() => page.url()).toContain("span=choose_lookup");
});
