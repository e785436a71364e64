import type { Browser, Locator, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { violationsInBothThemes } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";
import { supportRun } from "./support-run.js";

const KEY = "correct-horse-battery";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

async function post(collector: CollectorHere, traceId: string): Promise<void> {
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": KEY },
    body: JSON.stringify({ service: "shop", spans: supportRun({ traceId, startMs: Date.now() - 20_000 }) }),
  });
  expect(response.status).toBe(202);
}

const heading = (page: Page, name = "Sign in") => page.getByRole("heading", { name, exact: true });
const field = (page: Page) => page.getByLabel(/API key of/);
const hasFocus = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(":focus")).count()) === 1;

async function signIn(page: Page, key = KEY): Promise<void> {
  await field(page).fill(key);
  await page.keyboard.press("Enter");
}

describe("spec 5, contract 3: signing in where keys are set", () => {
  it("asks for a key, refuses a wrong one, and continues to the requested page, without axe violations in both themes", async () => {
    const collector = await collectorHere({ AUTH_API_KEYS: `other,${KEY}` });
    await post(collector, "linked");
    const { page } = await openPage(
      browser,
      `${collector.url}/traces/linked?span=linked-11&tab=raw&view=tree`,
    );
    await heading(page).waitFor();
    expect(await page.getByText("support.resolve_ticket").count()).toBe(0);
    expect(await hasFocus(field(page))).toBe(true);
    expect(await field(page).getAttribute("type")).toBe("password");
    expect(await violationsInBothThemes(page)).toEqual([]);

    await signIn(page, "wrong");
    await page.getByRole("alert").getByText("The collector does not know this key.").waitFor();
    expect(await violationsInBothThemes(page), "with a wrong key").toEqual([]);
    // The wrong key is selected, so typing replaces it.
    await page.keyboard.type(` ${KEY} `);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("treegrid", { name: "Spans" }).waitFor();
    await expect.poll(() => page.url()).toContain("/traces/linked?span=linked-11&tab=raw&view=tree");
    await page.getByRole("tab", { name: "Raw", selected: true }).waitFor();
    await page.locator('[data-tip="Copy the endpoint"]').getByLabel("Connected").waitFor();

    // Everything in the browser's storage that a script can read.
    const kept = await page.evaluate(
      "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])",
    );
    expect(kept).not.toContain(KEY);
    expect(kept).not.toContain("obspan_session");
  });

  it("appears when the session ends on an open trace, and keeps the place", async () => {
    const collector = await collectorHere({ AUTH_API_KEYS: KEY });
    await post(collector, "open");
    const { page } = await openPage(browser, `${collector.url}/traces/open?view=tree`);
    await signIn(page);
    const spans = page.getByRole("treegrid", { name: "Spans" });
    await spans.waitFor();
    await page.locator('[data-tip="Copy the endpoint"]').getByLabel("Connected").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("/");
    await page.keyboard.type("depot");
    await page.context().clearCookies();
    // The page fetches new spans, which is refused now.
    await post(collector, "open");
    await heading(page, "Your session has ended").waitFor();
    expect(await spans.isVisible()).toBe(false);
    // The keys of the page are disabled.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await expect.poll(() => page.url()).toContain("/traces/open");
    await signIn(page);
    await spans.waitFor();
    const search = page.getByLabel("Search inside this trace");
    expect(await search.inputValue()).toBe("depot");
    expect(await hasFocus(search)).toBe(true);
    expect(await spans.getByRole("row").first().getAttribute("aria-expanded")).toBe("false");
    await post(collector, "another");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("grid", { name: "Traces" }).getByRole("row").nth(2).waitFor();
  });

  it("appears when the keys change, through the live connection alone", async () => {
    const port = String(await freePort());
    const collector = await collectorHere({ PORT: port, AUTH_API_KEYS: KEY });
    await post(collector, "before");
    const { page } = await openPage(browser, `${collector.url}/traces?service=shop`);
    await signIn(page);
    await page.getByText("support.resolve_ticket").first().waitFor();
    await collector.stop();
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor();
    await collectorHere({ PORT: port, AUTH_API_KEYS: "another-key" });
    await heading(page, "Your session has ended").waitFor();
    await signIn(page, "another-key");
    await page.getByRole("button", { name: "Clear filters" }).waitFor();
    await expect.poll(() => page.url()).toContain("/traces?service=shop");
  });

  it("is shared by all tabs of a browser, and ends in all of them with “Sign out” in the palette", async () => {
    const collector = await collectorHere({ AUTH_API_KEYS: KEY });
    await post(collector, "one");
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await heading(page).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${collector.url}/traces/one?view=tree`);
    await heading(other).waitFor();
    await signIn(page);
    await page.getByText("support.resolve_ticket").first().waitFor();
    await other.getByRole("treegrid", { name: "Spans" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill(">sign");
    await page.getByRole("option", { name: /Sign out/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page).waitFor();
    await heading(other, "Your session has ended").waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it("does not exist without keys: no question, and no “Sign out”", async () => {
    const collector = await collectorHere();
    const { page } = await openPage(browser, `${collector.url}/traces`);
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill(">");
    await page.getByRole("option", { name: "Keyboard shortcuts" }).waitFor();
    expect(await page.getByRole("option", { name: /Sign out/ }).count()).toBe(0);
  });
});
