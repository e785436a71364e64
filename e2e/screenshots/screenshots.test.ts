import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright";
import { beforeAll, describe, it, onTestFinished } from "vitest";
import { collectorForTest, type BuiltCollector } from "../harness/built-collector.js";
import { sharedBrowser, openPage } from "../screen/browser.js";
import { collectorAfterAnHour } from "../screen/simulated-hour.js";
import { agentRun } from "../screen/agent-run.js";
import { comparedRun } from "../screen/compared-runs.js";
import { shippingRun } from "../screen/shipping-run.js";
import { supportRun } from "../screen/support-run.js";

/** Every page and state, at 1440 × 900 or at each size, in both themes. */
const DIRECTORY = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url));
/** The two pictures of the README. */
const README_DIRECTORY = fileURLToPath(new URL("../../docs/images/", import.meta.url));

const SIZES = [
  [1440, 900],
  [1280, 800],
  [1920, 1080],
  [900, 800],
] as const;

let browser: Browser;
beforeAll(async () => {
  mkdirSync(DIRECTORY, { recursive: true });
  browser = await sharedBrowser();
});

async function post(
  collector: Pick<BuiltCollector, "url">,
  spans: unknown[],
  tenant?: string,
): Promise<void> {
  await fetch(`${collector.url}/v1/telemetry`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(tenant === undefined ? {} : { "X-Tenant-ID": tenant }),
    },
    body: JSON.stringify({ service: "shop", env: "production", version: "2.14.0", spans }),
  });
}

/** Verdicts on a run: mostly good, sometimes bad. */
function scores(traceId: string, spanId: string, startMs: number, index: number): unknown[] {
  const hallucination = index % 8 === 5 ? 0.62 : 0.04 + (index % 4) * 0.03;
  const verdicts = [
    ["relevance", index % 7 === 3 ? 0.58 : 0.86 + (index % 5) * 0.02, "The answer is about what was asked."],
    ["faithfulness", 0.88, "All but the delivery date stands in the sources."],
    ["hallucination", hallucination, "The date of delivery is in no tool result."],
  ] as const;
  return verdicts.slice(0, 1 + (index % 3)).map(([type, score, explanation]) => ({
    name: `evaluation.${type}`,
    span_type: "evaluation",
    trace_id: traceId,
    span_id: `${traceId}-${type}`,
    parent_span_id: spanId,
    start_time: startMs,
    duration_ms: 900,
    attributes: {
      evaluation_type: type,
      evaluation_score: score,
      evaluation_explanation: explanation,
      judge_model: "gpt-5-mini",
    },
  }));
}

/** A typical list: several apps, some failed runs, one still running. */
async function fill(collector: BuiltCollector, tenants: readonly string[] = []): Promise<void> {
  const runs = [
    [
      "catalog.enrich",
      "catalog-agent",
      "gemini-3-flash",
      "SKU 99-1044 linen duvet cover",
      '{"title":"Stonewash linen"}',
    ],
    [
      "email.draft_reply",
      "mail-agent",
      "gpt-5-mini",
      "Re: renewal terms for 2027",
      "Thank you for the quick answer.",
    ],
    [
      "sql.generate_report",
      "analytics-agent",
      "gpt-5-mini",
      "Weekly churn by plan, last two quarters",
      "SELECT plan, …",
    ],
    ["guard.moderate", "guard-agent", "gpt-5-mini", "review text, 214 characters", '{"allowed":true}'],
    [
      "research.answer_question",
      "research-agent",
      "gemini-3-flash",
      "Which carriers offer carbon-neutral delivery?",
      "Three do: …",
    ],
    [
      "refunds.process",
      "refunds-agent",
      "claude-sonnet-5",
      "Order 48213 arrived broken, two legs",
      "Refund of €38.40 sent.",
    ],
  ] as const;
  const now = Date.now();
  for (let index = 0; index < 40; index++) {
    const [name, agent, model, input, output] = runs[index % runs.length] ?? runs[0];
    const tenant = tenants[((index * 5) % 7) % tenants.length];
    const failed = index % 9 === 2;
    const startMs = now - (42 - index) * 21_000;
    const durationMs = 400 + ((index * 7919) % 12_000);
    await post(
      collector,
      [
        {
          name,
          span_type: "agent",
          trace_id: `run-${index}`,
          span_id: `run-${index}`,
          start_time: startMs,
          duration_ms: durationMs,
          status: failed ? "ERROR" : "OK",
          attributes: {
            agent,
            input_text: input,
            output_text: failed ? "" : output,
            ...(failed ? { error_type: "RateLimitError", error_message: "429 from the provider" } : {}),
          },
        },
        {
          name: "chat",
          span_type: "llm",
          trace_id: `run-${index}`,
          span_id: `run-${index}-llm`,
          parent_span_id: `run-${index}`,
          start_time: startMs + 20,
          duration_ms: durationMs - 40,
          attributes: {
            agent,
            model,
            tokens_input: 400 + index * 331,
            tokens_output: 20 + index * 17,
            ttft_ms: 180 + index * 11,
            cost_usd: 0.0004 + index * 0.0007,
          },
        },
      ],
      tenant,
    );
    if (!failed)
      await post(collector, scores(`run-${index}`, `run-${index}-llm`, startMs + durationMs, index), tenant);
    if (index % 8 === 5) {
      const traceId = `support-${index}`;
      await post(collector, supportRun({ traceId, startMs: startMs + 3000 }), tenant);
      await post(collector, scores(traceId, `${traceId}-16`, startMs + 18_000, index), tenant);
    }
  }
  const running = supportRun({ traceId: "support-running", startMs: now - 6000, status: "RUNNING" }).slice(
    0,
    9,
  );
  await post(collector, running, tenants[0]);
}

const SAID = [
  "Can I change the address of order 48213?",
  "The linen cover has a hole. I would like another one.",
  "How long does a delivery to Norway take?",
  "Please cancel the second chair, but keep the table.",
  "Is the desk lamp in stock again?",
  "Thank you. And when does it come?",
  "I was charged twice.",
];

describe.each(["dark", "light"] as const)("%s", (colorScheme) => {
  const shoot = async (page: Page, name: string): Promise<void> => {
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${DIRECTORY}${name}-${colorScheme}.png` });
  };

  /** Takes a picture at each size; that of 1440 × 900 has no size in its name. */
  const shootSizes = async (page: Page, name: string): Promise<void> => {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await shoot(page, width === 1440 ? name : `${name}-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  it("first run, the list and its states", async () => {
    const collector = await collectorForTest();
    const { page } = await openPage(browser, collector.url, { colorScheme });
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    await shootSizes(page, "first-run");
    await fill(collector);
    await page.goto(`${collector.url}/traces`);
    const grid = page.getByRole("grid", { name: "Traces" });
    await page.getByText("catalog.enrich").first().waitFor();
    await shootSizes(page, "traces");
    if (colorScheme === "dark") await page.screenshot({ path: `${README_DIRECTORY}traces.png` });
    const plot = await page.getByRole("figure", { name: "Traces over time" }).boundingBox();
    if (plot === null) throw new Error("There is no histogram.");
    await page.mouse.move(plot.x + plot.width * 0.7, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width - 14, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(plot.x + plot.width * 0.45, plot.y + 20);
    await page.getByRole("button", { name: /– now/ }).waitFor();
    await shoot(page, "traces-brushed");
    await page.getByRole("button", { name: "Show as table" }).click();
    await shoot(page, "traces-histogram-table");
    await page.keyboard.press("Escape");
    const file = await (await fetch(`${collector.url}/v1/export?status=ERROR`)).text();
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import traces from a file" }).click();
    await (
      await choosing
    ).setFiles({
      name: "failed-runs.otlp.jsonl",
      mimeType: "application/jsonl",
      buffer: Buffer.from(`${file}not a line of OTLP\n`),
    });
    await page.getByText(/^Imported \d+ traces/).waitFor();
    await shoot(page, "traces-imported");
    await page.goto(`${collector.url}/traces?order=costliest&has_evaluation=true&min_duration_ms=2000`);
    await page.getByRole("button", { name: /^Evaluated/ }).click();
    await shoot(page, "traces-costliest");
    await page.goto(`${collector.url}/traces`);
    await page.getByText("catalog.enrich").first().waitFor();
    await grid.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await shootSizes(page, "traces-selected");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("model:");
    await shoot(page, "traces-completion");
    await page.goto(`${collector.url}/traces?service=nobody`);
    await page.getByRole("button", { name: "Clear filters" }).waitFor();
    await shootSizes(page, "traces-no-match");
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/traces?group_by=name`);
      await page.getByRole("grid", { name: "Traces by Name" }).waitFor();
      await shoot(page, `groups-${width}`);
      await page.goto(`${collector.url}/traces/support-5?view=tree`);
      await page.getByRole("button", { name: "Share" }).click();
      await shoot(page, `share-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${collector.url}/traces?group_by=@agent`);
    await page.getByRole("button", { name: "By @agent" }).click();
    await shoot(page, "groups-menu");
    await page.goto(`${collector.url}/traces`);
    await page.getByRole("button", { name: "Pause" }).click();
    await shoot(page, "traces-paused");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await shoot(page, "palette");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await shoot(page, "shortcuts");
    await page.keyboard.press("Escape");
    await page.goto(`${collector.url}/settings`);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    await shoot(page, "later-page");
    await page.goto(`${collector.url}/traces`);
    await page.getByText("catalog.enrich").first().waitFor();
    await collector.stop();
    await page
      .getByText(/does not answer/)
      .first()
      .waitFor();
    await shoot(page, "traces-disconnected");
  });

  it("figures over time, and the pipeline", async () => {
    const { url } = await collectorAfterAnHour({
      OBS_SERVER_SRE_ENABLED: "true",
      OBS_SERVER_SRE_DEFAULT_COST_BUDGET_USD: "25",
      OBS_SERVER_SAMPLING_RATE: "0.9",
      OBS_SERVER_REDACTION_ENABLED: "true",
      // Nothing listens there, so that the page shows failed exports.
      OBS_SERVER_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    });
    const { page } = await openPage(browser, `${url}/stats`, { colorScheme });
    const latency = page.getByRole("slider", { name: "Latency" });
    await latency.waitFor();
    await shootSizes(page, "metrics");
    await latency.press("Home");
    for (let press = 0; press < 40; press++) await latency.press("ArrowRight");
    await shoot(page, "metrics-crosshair");
    await page.getByRole("button", { name: "Latency: show as table" }).click();
    await shoot(page, "metrics-table");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}/stats?group_by=agent&window=15m`);
    await latency.waitFor();
    await shoot(page, "metrics-by-agent");
    await page.goto(`${url}/stats?service=nobody`);
    await page.getByRole("heading", { name: "No span matches" }).waitFor();
    await shoot(page, "metrics-nothing");
    await page.goto(`${url}/pipeline`);
    await page.getByRole("heading", { name: "Redaction" }).waitFor();
    const lines = ["mail me at ann@example.com", "my card is 4111 1111 1111 1111"];
    for (let batch = 0; batch < 40; batch++) {
      const spans = Array.from({ length: 20 + (batch % 7) }, (_, index) => ({
        name: "chat",
        trace_id: `live-${batch}-${index % 4}`,
        duration_ms: 40,
        attributes: { prompt_text: lines[index % 9] ?? "hello" },
      }));
      await post({ url }, spans);
      await page.waitForTimeout(150);
    }
    await shootSizes(page, "pipeline");
    await page.setViewportSize({ width: 760, height: 1000 });
    await shoot(page, "pipeline-narrow");
    await page.goto(`${url}/stats`);
    await latency.waitFor();
    await shoot(page, "metrics-narrow");
  });

  it("evaluations", async () => {
    // No judge listens there; the scores are sent with the spans.
    const collector = await collectorForTest({
      EVALUATION_ENABLED: "true",
      EVALUATION_JUDGE_PROVIDER: "ollama",
      EVALUATION_JUDGE_BASE_URL: "http://127.0.0.1:9",
    });
    const { page } = await openPage(browser, `${collector.url}/evaluations`, { colorScheme });
    await page.getByRole("heading", { name: "Nothing has been judged yet" }).waitFor();
    await shoot(page, "evaluations-nothing");
    await fill(collector);
    const worst = page.getByRole("grid", { name: "Worst evaluations first" });
    await worst
      .getByRole("gridcell", { name: /The date of delivery/ })
      .first()
      .waitFor();
    await shootSizes(page, "evaluations");
    await page.goto(`${collector.url}/traces/support-5?span=support-5-16&tab=evaluations`);
    await page.getByRole("tabpanel").getByText("The date of delivery").first().waitFor();
    await shoot(page, "trace-evaluations");
  });

  it("settings", async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-settings-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const file = join(directory, "obspan.yaml");
    writeFileSync(file, "limits:\n  # shop has long prompts\n  max_span_attributes: 200\n");
    const { url } = await collectorForTest({ CONFIG: file, SAMPLING_RATE: "0.5" });
    const { page } = await openPage(browser, `${url}/settings`, { colorScheme });
    await page.getByRole("textbox", { name: "backpressure.soft_limit_pct" }).fill("96");
    await page.getByRole("button", { name: "1 problem" }).click();
    await shootSizes(page, "settings");
    await page.getByRole("button", { name: /^Prices/ }).click();
    await shoot(page, "settings-prices");
    await page.getByRole("textbox", { name: "Find an option" }).fill("nothing like this");
    await shoot(page, "settings-nothing");
    const { url: withoutFile } = await collectorForTest();
    await page.goto(`${withoutFile}/settings`);
    await page.getByText("The collector was started without a configuration file.").waitFor();
    await shoot(page, "settings-no-file");
  });

  it("signing in", async () => {
    const collector = await collectorForTest({ AUTH_API_KEYS: "a-key" });
    const { page } = await openPage(browser, collector.url, { colorScheme });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await shoot(page, "sign-in");
    const key = page.getByLabel(/API key of/);
    await key.fill("another-key");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await shoot(page, "sign-in-wrong-key");
    await key.fill("a-key");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Listening on/ }).waitFor();
    await shoot(page, "first-run-with-key");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Send a test trace" }).click();
    await page.getByRole("heading", { name: "Your session has ended" }).waitFor();
    await shoot(page, "sign-in-again");
  });

  it("refused spans", async () => {
    const collector = await collectorForTest({
      RATE_LIMIT_ENABLED: "true",
      RATE_LIMIT_PER_SERVICE_RPM: "1",
    });
    const { page } = await openPage(browser, collector.url, { colorScheme });
    await fetch(`${collector.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: "shop", spans: [{ name: "no trace id" }] }),
    });
    await post(collector, [{ name: "chat", trace_id: "t" }]);
    await page.getByText("rate_limited").waitFor();
    await shoot(page, "first-run-refused");
    await fetch(`${collector.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ service: "other", spans: [{ name: "chat", trace_id: "t", duration_ms: 840 }] }),
    });
    await page.getByRole("button", { name: /refused/ }).click();
    await shoot(page, "traces-refused");
  });

  it("the views of one run, its context, its tools and what is shared of it", async () => {
    const collector = await collectorForTest();
    await post(collector, agentRun("agent-run", Date.now() - 60_000));
    await post(collector, supportRun({ traceId: "support", startMs: Date.now() - 20_000 }));
    await post(collector, comparedRun({ traceId: "run-b", startMs: Date.now() - 90_000, version: "b" }));
    await post(collector, shippingRun("cached", Date.now() - 80_000));
    const { page } = await openPage(browser, `${collector.url}/traces`, { colorScheme });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/traces/agent-run?view=flame`);
      await page.getByRole("tree", { name: "Frames by time" }).getByText("compose_reply").waitFor();
      await page.getByRole("treeitem", { name: /^get_shipping_status/ }).click();
      await shoot(page, `trace-flame-${width}`);
      await page.goto(`${collector.url}/traces/agent-run?view=flame`);
      await page.getByRole("treeitem", { name: /^plan_resolution/ }).click();
      // On a narrow page the frame's pane covers the switch.
      for (let times = 0; times < 2; times++) await page.keyboard.press("t");
      await page.getByText("read from the cache", { exact: true }).waitFor();
      await page.getByRole("table", { name: "What the cost is made of" }).waitFor();
      await shoot(page, `trace-flame-cost-${width}`);
      await page.goto(`${collector.url}/traces/agent-run?view=graph`);
      await page.locator("[data-node]").first().waitFor();
      await shoot(page, `trace-graph-${width}`);
      await page.goto(`${collector.url}/traces/cached?span=summarise&tab=context`);
      await page.getByRole("tabpanel").getByText("track_parcel").first().waitFor();
      await shoot(page, `trace-context-${width}`);
      await page.goto(`${collector.url}/traces/run-b?span=run-b-11&tab=tools`);
      await page.getByRole("tabpanel").waitFor();
      await shoot(page, `trace-tools-${width}`);
      await page.goto(`${collector.url}/traces/agent-run`);
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("menuitem", { name: /^Web page/ }).waitFor();
      await shoot(page, `trace-share-${width}`);
      await page.keyboard.press("Escape");
    }
    const file = await fetch(`${collector.url}/v1/traces/agent-run/export?format=html`);
    const shared = await file.text();
    await page.goto("about:blank");
    await page.setContent(shared);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await shoot(page, `shared-page-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme, forcedColors: "active" });
    for (const view of ["flame", "graph"]) {
      await page.goto(`${collector.url}/traces/agent-run?view=${view}`);
      await page.getByText("compose_reply").or(page.locator("[data-node]")).first().waitFor();
      await shoot(page, `trace-${view}-forced`);
    }
  });

  it("groups and sessions", async () => {
    const collector = await collectorForTest();
    await fill(collector);
    for (const [index, question] of SAID.entries()) {
      const run = supportRun({
        traceId: `said-${index}`,
        startMs: Date.now() - (index + 2) * 50_000,
        question,
      });
      const said = { session_id: `sess_${5000 + (index % 4)}`, user_id: `u_${index % 3}` };
      const of = (span: (typeof run)[number]) => (span.parent_span_id === null ? said : {});
      await post(
        collector,
        run.map((span) => ({ ...span, attributes: { ...span.attributes, ...of(span) } })),
      );
    }
    await post(collector, agentRun("agent-run", Date.now() - 60_000));
    const { page } = await openPage(browser, `${collector.url}/traces`, { colorScheme });
    const since = new Date(Date.now() - 7 * 60_000).toISOString();
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/traces?group_by=agent&order=cost&since=${since}`);
      await page.getByRole("grid", { name: "Traces by Agent" }).getByText("mail-agent").waitFor();
      await shoot(page, `groups-${width}`);
      await page.goto(`${collector.url}/sessions`);
      await page.getByRole("grid", { name: "Sessions" }).getByText("u_1093").first().waitFor();
      await shoot(page, `sessions-${width}`);
      for (const key of ["ArrowDown", "x", "Shift+ArrowDown"]) await page.keyboard.press(key);
      await page.getByRole("button", { name: "User", exact: true }).click();
      await page.getByRole("option", { name: "u_1093" }).waitFor();
      await shoot(page, `sessions-selected-${width}`);
      await page.getByRole("option", { name: "u_1093" }).click();
      await page.getByRole("button", { name: "Columns" }).click();
      await shoot(page, `sessions-columns-${width}`);
      await page.goto(`${collector.url}/sessions/sess_4821`);
      await page.getByRole("article", { name: "Turn 1" }).waitFor();
      await shoot(page, `session-${width}`);
    }
    const [root, ...steps] = shippingRun("cached", Date.now() - 30_000);
    const said = {
      session_id: "sess_cached",
      input_text: "Where is my parcel? My number is [PHONE_NUMBER].",
    };
    await post(collector, [{ ...root, attributes: { ...root?.attributes, ...said } }, ...steps]);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/sessions/sess_cached`);
      await page.getByRole("article", { name: "Turn 1" }).click();
      // Where there is no room for the pane, the foot tells of redactions.
      if (width > 900) await page.getByRole("link", { name: /Cache broke/ }).waitFor();
      else await page.getByText("1 redaction").waitFor();
      await shoot(page, `session-cache-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${collector.url}/sessions/sess_4821`);
    const last = page.getByRole("article").last();
    await last.getByRole("button", { name: /^What happened/ }).click();
    await last.getByRole("listitem").first().waitFor();
    await shoot(page, "session-unfolded");
    await page.getByRole("button", { name: "Evaluate the session" }).click();
    await page.getByRole("menuitem", { name: "relevance" }).waitFor();
    await shoot(page, "session-evaluate");
    await page.keyboard.press("Escape");
    await last.getByRole("button", { name: /^What happened/ }).click();
    for (const name of ["Activity", "Scores"])
      await page.getByRole("button", { name, exact: true, pressed: true }).click();
    await shoot(page, "session-texts-only");
    await page.keyboard.press("/");
    await page.getByRole("textbox", { name: "Search inside this session" }).fill("Lyon");
    await page.getByRole("search").getByText(/of \d/).waitFor();
    await shoot(page, "session-search");
  });

  it("several tenants", async () => {
    const collector = await collectorForTest({ MULTI_TENANT_ENABLED: "true" });
    await fill(collector, ["acme", "globex", "initech"]);
    const { page } = await openPage(browser, `${collector.url}/traces`, { colorScheme });
    await page.getByRole("columnheader", { name: "Tenant" }).waitFor();
    await shootSizes(page, "traces-tenants");
    await page.goto(`${collector.url}/traces?tenant=globex`);
    await page.getByRole("button", { name: /^Tenant/ }).click();
    await shoot(page, "traces-one-tenant");
    await page.goto(`${collector.url}/traces/support-5?span=support-5-13&view=timeline`);
    await page.getByRole("treegrid", { name: "Spans" }).waitFor();
    await shoot(page, "trace-tenant");
  });

  it("two runs beside each other", async () => {
    const collector = await collectorForTest();
    const nowMs = Date.now();
    await post(collector, comparedRun({ traceId: "run-a", startMs: nowMs - 1_500_000, version: "a" }));
    await post(collector, comparedRun({ traceId: "run-b", startMs: nowMs - 60_000, version: "b" }));
    const { page } = await openPage(browser, `${collector.url}/compare?b=run-b`, { colorScheme });
    const steps = page.getByRole("grid", { name: "Steps of both runs" });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/compare?a=run-a&b=run-b`);
      await steps.getByRole("row", { name: /compose_reply/ }).click();
      await page.getByRole("tabpanel").locator("ins").first().waitFor();
      await shoot(page, `compare-${width}`);
      await page.keyboard.press("2");
      await page.getByRole("region", { name: "System prompt" }).locator("ins").first().waitFor();
      await shoot(page, `compare-prompts-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("u");
    await shoot(page, "compare-unified");
    await page.keyboard.press("u");
    await page.getByRole("button", { name: "Choose run A" }).click();
    await page.getByText("its latest run").first().waitFor();
    await shoot(page, "compare-choose");
    await page.goto(`${collector.url}/compare?b=run-a`);
    await page.getByRole("heading", { name: "No earlier run of this name" }).waitFor();
    await shoot(page, "compare-alone");
    await page.goto(`${collector.url}/compare?a=gone&b=run-a`);
    await page.getByRole("heading", { name: "One of the runs is gone" }).waitFor();
    await shoot(page, "compare-gone");
  });

  it("one trace", async () => {
    const collector = await collectorForTest();
    await fill(collector);
    const { page } = await openPage(browser, `${collector.url}/traces/support-5`, { colorScheme });
    const rows = page.getByRole("treegrid", { name: "Spans" });
    // A model call with its conversation.
    for (const view of ["timeline", "tree"]) {
      await page.goto(`${collector.url}/traces/support-5?view=${view}&span=support-5-13`);
      await rows.waitFor();
      await shootSizes(page, `trace-${view}`);
      if (view === "timeline" && colorScheme === "dark") {
        await page.screenshot({ path: `${README_DIRECTORY}trace.png` });
      }
    }
    await page.goto(`${collector.url}/traces/support-5?span=support-5-11&view=timeline`);
    await rows.waitFor();
    await shoot(page, "trace-failed-span");
    for (const tab of ["attributes", "raw"]) {
      await page.goto(`${collector.url}/traces/support-5?span=support-5-13&view=timeline&tab=${tab}`);
      await rows.waitFor();
      await shoot(page, `trace-${tab}`);
    }
    await page.goto(`${collector.url}/traces/support-running?view=timeline`);
    await rows.waitFor();
    await shootSizes(page, "trace-running");
    await post(collector, agentRun("agent-run", Date.now() - 60_000));
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${collector.url}/traces/agent-run`);
      await page.getByRole("feed", { name: "Transcript" }).getByText("plan_resolution").waitFor();
      await shoot(page, `trace-transcript-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${collector.url}/traces/nowhere`);
    await page.getByText(/not in the store/).waitFor();
    await shoot(page, "trace-not-found");
  });
});
