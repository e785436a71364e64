import { readFile } from "node:fs/promises";
import type { Browser, Download, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";
import { supportRun } from "./support-run.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

async function post(collector: CollectorHere, spans: unknown[]): Promise<void> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  expect(response.status).toBe(202);
}

/** Three runs of an agent; the second failed. */
async function fill(collector: CollectorHere): Promise<void> {
  for (const [index, status] of (["OK", "ERROR", "OK"] as const).entries()) {
    const [root, ...others] = supportRun({
      traceId: `t${index}`,
      startMs: Date.now() - 60_000 + index * 10_000,
    });
    await post(collector, [{ ...(root as object), status }, ...others]);
  }
}

async function textOf(download: Download): Promise<string> {
  return await readFile(await download.path(), "utf8");
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const { DataTransfer } = globalThis as unknown as {
        DataTransfer: new () => { readonly items: { add(file: File): void } };
      };
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      return transfer;
    },
    [name, text] as const,
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.getByText("Drop a file of OTLP-JSON lines").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

const rowCount = (page: Page): Promise<number> => page.locator("[role=rowgroup] [role=row]").count();

async function rows(page: Page, count: number): Promise<void> {
  await until(`there are ${count} rows`, async () => ((await rowCount(page)) === count ? true : undefined));
}

describe("export and import of traces", () => {
  it("exports the filtered traces and imports them with the button", async () => {
    const source = await collectorHere();
    await fill(source);
    const { page } = await openPage(browser, `${source.url}/traces?status=OK`);
    await rows(page, 2);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export what matches" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^obspan-traces-.+\.otlp\.jsonl$/);
    const path = await download.path();

    const collector = await collectorHere();
    const other = await openPage(browser, collector.url);
    const choosing = other.page.waitForEvent("filechooser");
    await other.page.getByRole("button", { name: "Import a file" }).click();
    await (await choosing).setFiles(path);
    await rows(other.page, 2);
    await other.page
      .getByRole("status")
      .getByText(/^Imported 2 traces with \d+ spans from/)
      .waitFor();
    expect(await accessibilityViolations(other.page)).toEqual([]);
    await other.page.getByRole("button", { name: "Dismiss" }).click();
    await other.page.getByText(/^Imported/).waitFor({ state: "detached" });
    expect(other.complaints).toEqual([]);

    // An import exports unchanged.
    const again = other.page.waitForEvent("download");
    await other.page.getByRole("link", { name: "Export what matches" }).click();
    expect(await textOf(await again)).toBe(await textOf(download));
  });

  it("exports the selected rows and imports a dropped file", async () => {
    const source = await collectorHere();
    await fill(source);
    const { page, complaints } = await openPage(browser, `${source.url}/traces`);
    await rows(page, 3);
    await page.getByRole("grid", { name: "Traces" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const text = await textOf(await downloading);
    expect(complaints).toEqual([]);

    const collector = await collectorHere();
    const { page: other } = await openPage(browser, collector.url);
    await other.getByRole("heading", { name: /Listening on/ }).waitFor();
    await drop(other, "runs.otlp.jsonl", text);
    await rows(other, 2);
    await drop(other, "notes.txt", "no traces\n");
    await other.getByRole("alert").getByText("Line 1: The body is not valid JSON").waitFor();
    await drop(other, "mixed.jsonl", `${text}nonsense\n`);
    await other.getByText(/1 line refused/).waitFor();
    expect(await accessibilityViolations(other)).toEqual([]);
    expect(await rowCount(other)).toBe(2);
  });
});
