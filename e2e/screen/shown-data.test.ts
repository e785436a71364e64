import { expect, it } from "vitest";
import { showApp, type ShownApp } from "./shown-app.js";

const PYTHON =
  'class Order:\n    def __init__(self):\n        self.total = "**not bold**"\n\n\n# not a heading';
const ORDERS = JSON.stringify({
  orders: Array.from({ length: 2000 }, (_, id) => ({ id, note: "a [b](c)" })),
});

/** Opens a model call with these messages. */
async function openCall(prompt_messages: object[], completion: string): Promise<ShownApp> {
  const call = {
    name: "chat",
    trace_id: "shown",
    span_id: "call",
    span_type: "llm",
    duration_ms: 5,
    attributes: {
      prompt_messages,
      completion_messages: [{ role: "assistant", parts: [{ type: "text", content: completion }] }],
    },
  };
  const app = await showApp("/traces/shown?span=call", {
    before: async ({ url }) => {
      const response = await fetch(`${url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "shop", spans: [call] }),
      });
      expect(response.status).toBe(202);
    },
  });
  await app.page.getByRole("tabpanel", { name: "Messages" }).getByText("Output", { exact: true }).waitFor();
  return app;
}

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });

it("shows data with its spaces and marks, and Markdown only of users and models", async () => {
  const { page } = await openCall(
    [
      text("system", "Never use __init__ or *stars*."),
      text("user", "Is **this** bold?"),
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "read_file", arguments: PYTHON }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: PYTHON }] },
      text("tool", PYTHON),
    ],
    "Yes, **it is**.",
  );
  const panel = page.getByRole("tabpanel", { name: "Messages" });
  await panel.locator("strong").getByText("it is", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Expand all" }).click();
  await panel.locator("strong").getByText("it is", { exact: true }).waitFor();
  expect(await panel.locator("strong").allTextContents()).toEqual(["this", "it is"]);
  expect(await panel.locator("em, h1, h2, h3, h4").count()).toBe(0);
  // Arguments, result and message: the text unchanged, in one element that keeps spaces, monospace.
  const shown: [string | null, boolean][] = [];
  for (const element of await panel.locator("pre").all()) {
    const style = await element.evaluate(
      (node) =>
        (globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }).getComputedStyle(
          node,
        )["fontFamily"],
    );
    shown.push([await element.textContent(), String(style).includes("Mono")]);
  }
  expect(shown.filter(([content]) => content === PYTHON)).toEqual([
    [PYTHON, true],
    [PYTHON, true],
    [PYTHON, true],
  ]);
  expect(shown.map(([content]) => content)).toContain("Never use __init__ or *stars*.");
});

it("shows cut JSON as JSON", async () => {
  const { page } = await openCall([text("user", "All orders?"), text("tool", ORDERS)], ORDERS);
  const panel = page.getByRole("tabpanel", { name: "Messages" });
  // Until the code of Markdown is loaded, the question is plain text too.
  await panel.locator("p").getByText("All orders?").waitFor();
  const shown = await panel.locator("pre").allTextContents();
  expect(shown).toHaveLength(2);
  for (const content of shown) {
    expect(content).toMatch(/^\{\n {2}"orders": \[\n {4}\{\n {6}"id": 0,\n/);
    expect(content.endsWith("…")).toBe(true);
  }
  expect(await panel.locator("a").count()).toBe(0);
});
