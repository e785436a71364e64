import { expect, it } from "vitest";
import { shippingRun } from "./shipping-run.js";
import { showApp } from "./shown-app.js";

it("the context of a model call shows what fills its window, why its cache broke, and what is repeated", async () => {
  const app = await showApp("/traces/run?view=timeline", {
    before: async ({ url }) => {
      const response = await fetch(`${url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "shop", spans: shippingRun("run", Date.now() - 60_000) }),
      });
      expect(response.status).toBe(202);
    },
  });
  const { page } = app;
  // A broken cache is marked before a call is selected, in each view of the spans.
  await page
    .getByRole("treegrid")
    .getByRole("row", { name: /summarise/ })
    .getByText("cache broke")
    .waitFor();
  expect(await page.getByText("cache broke").count()).toBe(1);
  await page.keyboard.press("1");
  await page
    .getByRole("treegrid")
    .getByRole("row", { name: /summarise/ })
    .getByText("cache broke")
    .waitFor();
  // Costs that the collector computed are marked in every view.
  const agent = page.getByRole("treegrid").getByRole("row", { name: /shipping-agent/ });
  expect(await agent.innerText()).toMatch(/Σ\s*in total\s*≈\s*\$/);
  await page.keyboard.press("4");
  const node = page.getByRole("region", { name: "Selected node" });
  await node.getByText(/≈/).first().waitFor();
  await page.locator('[data-node="llm claude-sonnet-4-5"]').click();
  const calls = node.getByRole("table", { name: "Model calls" });
  expect(await calls.getByRole("row", { name: /shipping-agent/ }).innerText()).toMatch(
    /3 calls[^]*14\.1k[^]*≈/,
  );
  await app.expectAccessible();
  await page.keyboard.press("3");
  const where = page.getByRole("table", { name: "Where it went" });
  expect(await where.getByRole("row", { name: /Sum/ }).innerText()).toMatch(/≈\s*\$/);
  await where
    .getByRole("row", { name: /summarise/ })
    .getByText("cache broke")
    .waitFor();
  // What a result costs after the call, and what the cost of a call is made of.
  await where.getByRole("row", { name: /track_parcel/ }).click();
  const frame = page.getByRole("region", { name: "Selected frame" });
  const later = frame.getByRole("region", { name: "What its results cost later" });
  await later.getByText(/≈ \$/).waitFor();
  const figures = (await later.innerText()).replace(/\s+/g, " ");
  expect(figures).toContain("Results kept 1 × ≈");
  expect(figures).toContain("Read by 2 later calls");
  await where.getByRole("row", { name: /summarise/ }).click();
  const parts = frame.getByRole("table", { name: "What the cost is made of" });
  expect(await parts.getByRole("row", { name: /Into the cache/ }).innerText()).toMatch(
    /6,900[^]*3\.75 \/ M[^]*≈ \$0\.0259/,
  );
  await frame.getByText("timestamp in the system prompt").waitFor();
  const same = frame.getByRole("region", { name: "The same model in this agent" });
  expect(await same.getByRole("row").count()).toBe(4);
  await app.expectAccessible();
  await page.goto(`${app.url}/traces/run?span=summarise&view=timeline`);
  // What to look at is known before the tab is opened.
  await page.getByRole("tab", { name: /^Context\s*2$/ }).waitFor();
  await page
    .getByRole("treegrid")
    .getByRole("row", { name: /summarise/ })
    .getByText("cache broke")
    .waitFor();
  await page.keyboard.press("Shift+Digit2");
  const pane = page.getByRole("tabpanel", { name: "Context" });
  const window = pane.getByRole("region", { name: "What fills the window" });
  await window.getByText("7,300").waitFor();
  expect(await window.getByRole("listitem").allInnerTexts()).toHaveLength(5);
  expect(await window.innerText()).toContain("of 200,000 tokens");
  const cache = pane.getByRole("region", { name: "Prompt cache" });
  await cache.getByText("timestamp in the system prompt").waitFor();
  expect(await cache.locator("ins").innerText()).toBe("37");
  expect(await page.getByRole("tab", { name: "Context" }).innerText()).toMatch(/2$/);
  await pane.getByText("twice").waitFor();
  await page.getByText("diff with the call before").waitFor();
  // ⌥ on a Mac only.
  await page.getByText("Alt →", { exact: true }).waitFor();
  await app.expectAccessible("[role=tablist]", "[role=tabpanel]");
  await page.keyboard.press("d");
  const difference = pane.getByRole("region", { name: "Difference from the call before" });
  await difference.locator("ins", { hasText: "37" }).waitFor();
  await difference.getByRole("region", { name: "Messages" }).waitFor();
  await app.expectAccessible("[role=tablist]", "[role=tabpanel]");
  await page.keyboard.press("d");
  await difference.locator("ins").first().waitFor({ state: "detached" });

  await page.keyboard.press("Alt+ArrowLeft");
  await pane.getByText("The cache was read as far as it could be.").waitFor();
  await expect.poll(() => page.url()).toContain("span=read_events");
  await page.keyboard.press("Shift+Digit3");
  await page.getByRole("tabpanel", { name: "Tools" }).getByText("The events of a parcel.").first().waitFor();
  await app.expectAccessible("[role=tablist]", "[role=tabpanel]");

  // What the call before sent is one row, which opens and leads there.
  await page.keyboard.press("Shift+Digit1");
  const messages = page.getByRole("tabpanel", { name: "Messages" });
  const fold = messages.getByRole("button", { name: "2 messages as in the call before" });
  await fold.waitFor();
  const shown = messages.getByRole("article");
  expect(await shown.count()).toBe(2);
  await app.expectAccessible("[role=tablist]", "[role=tabpanel]");
  await fold.click();
  expect(await shown.count()).toBe(4);
  // The output stays at hand while it is below.
  await page.setViewportSize({ width: 1440, height: 420 });
  const output = messages.getByRole("button", { name: /^Output answer of read_events/ });
  await app.expectAccessible("[role=tablist]", "[role=tabpanel]");
  await output.click();
  await output.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await messages.getByRole("button", { name: "choose_lookup" }).click();
  await expect.poll(() => page.url()).toContain("span=choose_lookup");
});
