/**
 * The list of traces in Chromium, with 10,000 stored traces and 200 spans arriving a second. The tasks of the page's main
 * thread are read from the browser's trace.
 */
import { existsSync } from "node:fs";
import { chromium } from "playwright";
import { startCollector } from "./servers.mjs";
import { printTable, quantile, show } from "./statistics.mjs";

const TRACES = 10_000;
const SPANS_PER_TRACE = 4;
const SPANS_PER_SECOND = 200;
/** Traces a second; a batch is one trace. */
const BATCHES_PER_SECOND = SPANS_PER_SECOND / SPANS_PER_TRACE;
/** One frame at 60 Hz; a task above it costs at least one frame. */
const FRAME_MS = 1000 / 60;
/** A long task as browsers define it, and the bar. */
const LONG_MS = 50;
const BAR_MS = 100;

const SYSTEM_CHROMIUM = "/usr/bin/chromium";
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** The modes of the list while traces arrive. */
const MODES = {
  follow: async () => {},
  "scrolled away": async (page) => {
    for (let step = 0; step < 6; step++) await page.keyboard.press("PageDown");
  },
  paused: async (page) => await page.getByRole("button", { name: "Pause" }).click(),
  scrolling: async () => {},
};

/**
 * @param {object} options
 * @param {number} options.seconds - in each mode.
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 * @returns {Promise<object[]>}
 */
export async function measureScreen({ seconds, checkout }) {
  const collector = await startCollector({ checkout });
  const url = `http://127.0.0.1:${collector.port}`;
  const browser = await launchBrowser();
  try {
    for (let sent = 0; sent < TRACES; sent += 100)
      await post(url, Array.from({ length: 100 }, () => traceSpans()).flat());
    await collector.settled();
    const rows = [];
    for (const mode of Object.keys(MODES)) rows.push(await measureMode(browser, url, mode, seconds));
    return rows;
  } finally {
    await browser.close();
    await collector.stop();
  }
}

/** The whole browser of the system, where there is one. */
export async function launchBrowser() {
  const executable = existsSync(SYSTEM_CHROMIUM) ? { executablePath: SYSTEM_CHROMIUM } : {};
  return await chromium.launch({ ...executable, args: ARGUMENTS });
}

async function measureMode(browser, url, mode, seconds) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/traces`);
  await page.getByRole("grid", { name: "Traces" }).focus();
  await page.getByRole("row").nth(5).waitFor();
  const stopLoad = startLoad(url);
  try {
    // The first seconds are the start of the page.
    await page.waitForTimeout(2000);
    await MODES[mode](page);
    await page.evaluate(watch);
    const devtools = await context.newCDPSession(page);
    const events = await traceTasks(devtools, async () => {
      if (mode === "scrolling") await scroll(page, seconds);
      else await page.waitForTimeout(seconds * 1000);
    });
    const { frames, updates, elapsedMs } = await page.evaluate(() => globalThis.watched());
    await devtools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await devtools.send("Runtime.getHeapUsage");
    return { mode, ...tasksOf(events), frames, updates, elapsedMs, heapMb: usedSize / 1e6 };
  } finally {
    stopLoad();
    await context.close();
  }
}

/** Runs in the page: counts its frames, and in how many of them the rows changed. */
function watch() {
  const startedAt = performance.now();
  let frames = 0;
  let updates = 0;
  let hasChanged = false;
  new MutationObserver(() => (hasChanged = true)).observe(
    document.querySelector("[role=grid] [role=rowgroup]"),
    {
      childList: true,
    },
  );
  const frame = () => {
    frames++;
    if (hasChanged) updates++;
    hasChanged = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.watched = () => ({ frames, updates, elapsedMs: performance.now() - startedAt });
}

/** Scrolls continuously, down and up. */
async function scroll(page, seconds) {
  const until = performance.now() + seconds * 1000;
  await page.mouse.move(700, 500);
  for (let step = 0; performance.now() < until; step++) {
    await page.mouse.wheel(0, step % 200 < 100 ? 160 : -160);
    await page.waitForTimeout(FRAME_MS);
  }
}

/** The browser's trace of tasks while `during` runs: https://chromedevtools.github.io/devtools-protocol/tot/Tracing/ */
export async function traceTasks(devtools, during) {
  const events = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "devtools.timeline"] },
  });
  await during();
  const complete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.end");
  await complete;
  return events;
}

/**
 * Tasks of the thread that draws the page: the renderer's main thread with most work in it. They are counted by processor
 * time, which says what the page asks for; how long they took by the clock says as much about what else the machine did.
 */
export function tasksOf(events) {
  const mains = new Set(
    events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(threadOf),
  );
  const byThread = new Map();
  for (const event of events) {
    if (event.name !== "RunTask" || event.dur === undefined || !mains.has(threadOf(event))) continue;
    const tasks = byThread.get(threadOf(event)) ?? [];
    byThread.set(threadOf(event), tasks);
    tasks.push({ ms: event.dur / 1000, cpuMs: (event.tdur ?? event.dur) / 1000 });
  }
  const sum = (tasks) => tasks.reduce((total, { cpuMs }) => total + cpuMs, 0);
  const [tasks = []] = [...byThread.values()].sort((a, b) => sum(b) - sum(a));
  const sorted = Float64Array.from(tasks, ({ cpuMs }) => cpuMs).sort();
  const over = (limitMs) => tasks.filter(({ cpuMs }) => cpuMs > limitMs).length;
  return {
    busyMs: sum(tasks),
    longestMs: sorted.at(-1) ?? 0,
    longestWallMs: Math.max(0, ...tasks.map(({ ms }) => ms)),
    p99Ms: quantile(sorted, 0.99),
    overFrame: over(FRAME_MS),
    overLong: over(LONG_MS),
    overBar: over(BAR_MS),
  };
}

const threadOf = ({ pid, tid }) => `${pid} ${tid}`;

/** Sends traces at fixed moments until it is stopped. */
function startLoad(url) {
  const timer = setInterval(() => void post(url, traceSpans()), 1000 / BATCHES_PER_SECOND);
  return () => clearInterval(timer);
}

let traces = 0;

/** A run of an agent: a root, two model calls and a tool call, with texts as they are. */
function traceSpans() {
  const traceId = `bench-${traces++}`;
  const startMs = Date.now() - 1300;
  const span = (id, parent, offsetMs, durationMs, fields) => ({
    trace_id: traceId,
    span_id: `${traceId}-${id}`,
    parent_span_id: parent === null ? null : `${traceId}-${parent}`,
    start_time: startMs + offsetMs,
    duration_ms: durationMs,
    ...fields,
  });
  const model = (name) => ({
    name: "chat",
    span_type: "llm",
    attributes: { model: name, provider: "openai", tokens_input: 1840, tokens_output: 96, ttft_ms: 210 },
  });
  return [
    span("root", null, 0, 900 + (traces % 400), {
      name: ["support.resolve_ticket", "catalog.enrich", "sql.report"][traces % 3],
      span_type: "agent",
      status: traces % 17 === 0 ? "ERROR" : "OK",
      attributes: {
        agent: "support-agent",
        input_text: `Where is my order ${traces}? It was due on Tuesday and nobody answers the phone.`,
        output_text: "It is at the depot in Lyon and four days late.",
      },
    }),
    span("plan", "root", 10, 400, model("gpt-5-mini")),
    span("tool", "root", 420, 90, { name: "get_order", span_type: "tool" }),
    span("reply", "root", 520, 340, model("claude-sonnet-5")),
  ];
}

export async function post(url, spans) {
  const response = await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ service: "shop", env: "production", spans }),
  });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`POST /v1/telemetry answered ${response.status}.`);
}

/**
 * @param {Awaited<ReturnType<typeof measureScreen>>} rows
 * @returns {string[]} the modes with a task over the bar.
 */
export function missedOfScreen(rows) {
  return rows
    .filter(({ overBar }) => overBar > 0)
    .map(
      ({ mode, overBar, longestMs }) =>
        `  screen, ${mode}: ${overBar} tasks over ${BAR_MS} ms, ${show(longestMs)} ms`,
    );
}

/**
 * @param {Awaited<ReturnType<typeof measureScreen>>} rows
 * @param {number} seconds
 */
export function printScreen(rows, seconds) {
  console.log(
    `\nScreen, ${TRACES.toLocaleString("en")} traces, ${SPANS_PER_SECOND} spans arriving a second, ${seconds} s in each mode`,
  );
  printTable(
    [
      "",
      "CPU %",
      "p99 ms",
      "longest ms",
      "by the clock",
      "> 16 ms",
      "> 50 ms",
      "> 100 ms",
      "frames/s",
      "updates/s",
      "heap MB",
    ],
    rows.map(({ mode, elapsedMs, ...row }) => [
      mode,
      (row.busyMs / elapsedMs) * 100,
      row.p99Ms,
      row.longestMs,
      row.longestWallMs,
      String(row.overFrame),
      String(row.overLong),
      String(row.overBar),
      (row.frames / elapsedMs) * 1000,
      (row.updates / elapsedMs) * 1000,
      row.heapMb,
    ]),
  );
}
