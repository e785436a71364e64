import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { accessibilityViolations } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";

const SHARED_ID = "order-48190";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
const emptyCollector = sharedCollectorHere({ MULTI_TENANT_ENABLED: "true" });

/** A span of the trace that both tenants have, with a text that is shortened in lists. */
async function post(
  collector: CollectorHere,
  tenant: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const span = {
    name: `run of ${tenant}`,
    trace_id: SHARED_ID,
    span_id: "root",
    duration_ms: 5,
    attributes: { output_text: `The whole text of ${tenant}. `.repeat(400) },
    ...fields,
  };
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tenant-ID": tenant },
    body: JSON.stringify({ service: "shop", spans: [span] }),
  });
  expect(response.status).toBe(202);
}

async function multiTenantCollector(): Promise<CollectorHere> {
  const collector = await emptyCollector();
  await post(collector, "acme");
  await post(collector, "globex");
  return collector;
}

const list = (page: Page) => page.getByRole("grid", { name: "Traces" });
const rowOf = (page: Page, tenant: string) =>
  list(page)
    .getByRole("row")
    .filter({ hasText: `run of ${tenant}` });
const title = (page: Page, tenant: string) =>
  page.getByRole("heading", { name: `run of ${tenant}`, level: 1 });

describe("spec 2.6 multi_tenant, contract 3: two tenants' equal ids are two traces", () => {
  it("shows two rows with a tenant each, and two pages that survive a reload", async () => {
    const collector = await multiTenantCollector();
    const { page, complaints } = await openPage(browser, `${collector.url}/traces`);
    await page.getByRole("columnheader", { name: "Tenant" }).waitFor();
    await rowOf(page, "globex").getByRole("gridcell", { name: "globex", exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await rowOf(page, "acme").click();
    await title(page, "acme").waitFor();
    expect(new URL(page.url()).searchParams.get("tenant")).toBe("acme");
    await page.getByText("The whole text of acme.").first().waitFor();
    await page.reload();
    await title(page, "acme").waitFor();
    // The newer trace in the list has the same id.
    await page.keyboard.press("k");
    await title(page, "globex").waitFor();
    expect(new URL(page.url()).searchParams.get("tenant")).toBe("globex");
    await page.getByText("The whole text of globex.").first().waitFor();
    expect(await page.getByText("The whole text of acme.").count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("updates each page with the spans of its own tenant", async () => {
    const collector = await multiTenantCollector();
    const { page } = await openPage(browser, `${collector.url}/traces/${SHARED_ID}?tenant=acme`);
    const rows = page.getByRole("treegrid", { name: "Spans" }).getByRole("row");
    await title(page, "acme").waitFor();
    await post(collector, "globex", { span_id: "second", parent_span_id: "root", name: "step of globex" });
    await post(collector, "acme", { span_id: "second", parent_span_id: "root", name: "step of acme" });
    await rows.filter({ hasText: "step of acme" }).waitFor();
    expect(await rows.count()).toBe(2);
  });

  it("opens the newest trace for a link without a tenant, and adds the tenant to the URL", async () => {
    const collector = await multiTenantCollector();
    const { page } = await openPage(browser, `${collector.url}/traces/${SHARED_ID}`);
    await title(page, "globex").waitFor();
    await page.waitForURL(/tenant=globex/);
    await page.goto(`${collector.url}/traces/${SHARED_ID}?tenant=nobody`);
    await page.getByRole("heading", { name: "No such trace" }).waitFor();
    await page.getByText("of tenant nobody").waitFor();
  });

  it("deletes the trace of one tenant only", async () => {
    const collector = await multiTenantCollector();
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await rowOf(page, "acme").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await rowOf(page, "globex").waitFor({ state: "detached" });
    expect(await rowOf(page, "acme").isVisible()).toBe(true);
    const response = await fetch(`${collector.url}/v1/traces`);
    const { traces } = (await response.json()) as { traces: { tenant: string }[] };
    expect(traces.map(({ tenant }) => tenant)).toEqual(["acme"]);
  });

  it("filters by tenant in the query and in a menu, and finds traces by id", async () => {
    const collector = await multiTenantCollector();
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await rowOf(page, "acme").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ten");
    await page.getByRole("option", { name: /^tenant:/ }).click();
    await page.getByRole("option", { name: /^acme/ }).click();
    await page.waitForURL(/\?tenant=acme$/);
    await rowOf(page, "globex").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Tenant/ }).click();
    await page.getByRole("option", { name: /^globex/ }).click();
    await rowOf(page, "globex").waitFor();
    expect(await rowOf(page, "acme").count()).toBe(0);

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill(`#${SHARED_ID}`);
    const found = page.getByRole("option");
    await found.filter({ hasText: "globex" }).waitFor();
    await found.filter({ hasText: "acme" }).click();
    await title(page, "acme").waitFor();
  });

  it("completes a filter whose first letters have been searched as text", async () => {
    const collector = await multiTenantCollector();
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await rowOf(page, "acme").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("ten");
    await page.waitForURL(/\?query=ten$/);
    await page.getByRole("option", { name: /^tenant:/ }).click();
    await page.getByRole("option", { name: /^acme/ }).click();
    await page.waitForURL(/\?tenant=acme$/);
    // Until the answer arrives, the list shows the rows of both tenants.
    await rowOf(page, "globex").waitFor({ state: "detached" });
    expect(await rowOf(page, "acme").isVisible()).toBe(true);
  });

  it("shows no tenants in single-tenant mode", async () => {
    const collector = await collectorHere();
    await post(collector, "ignored");
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await rowOf(page, "ignored").waitFor();
    await page.getByRole("button", { name: /^Service/ }).waitFor();
    expect(await page.getByText("Tenant").count()).toBe(0);
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Agent" }).waitFor();
    expect(await page.getByRole("menuitemcheckbox", { name: "Tenant" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await rowOf(page, "ignored").click();
    await title(page, "ignored").waitFor();
    expect(page.url()).not.toContain("tenant");
  });
});
