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

const graph = (page: Page) => page.getByRole("group", { name: /agents?, .* models?, / });
const pane = (page: Page) => page.getByRole("region", { name: "Selected node" });

interface Canvas {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly offsetWidth: number;
  readonly innerText: string;
  getBoundingClientRect(): { readonly width: number };
  querySelectorAll(selector: string): Iterable<Canvas>;
}

/** The smallest text in the graph, in pixels of the screen. Runs in the page. */
function smallestText(canvas: Canvas): number {
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle: (element: Canvas) => { readonly fontSize: string };
  };
  const [node] = canvas.querySelectorAll("[data-node]");
  const scale = node === undefined ? 0 : node.getBoundingClientRect().width / node.offsetWidth;
  const sizes = Array.from(canvas.querySelectorAll("b, span")).flatMap((element) =>
    element.offsetWidth > 1 && element.innerText !== ""
      ? [Number.parseFloat(getComputedStyle(element).fontSize)]
      : [],
  );
  return scale * Math.min(...sizes);
}

describe("the graph of a run", () => {
  it("shows who calls whom, and is walked and opened with the keyboard", async () => {
    const app = await showApp("/traces/run?view=graph", {
      before: (collector) => post(collector, agentRun("run", Date.now() - 60_000)),
    });
    const { page } = app;
    await graph(page)
      .getByRole("button", { name: /^tool get_shipping_status, 2 calls, 3\.73 s, 1 failed/ })
      .click();
    await pane(page).getByRole("heading", { name: "get_shipping_status" }).waitFor();
    expect(await pane(page).innerText()).toContain("carrier-api gave no answer in 3,000 ms");
    await app.expectAccessible();
    // On a small screen the graph gets denser, and its text stays readable.
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect
      .poll(() => graph(page).evaluate((canvas: Canvas) => canvas.scrollWidth - canvas.clientWidth))
      .toBeLessThanOrEqual(0);
    const smallest = await graph(page).evaluate(smallestText);
    expect(smallest).toBeGreaterThanOrEqual(11);
    await page.getByRole("button", { name: "Fit", exact: true }).click();
    // Its steps, one after the other; the strip tells which.
    const strip = page.getByRole("group", { name: "Steps" });
    await strip.getByText(/^Step \d+$/).waitFor();
    const before = Number(/\d+/.exec(await strip.getByRole("status").innerText())?.[0]);
    await strip.getByRole("button", { name: "Step forward" }).click();
    await strip.getByText(`Step ${before + 1}`, { exact: true }).waitFor();
    await page.keyboard.press(",");
    await strip.getByText(`Step ${before}`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Width time" }).click();
    await page.getByRole("menuitemradio", { name: "Width is calls" }).click();
    await graph(page).locator("span", { hasText: /^2×$/ }).first().waitFor();
    await page.getByText("width is calls").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("get_shipping");
    await graph(page).locator("button[data-found=true]", { hasText: "get_shipping_status" }).waitFor();
    expect(await graph(page).locator("button[data-found=true]").count()).toBeLessThan(5);
    await app.expectAccessible();
    await page.keyboard.press("Escape");
    await graph(page)
      .getByRole("button", { name: /^tool get_shipping_status/ })
      .click();
    await page.keyboard.press("ArrowLeft");
    await pane(page)
      .getByRole("heading", { name: /-agent$/ })
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: /^Messages/ }).waitFor();
    await page.keyboard.press("Escape");
    await pane(page).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await app.expectReadable();
  });

  it("draws a bounded number of nodes of a run with very many tools, and says so", async () => {
    const startMs = Date.now() - 600_000;
    const of = { trace_id: "many", start_time: startMs };
    const root: Span = { ...of, name: "root", span_type: "agent", span_id: "root", duration_ms: 1000 };
    const tools = Array.from({ length: 450 }, (_, index): Span => ({
      ...of,
      name: `tool-${index}`,
      span_type: "tool",
      span_id: `t${index}`,
      parent_span_id: "root",
      duration_ms: 1 + index,
    }));
    const app = await showApp("/traces/many?view=graph", {
      before: (collector) => post(collector, [root, ...tools]),
    });
    const { page } = app;
    await page.getByText("60 of 451 nodes").waitFor();
    await graph(page).getByRole("button", { name: "392 other tools, 392 calls", exact: false }).waitFor();
    expect(await graph(page).getByRole("button").count()).toBe(60);
    // A folded tool is found in its list, and taken out.
    await graph(page)
      .getByRole("button", { name: /^392 other tools/ })
      .click();
    const folded = pane(page).getByRole("region", { name: "Folded nodes" });
    await folded.getByRole("button", { name: /^tool-7, 1 call/ }).click();
    await pane(page).getByRole("heading", { name: "tool-7" }).waitFor();
    await graph(page)
      .getByRole("button", { name: /^tool tool-7, / })
      .waitFor();
    await app.expectAccessible();
  });
});
