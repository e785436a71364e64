import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

const YAML = `limits:
  # shop has long prompts
  max_span_attributes: 200
auth:
  # old: SECRET
  api_keys: []
exporter:
  headers:
    X-Key: SECRET
`;

it("the settings show each option with its source, check what is typed, and save it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-settings-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "obspan.yaml");
  writeFileSync(file, YAML);
  const { url } = await collectorHere({
    CONFIG: file,
    SAMPLING_RATE: "0.5",
  });
  const { page, complaints } = await openPage(await sharedBrowser(), `${url}/settings`);
  const options = page.getByRole("region", { name: "Options" });
  const row = (key: string) => options.locator(`[data-key="${key}"]`);
  const pane = page.getByRole("complementary", { name: "Configuration file" });
  const bar = page.getByRole("group", { name: "Changes" });
  const save = bar.getByRole("button", { name: "Save" });

  // Sources, locks and secrets.
  await row("limits.max_span_attributes").getByText("file", { exact: true }).waitFor();
  expect(await row("limits.max_traces").innerText()).toContain("default");
  expect(await row("sampling.rate").innerText()).toContain(
    "Set by OBS_SERVER_SAMPLING_RATE; change it there.",
  );
  expect(await row("sampling.rate").getByRole("textbox").isDisabled()).toBe(true);
  expect(await row("trace_store.path").getByRole("textbox").isDisabled()).toBe(true);
  await pane.getByText("# shop has long prompts").waitFor();
  expect(await page.content()).not.toContain("SECRET");
  expect(await save.isDisabled()).toBe(true);

  // Every option has a section, and the one that is read is marked.
  const sections = page.getByRole("navigation", { name: "Sections" });
  expect(await sections.getByRole("button", { name: /^Other/ }).count()).toBe(0);
  expect(await row("queue.url").innerText()).toContain("redis://host");
  await row("evaluation.enabled").evaluate((element) =>
    (element as unknown as { scrollIntoView: (at: object) => void }).scrollIntoView({ block: "start" }),
  );
  await sections
    .getByRole("button", { name: /^Evaluation/ })
    .and(page.locator("[aria-current]"))
    .waitFor();

  // The collector's own words while typing, also for a rule across two keys.
  await page.keyboard.press("/");
  await page.keyboard.type("nothing like this");
  const nothing = page.getByRole("heading", { name: "No option matches" });
  await nothing.waitFor();
  // In the middle, not under the edge of the page.
  const middle = await options.boundingBox();
  expect((await nothing.boundingBox())?.y).toBeGreaterThan((middle?.y ?? 0) + 100);
  await page.getByRole("button", { name: "Clear the search" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("limit_pct");
  await until("two options are found", async () => (await options.locator("[data-key]").count()) === 2);
  const soft = row("backpressure.soft_limit_pct");
  await soft.getByRole("textbox").fill("much");
  await soft.getByText("Must be a number from 0 to 100.").waitFor();
  await soft.getByRole("textbox").fill("96");
  await soft.getByText(/Must be less than backpressure\.hard_limit_pct = 95/).waitFor();
  await bar.getByRole("button", { name: "1 problem" }).waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.keyboard.press("Control+s");
  await bar
    .getByText("Not saved. backpressure.soft_limit_pct: Must be less than", { exact: false })
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await soft.getByRole("textbox").fill("60");
  await soft.getByText("was 80 from default").waitFor();
  await pane.getByText("soft_limit_pct").waitFor();
  await page.getByRole("textbox", { name: "Find an option" }).fill("");

  // A switch and a choice, then Save by key.
  await row("evaluation.enabled").getByRole("switch").waitFor();
  await row("rate_limit.enabled").getByRole("switch").click();
  await row("backpressure.mode").getByRole("button", { name: "drop_oldest" }).click();
  await bar.getByText("3 changes.").waitFor();
  // The collector may still have to check what was typed last.
  await save.and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("Control+s");
  await bar.getByText("Restart the collector to apply").waitFor();
  await row("rate_limit.enabled").getByText("saved", { exact: true }).waitFor();
  expect(readFileSync(file, "utf8")).toBe(
    `${YAML}backpressure:\n  soft_limit_pct: 60\n  mode: drop_oldest\nrate_limit:\n  enabled: true\n`,
  );

  // Back to the default: the key leaves the file.
  await row("rate_limit.enabled")
    .getByRole("button", { name: "Use the default of rate_limit.enabled" })
    .click();
  await row("rate_limit.enabled").getByText("was true").waitFor();
  await bar.getByRole("button", { name: "Discard" }).click();
  await row("rate_limit.enabled").getByText("false until the collector restarts").waitFor();

  // Prices and views.
  const prices = page.getByRole("group", { name: "Prices" });
  expect(await prices.getByRole("row", { name: "gpt-5-mini openai $0.25 $2.00 $0.025" }).count()).toBe(1);
  const name = page.getByRole("textbox", { name: "Name of the view Slow" });
  await name.fill("Slow runs");
  await page.getByRole("button", { name: "Rename" }).and(page.locator(":enabled")).click();
  await page.getByRole("button", { name: "Delete the view Slow runs" }).click();
  await until("the view is gone", async () => (await page.getByLabel(/Name of the view Slow/).count()) === 0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export the views" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("obspan-views.json");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Import views" }).click(),
  ]);
  const view = { id: "v1", name: "Late parcels", page: "traces", query: "tool:track_parcel" };
  const views = [{ ...view, columns: null, order: null, group_by: null }];
  await chooser.setFiles({
    name: "obspan-views.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ views })),
  });
  await page.getByRole("textbox", { name: "Name of the view Late parcels" }).waitFor();

  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 900, height: 700 });
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.locator("html").evaluate(({ scrollWidth }: { scrollWidth: number }) => scrollWidth)).toBe(
    900,
  );
  expect(complaints).toEqual([]);
});

it("the settings say why they cannot be changed where collectors share a queue", async () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-settings-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "obspan.yaml");
  writeFileSync(file, YAML);
  // Nothing listens there: the collector waits for its queue, and shows its settings.
  const { url } = await collectorHere({ CONFIG: file, QUEUE_URL: "redis://127.0.0.1:1" });
  const { page } = await openPage(await sharedBrowser(), `${url}/settings`);
  await page
    .getByRole("group", { name: "Changes" })
    .getByText("With queue.url, several collectors may work together, and each has its own configuration.")
    .waitFor();
  const option = page.locator('[data-key="limits.max_span_attributes"]').getByRole("textbox");
  expect(await option.isDisabled()).toBe(true);
  await page.getByText("# shop has long prompts").waitFor();
});
