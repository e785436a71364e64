import type { Browser } from "playwright";
import { beforeAll, expect, it } from "vitest";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { sharedBrowser, openPage } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
const emptyCollector = sharedCollectorHere();

it.each([".", ".."])("opens, reloads, shows and deletes a trace whose id is %s", async (id) => {
  const collector = await emptyCollector();
  const long = "Word for word, and to the end. ".repeat(400);
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      service: "shop",
      spans: [
        { name: "run of dots", trace_id: id, span_id: "..", duration_ms: 9 },
        {
          name: "step of dots",
          trace_id: id,
          span_id: ".",
          parent_span_id: "..",
          duration_ms: 5,
          attributes: { output_text: `${long}THE-END` },
        },
      ],
    }),
  });
  expect(response.status).toBe(202);

  const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
  await page
    .getByRole("grid", { name: "Traces" })
    .getByRole("row")
    .filter({ hasText: "run of dots" })
    .click();
  const title = page.getByRole("heading", { name: "run of dots", level: 1 });
  await title.waitFor();
  expect(new URL(page.url()).searchParams.get("trace_id")).toBe(id);
  await page.reload();
  await title.waitFor();
  const spans = page.getByRole("treegrid", { name: "Spans" }).getByRole("row");
  expect(await spans.count()).toBe(2);

  const whole = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/v1/span");
  await spans.filter({ hasText: "step of dots" }).click();
  await page.getByText("Word for word").first().waitFor();
  await page
    .getByRole("button", { name: /^Show all/ })
    .first()
    .click();
  expect(await (await whole).json()).toMatchObject({ trace_id: id, span_id: "." });

  await page.goto(`${collector.url}/traces`);
  await page.getByRole("row").filter({ hasText: "run of dots" }).waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("row").filter({ hasText: "run of dots" }).waitFor({ state: "detached" });
  const { traces } = (await (await fetch(`${collector.url}/v1/traces`)).json()) as { traces: unknown[] };
  expect(traces).toEqual([]);
  expect(complaints).toEqual([]);
});
