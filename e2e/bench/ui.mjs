/**
 * How fast the app opens what is large, in Chromium: from the click to the frame that shows it. Each part is opened within the
 * app, for the first time after its start, and its data comes from a collector.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launchBrowser, post, tasksOf, traceTasks } from "./screen.mjs";
import { projectDirectory, startCollector } from "./servers.mjs";
import { median, printTable, show } from "./statistics.mjs";

/** The most kilobytes of compressed scripts before the first page. */
const MAX_SCRIPTS_KB = 220;
/** The app loads a page that is likely to be opened next while nothing else happens. */
const AT_REST_MS = 500;

/** What is opened, where the click is, what the frame must show, and the most milliseconds between them. */
const PARTS = [
  {
    name: "trace of 500 spans",
    goalMs: 150,
    target: (page) => rowOf(page, "large"),
    shown: "[role=treegrid] [role=row]",
  },
  {
    name: "transcript of 400 messages",
    goalMs: 150,
    target: (page) => rowOf(page, "talk"),
    shown: "[role=feed] article",
  },
  {
    name: "graph of 60 nodes",
    goalMs: 200,
    target: async (page) => {
      await openTrace(page, "agents");
      return page.getByRole("button", { name: "Graph" });
    },
    shown: "[data-node]",
  },
  {
    name: "comparison of 2 × 200 spans",
    goalMs: 200,
    target: async (page) => {
      await openTrace(page, "run-b");
      return page.getByRole("link", { name: "Compare with the previous run" });
    },
    shown: "[role=grid][aria-label='Steps of both runs'] [role=row]",
  },
];

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {string} [options.checkout] - a built checkout. Default: this one.
 */
export async function measureUi({ rounds, checkout = projectDirectory }) {
  const collector = await startCollector({ checkout });
  const url = `http://127.0.0.1:${collector.port}`;
  const browser = await launchBrowser();
  try {
    for (const spans of [largeTrace(), talk(), agents(), comparedRun("run-a"), comparedRun("run-b")])
      await post(url, spans);
    await collector.settled();
    const samples = PARTS.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, part] of PARTS.entries()) samples[index].push(await measurePart(browser, url, part));
    }
    const parts = PARTS.map(({ name, goalMs }, index) => ({
      name,
      goalMs,
      ms: median(samples[index].map(({ ms }) => ms)),
      leastMs: Math.min(...samples[index].map(({ ms }) => ms)),
      cpuMs: median(samples[index].map(({ busyMs }) => busyMs)),
      longestMs: median(samples[index].map(({ longestMs }) => longestMs)),
    }));
    return { rounds, parts, scriptsKb: scriptBytes(checkout) / 1000, load: loadavg()[0] };
  } finally {
    await browser.close();
    await collector.stop();
  }
}

async function measurePart(browser, url, { target, shown }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(`${url}/traces`);
    const clicked = await target(page);
    await clicked.waitFor();
    await page.waitForTimeout(AT_REST_MS);
    const devtools = await context.newCDPSession(page);
    let ms = 0;
    const events = await traceTasks(devtools, async () => {
      ms = await clicked.evaluate(clickUntilShown, shown);
    });
    return { ms, ...tasksOf(events) };
  } finally {
    await context.close();
  }
}

/** Runs in the page: milliseconds from the click until the frame with an element is drawn. */
async function clickUntilShown(element, selector) {
  const startedAt = performance.now();
  element.click();
  while (document.querySelector(selector) === null) await new Promise(requestAnimationFrame);
  // The task after a frame's callbacks comes when the frame is drawn.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - startedAt;
}

const rowOf = (page, traceId) => page.locator(`[role=row] a[href*="/traces/${traceId}"]`).first();

async function openTrace(page, traceId) {
  await rowOf(page, traceId).click();
  await page.getByRole("region", { name: "Spans" }).waitFor();
}

/** The compressed bytes of the scripts that the first page names. */
function scriptBytes(checkout) {
  const ui = join(checkout, "collector-core/ui");
  const page = readFileSync(join(ui, "index.html"), "utf8");
  const paths = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path);
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(join(ui, path))).length, 0);
}

/** A span of a trace that began a minute ago. */
function spanOf(traceId, id, { parent = "root", atMs = 0, ms = 5, ...fields }) {
  return {
    name: id,
    trace_id: traceId,
    span_id: `${traceId}-${id}`,
    parent_span_id: id === "root" ? null : `${traceId}-${parent}`,
    start_time: Date.now() - 60_000 + atMs,
    duration_ms: ms,
    ...fields,
  };
}

const rootOf = (traceId, ms) => spanOf(traceId, "root", { name: traceId, span_type: "agent", ms });

/** Numbers from 0. */
const numbers = (count) => Array.from({ length: count }, (_, index) => index);

const message = (role, content) => ({ role, parts: [{ type: "text", content }] });

function largeTrace() {
  const steps = numbers(499).map((index) =>
    spanOf("large", `s${index}`, {
      parent: index < 4 ? "root" : `s${Math.floor((index - 1) / 4)}`,
      span_type: index % 3 === 0 ? "llm" : "tool",
      atMs: index * 10,
      ms: 500 - index,
    }),
  );
  return [rootOf("large", 5000), ...steps];
}

/** 200 model calls; each has the last messages before it, one question and one answer more. */
function talk() {
  const said = [];
  const calls = numbers(200).map((index) => {
    said.push(
      message("user", `Where is order ${index}? It was due on Tuesday and **nobody** answers the phone.`),
    );
    const answer = message(
      "assistant",
      `Order ${index} is at the depot in Lyon:\n\n- four days late\n- comes *tomorrow*`,
    );
    const prompt = said.slice(-9);
    said.push(answer);
    const attributes = { model: "small", prompt_messages: prompt, completion_messages: [answer] };
    return spanOf("talk", `c${index}`, {
      name: "chat",
      span_type: "llm",
      atMs: index * 10,
      ms: 9,
      attributes,
    });
  });
  return [rootOf("talk", 2000), ...calls];
}

/** 60 nodes: a run, 8 agents that hand over to each other, 3 models and 48 tools. */
function agents() {
  const handOffs = numbers(8).map((index) =>
    spanOf("agents", `agent-${index}`, {
      parent: index < 3 ? "root" : `agent-${index - 3}`,
      span_type: "agent",
      atMs: index * 100,
      ms: 90,
      attributes: { agent: `agent-${index}` },
    }),
  );
  const calls = numbers(24).map((index) =>
    spanOf("agents", `c${index}`, {
      name: "chat",
      parent: `agent-${index % 8}`,
      span_type: "llm",
      attributes: { model: `model-${index % 3}` },
    }),
  );
  const tools = numbers(96).map((index) =>
    spanOf("agents", `t${index}`, {
      name: `tool-${index % 48}`,
      parent: `agent-${index % 8}`,
      span_type: "tool",
      attributes: { tool_name: `tool-${index % 48}` },
    }),
  );
  return [rootOf("agents", 1000), ...handOffs, ...calls, ...tools];
}

/** A run of 200 spans; every tenth step of the later one has another text. */
function comparedRun(traceId) {
  const steps = numbers(199).map((index) => {
    const isOther = traceId === "run-b" && index % 10 === 0;
    const answer = `Step ${index} found ${isOther ? "nothing" : "the order"} in the ${"large ".repeat(40)}table.`;
    return spanOf(traceId, `s${index}`, {
      name: `step-${index % 20}`,
      span_type: index % 2 === 0 ? "llm" : "tool",
      atMs: index * 10,
      ms: isOther ? 9 : 5,
      attributes:
        index % 2 === 0
          ? {
              model: "small",
              prompt_messages: [message("user", `Do step ${index}.`)],
              completion_messages: [message("assistant", answer)],
            }
          : { input_text: `{"step":${index}}`, output_text: answer },
    });
  });
  // The runs have one name; the earlier one is what the later is compared with.
  const root = { ...rootOf(traceId, 2000), name: "run" };
  const beforeMs = traceId === "run-a" ? 60_000 : 0;
  return [root, ...steps].map((span) => ({ ...span, start_time: span.start_time - beforeMs }));
}

/** @param {Awaited<ReturnType<typeof measureUi>>} results */
export function printUi({ rounds, parts, scriptsKb, load }) {
  console.log(`\nOpened in the app, medians of ${rounds}; load of the machine ${show(load)}`);
  printTable(
    ["", "goal ms", "ms", "least ms", "CPU ms", "longest task ms"],
    parts.map(({ name, goalMs, ms, leastMs, cpuMs, longestMs }) => [
      name,
      String(goalMs),
      ms,
      leastMs,
      cpuMs,
      longestMs,
    ]),
  );
  console.log(
    `Scripts before the first page: ${show(scriptsKb)} kB compressed; the goal is ${MAX_SCRIPTS_KB}`,
  );
}

/**
 * @param {Awaited<ReturnType<typeof measureUi>>} results
 * @returns {string[]}
 */
export function missedOfUi({ parts, scriptsKb }) {
  const late = parts.filter(({ ms, goalMs }) => ms > goalMs);
  return [
    ...late.map(({ name, ms, goalMs }) => `  ui, ${name}: ${show(ms)} ms, goal ${goalMs}`),
    ...(scriptsKb > MAX_SCRIPTS_KB ? [`  ui, scripts: ${show(scriptsKb)} kB, goal ${MAX_SCRIPTS_KB}`] : []),
  ];
}
