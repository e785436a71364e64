import type { EvaluationList } from "@obspan/collector-core/api-schema";
import type { Browser, Page } from "playwright";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startJudgeServer, type JudgeServer } from "../../collector-core/test/evaluation/judge-server.js";
import type { Settings } from "../harness/built-collector.js";
import { collectorHere, type CollectorHere } from "../harness/collector-here.js";
import { until } from "../harness/until.js";
import { accessibilityViolations } from "./accessibility.js";
import { sharedBrowser, openPage } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

const INVENTED = "Both figures are invented.";

/** A judge that detects hallucinations and scores everything else high. */
async function judgedCollector(
  settings: Settings = {},
): Promise<{ collector: CollectorHere; judge: JudgeServer }> {
  const judge = await startJudgeServer(({ material, text }) => {
    const isMadeUp = String(material["completion"]).includes("4.2 %");
    if (text.includes("Hallucination:"))
      return isMadeUp ? { score: 0.9, label: "invention", explanation: INVENTED } : { score: 0.05 };
    return { score: 0.95, label: "relevant", explanation: "It answers what was asked." };
  });
  onTestFinished(() => judge.close());
  const collector = await collectorHere({
    EVALUATION_ENABLED: "true",
    EVALUATION_JUDGE_PROVIDER: "ollama",
    EVALUATION_JUDGE_BASE_URL: judge.url,
    ...settings,
  });
  return { collector, judge };
}

async function send(
  collector: CollectorHere,
  types: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const call = (id: string, completion: string) => ({
    name: "chat",
    span_type: "llm",
    trace_id: id,
    span_id: `${id}-call`,
    parent_span_id: `${id}-root`,
    duration_ms: 400,
    attributes: {
      model: "gpt-5-mini",
      agent: "report-agent",
      prompt_text: "How did churn develop?",
      completion_text: completion,
      evaluation_types: types,
    },
  });
  const root = (id: string) => ({
    name: `report ${id}`,
    span_type: "agent",
    trace_id: id,
    span_id: `${id}-root`,
    duration_ms: 500,
  });
  const response = await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({
      service: "shop",
      spans: [
        root("one"),
        call("one", "Churn fell to 4.2 %, the best quarter."),
        root("two"),
        call("two", "The data holds no churn."),
      ],
    }),
  });
  expect(response.status).toBe(202);
}

async function scores(collector: CollectorHere): Promise<EvaluationList["evaluations"]> {
  const response = await fetch(`${collector.url}/v1/evaluations?limit=100`);
  return ((await response.json()) as EvaluationList).evaluations;
}

const worst = (page: Page) => page.getByRole("grid", { name: "Worst evaluations first" });

describe("spec app 4: the page of evaluations", () => {
  it("shows scores live, the worst first, and links to the span", async () => {
    const { collector } = await judgedCollector();
    const { page, complaints } = await openPage(browser, `${collector.url}/evaluations`);
    await page.getByRole("heading", { name: "Nothing has been judged yet" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await send(collector, ["relevance", "hallucination"]);
    await worst(page).getByRole("gridcell", { name: INVENTED }).waitFor();
    await page.getByText("1 past their threshold").waitFor();
    await page.getByRole("img", { name: /^Mean score by type: .*hallucination 0\.4[78]/ }).waitFor();
    await page.getByRole("rowheader", { name: "report-agent" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    // A window of 1280 has room for the trace, the model and all figures; one of 900 for what matters most.
    const trace = worst(page).getByRole("gridcell", { name: "report one" });
    const placeOf = async (name: string) =>
      (await page.getByText(name, { exact: true }).first().boundingBox())?.y;
    await page.setViewportSize({ width: 1280, height: 800 });
    const model = worst(page).getByRole("gridcell", { name: "gpt-5-mini" }).first();
    await model.waitFor();
    await trace.waitFor();
    expect(await placeOf("Judge p95")).toBe(await placeOf("Judged"));
    await page.setViewportSize({ width: 900, height: 800 });
    await model.waitFor({ state: "hidden" });
    await trace.waitFor();
    expect(await placeOf("Judge p95")).not.toBe(await placeOf("Judged"));
    await page.setViewportSize({ width: 1440, height: 900 });

    await worst(page).getByRole("row").filter({ hasText: INVENTED }).click();
    await page
      .getByRole("tab", { name: "Evaluations" })
      .and(page.locator('[aria-selected="true"]'))
      .waitFor();
    await page.getByRole("article", { name: "hallucination" }).getByText(INVENTED).waitFor();
    await page.getByRole("article", { name: "relevance" }).getByText(".95").waitFor();
    expect(await accessibilityViolations(page, ["[role=tablist]", "[role=tabpanel]"])).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("repeats an evaluation, and runs any type over a span", async () => {
    const { collector, judge } = await judgedCollector();
    await send(collector, ["hallucination"]);
    await until("both spans are evaluated", async () =>
      (await scores(collector)).length === 2 ? true : undefined,
    );
    const { page } = await openPage(browser, `${collector.url}/evaluations`);
    const row = worst(page).getByRole("row").filter({ hasText: INVENTED });
    await row.hover();
    await row.getByRole("button", { name: "Run hallucination again" }).click();
    await page.getByText("1 evaluation queued for 1 span.").waitFor();
    await until("the span is evaluated again", async () =>
      (await scores(collector)).length === 3 ? true : undefined,
    );

    // The new row moves the others: a click meanwhile would miss.
    await until("the page shows both evaluations", async () =>
      (await row.count()) === 2 ? true : undefined,
    );
    await row.first().click();
    await page.getByRole("tabpanel").getByRole("button", { name: "Evaluate" }).click();
    await page.getByRole("menuitem", { name: "conciseness" }).click();
    await page.getByRole("article", { name: "conciseness" }).waitFor();
    expect(judge.calls).toHaveLength(4);
  });

  it("sends a thumb as a score of the span, which another click changes", async () => {
    const { collector } = await judgedCollector();
    await send(collector, []);
    const { page } = await openPage(browser, `${collector.url}/traces/one?span=one-call&tab=evaluations`);
    await page.getByText("This span has not been evaluated.").waitFor();
    await page.getByRole("button", { name: "Good" }).click();
    await page.getByRole("article", { name: "user_feedback" }).getByText("1.0").waitFor();
    await page.getByRole("button", { name: "Bad" }).click();
    await page.getByRole("article", { name: "user_feedback" }).getByText(".00").waitFor();
    expect(await page.getByRole("article").count()).toBe(1);
    // The evaluations of a trace are in one collapsed row.
    const rows = page.getByRole("treegrid", { name: "Spans" }).getByRole("row");
    await rows.filter({ hasText: "1 evaluation" }).waitFor();
    expect(await rows.filter({ hasText: "evaluation.user_feedback" }).count()).toBe(0);
  });

  it("spec 2.6 multi_tenant: sends requests about a trace with its tenant", async () => {
    const { collector } = await judgedCollector({ MULTI_TENANT_ENABLED: "true" });
    for (const tenant of ["acme", "globex"]) await send(collector, [], { "X-Tenant-ID": tenant });

    // A thumb on a trace that is not the newest with its id.
    const { page } = await openPage(
      browser,
      `${collector.url}/traces/one?tenant=acme&span=one-call&tab=evaluations`,
    );
    await page.getByRole("button", { name: "Good" }).click();
    await page.getByRole("article", { name: "user_feedback" }).getByText("1.0").waitFor();

    // A type over all four traces: two ids in two tenants each.
    await page.goto(`${collector.url}/traces`);
    const rows = page.getByRole("grid", { name: "Traces" }).getByRole("row").filter({ hasText: "report" });
    await rows.nth(3).waitFor();
    await page.getByRole("grid", { name: "Traces" }).focus();
    for (const key of ["Home", "x", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"])
      await page.keyboard.press(key);
    await page.getByText("4 selected").waitFor();
    await page
      .getByRole("region", { name: "Selected traces" })
      .getByRole("button", { name: "Evaluate" })
      .click();
    await page.getByRole("menuitem", { name: "conciseness" }).click();
    await page.getByText("4 evaluations queued for 4 spans.").waitFor();
    await until("all spans are evaluated", async () =>
      (await scores(collector)).length === 5 ? true : undefined,
    );
    const about = (await scores(collector)).map(
      ({ type, tenant, trace_id: id }) => `${type} ${tenant} ${id}`,
    );
    expect(about.toSorted()).toEqual([
      "conciseness acme one",
      "conciseness acme two",
      "conciseness globex one",
      "conciseness globex two",
      "user_feedback acme one",
    ]);
  });

  it("explains how to enable evaluation when it is off", async () => {
    const collector = await collectorHere();
    const { page } = await openPage(browser, `${collector.url}/evaluations`);
    await page.getByRole("heading", { name: "Evaluation is off" }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    // There is no row for keys to act on.
    expect(await page.locator("footer kbd").count()).toBe(0);
  });
});
