import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it } from "vitest";
import { alteringProxyForTest, type Alter } from "../harness/altering-proxy.js";
import { sharedCollectorHere } from "../harness/shared-collector.js";
import { COLOURS, expectNoViolation } from "./accessibility.js";
import { openPage, sharedBrowser } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
const emptyCollector = sharedCollectorHere();

/** In an id, the proxy replaces this by half a surrogate pair. */
const HALF = "HALF";
const halve: Alter = (text) => text.replaceAll(HALF, "\\ud800");
const asItIs: Alter = (text) => text;

type Fields = Record<string, unknown>;

/** Changes the fields of the summaries, or of the spans, whose name is given. */
function change(name: string, fields: Fields): Alter {
  const isNamed = ({ name: own, root_name: root }: Fields): boolean => own === name || root === name;
  return (text, path) => {
    if (!path.startsWith("/v1/traces")) return text;
    const answer = JSON.parse(text) as { traces?: Fields[]; spans?: Fields[]; trace?: Fields };
    for (const item of [
      ...(answer.traces ?? []),
      ...(answer.spans ?? []),
      ...(answer.trace ? [answer.trace] : []),
    ])
      if (isNamed(item)) Object.assign(item, fields);
    return JSON.stringify(answer);
  };
}

const RUN = [
  { name: "run", trace_id: "t1", span_id: "root", duration_ms: 9, span_type: "agent" },
  {
    name: "chat",
    trace_id: "t1",
    span_id: "call",
    parent_span_id: "root",
    duration_ms: 5,
    span_type: "llm",
    attributes: { model: "gpt-5-mini", prompt_text: "Where is my order?", completion_text: "On its way." },
  },
];

/** Starts a collector that answers hostile data. `post` sends spans to it. */
async function hostileCollector(alter: Alter) {
  const collector = await emptyCollector();
  const { url, alter: alterNext } = await alteringProxyForTest(collector.url, alter);
  return {
    url,
    alterNext,
    async post(...spans: readonly Fields[]) {
      const response = await fetch(`${collector.url}/v1/telemetry`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ service: "shop", spans }),
      });
      expect(response.status).toBe(202);
    },
  };
}

const listRow = (page: Page, text: string) =>
  page.getByRole("grid", { name: "Traces" }).getByRole("row").filter({ hasText: text });
const spanRow = (page: Page, text: string) =>
  page.getByRole("treegrid", { name: "Spans" }).getByRole("row").filter({ hasText: text });
const alertIn = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text });

describe("an id that UTF-8 cannot write", () => {
  it("of a trace leaves the list as it is, live and after a reload", async () => {
    const { url, post } = await hostileCollector(halve);
    await post({ ...RUN[0], name: "plain run" });
    const { page, complaints } = await openPage(browser, `${url}/traces`);
    await listRow(page, "plain run").waitFor();
    await post({ name: "half run", trace_id: `t${HALF}`, duration_ms: 3 });
    await listRow(page, "half run").waitFor();
    await page.keyboard.press("Home");
    expect(await page.getByRole("grid", { name: "Traces" }).getAttribute("aria-activedescendant")).toBe(
      await listRow(page, "half run").getAttribute("id"),
    );
    await page.reload();
    await listRow(page, "half run").waitFor();
    await listRow(page, "plain run").waitFor();
    expect(complaints).toEqual([]);

    await listRow(page, "half run").click();
    await page.getByRole("heading", { name: "No such trace" }).waitFor();
    await page.goBack();
    await listRow(page, "plain run").click();
    await page.getByRole("heading", { name: "plain run", level: 1 }).waitFor();
  });

  it("of a span leaves the page of the trace as it is", async () => {
    const { url, post } = await hostileCollector(halve);
    await post(...RUN, { name: "half step", trace_id: "t1", span_id: `s${HALF}`, parent_span_id: "root" });
    const { page, complaints } = await openPage(browser, `${url}/traces/t1`);
    for (const name of ["run", "chat", "half step"]) await spanRow(page, name).first().waitFor();
    await spanRow(page, "half step").last().click();
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByRole("tabpanel", { name: "Raw" }).getByText("half step").first().waitFor();
    await page.waitForURL(/span=s%EF%BF%BD/);
    await page.reload();
    await spanRow(page, "half step").last().waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("what cannot be drawn", () => {
  it("in the list is one row with its id: the others stay, and the frame too", async () => {
    const { url, post, alterNext } = await hostileCollector(change("broken run", { models: null }));
    await post({ ...RUN[0], name: "plain run" }, { name: "broken run", trace_id: "t2", duration_ms: 3 });
    const { page } = await openPage(browser, `${url}/traces`);
    await listRow(page, "plain run").waitFor();
    expect(await listRow(page, "cannot be shown").textContent()).toContain("t2");
    await expectNoViolation(page);
    alterNext(asItIs);
    await listRow(page, "cannot be shown").click();
    await page.getByRole("heading", { name: "broken run", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Traces" }).first().click();
    await listRow(page, "plain run").waitFor();
  });

  it("in the list as a whole leaves the filters, and is drawn on request", async () => {
    const { url, post, alterNext } = await hostileCollector(change("broken run", { scores: null }));
    await post({ name: "broken run", trace_id: "t2", duration_ms: 3 });
    const { page } = await openPage(browser, `${url}/traces`);
    const alert = alertIn(page, "This list cannot be shown");
    await alert.waitFor();
    expect(
      await page
        .getByRole("combobox", { name: /Filter|Search/ })
        .first()
        .isVisible(),
    ).toBe(true);
    alterNext(asItIs);
    await alert.getByRole("button", { name: "Try again" }).click();
    await listRow(page, "broken run").waitFor();
    await alert.waitFor({ state: "detached" });
  });

  it("on the page of a trace is one span, in both themes: the others stay", async () => {
    const { url, post, alterNext } = await hostileCollector(
      change("chat", { name: { text: "chat" }, events: null }),
    );
    await post(...RUN);
    const { page } = await openPage(browser, `${url}/traces/t1?span=root&view=tree`);
    const broken = spanRow(page, "cannot be shown");
    expect(await broken.textContent()).toContain("call");
    await page.getByRole("tabpanel", { name: "Messages" }).waitFor();
    await broken.click();
    const alert = alertIn(page, "The head of this span cannot be shown: ");
    await alert.waitFor();
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByRole("tabpanel", { name: "Raw" }).getByText("chat").first().waitFor();
    await page.getByRole("tab", { name: "Messages" }).click();
    await alertIn(page, "This tab cannot be shown: ").waitFor();
    await expectNoViolation(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectNoViolation(page, { only: COLOURS });
    await spanRow(page, "run").click();
    await alert.waitFor({ state: "detached" });
    await page.getByRole("tabpanel", { name: "Messages" }).waitFor();
    await broken.click();
    alterNext(asItIs);
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("tabpanel", { name: "Messages" }).getByText("Where is my order?").waitFor();
    await spanRow(page, "chat").waitFor();
  });

  it("in one tab of a span leaves the other tabs", async () => {
    const { url, post } = await hostileCollector(change("chat", { events: [{ name: {}, time: 5 }] }));
    await post(...RUN);
    const { page } = await openPage(browser, `${url}/traces/t1?span=call`);
    await alertIn(page, "This tab cannot be shown").waitFor();
    await page.getByRole("tab", { name: "Attributes" }).click();
    await page.getByRole("tabpanel", { name: "Attributes" }).getByText("gpt-5-mini").waitFor();
    expect(await alertIn(page, "cannot be shown").count()).toBe(0);
  });

  it("as a value nested 50,000 deep leaves the head and the other tabs, and another span is drawn", async () => {
    const tooDeep = "[".repeat(50_000) + "]".repeat(50_000);
    const { url, post } = await hostileCollector((text) => text.replaceAll('"gpt-5-mini"', tooDeep));
    await post(...RUN);
    const { page } = await openPage(browser, `${url}/traces/t1?span=call`);
    await page.getByRole("tabpanel", { name: "Messages" }).getByText("Where is my order?").waitFor();
    await page.getByRole("heading", { name: "chat", level: 2 }).waitFor();
    expect(await alertIn(page, "This tab cannot be shown").count()).toBe(0);
    expect(await alertIn(page, "span cannot be shown").count()).toBe(0);
    await page.getByRole("tab", { name: "Raw" }).click();
    const alert = alertIn(page, "This tab cannot be shown: ");
    await alert.waitFor();
    await spanRow(page, "run").first().click();
    await page.getByRole("tabpanel", { name: "Raw" }).getByText("root").first().waitFor();
    await alert.waitFor({ state: "detached" });
  });

  it("is not a span without attributes: the figures, its row and its tabs are drawn", async () => {
    const { url, post } = await hostileCollector(change("chat", { attributes: null }));
    await post({ ...RUN[0], attributes: { session_id: "session-9" } }, RUN[1] ?? {});
    const { page } = await openPage(browser, `${url}/traces/t1?span=call`);
    await spanRow(page, "chat").waitFor();
    await page.getByText("session-9").first().waitFor();
    await page.getByText("This span has no messages.").waitFor();
    for (const name of ["Evaluations", "Attributes", "Raw"]) {
      await page.getByRole("tab", { name }).click();
      await page.getByRole("tabpanel", { name }).waitFor();
    }
    expect(await alertIn(page, "cannot be shown").count()).toBe(0);
  });

  it("in the header of a trace leaves its spans", async () => {
    const { url, post } = await hostileCollector(change("run", { root_name: { a: 1 } }));
    await post(...RUN);
    const { page } = await openPage(browser, `${url}/traces/t1?span=call`);
    await alertIn(page, "This header cannot be shown").waitFor();
    await spanRow(page, "chat").waitFor();
    await page.getByRole("tabpanel", { name: "Messages" }).getByText("Where is my order?").waitFor();
  });

  it("as a page leaves the frame, and the other pages", async () => {
    const { url, post } = await hostileCollector((text, path) =>
      path.startsWith("/v1/stats") ? "{}" : text,
    );
    await post(...RUN);
    const { page } = await openPage(browser, `${url}/stats`);
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await expectNoViolation(page);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Traces" }).click();
    await listRow(page, "run").waitFor();
  });
});
