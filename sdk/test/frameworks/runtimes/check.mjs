/**
 * Runs each cell of the matrix. With the variable OBSPAN_WRITE_MATRIX, and without a failure, it writes the table of
 * docs/guide/register.md. OBSPAN_RUNTIMES names the runtimes to check, separated by commas.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { programOf } from "../check/npx-program.mjs";
import { buildForm } from "./build-forms.mjs";
import { CELLS, ENDS, FORMS } from "./cells.mjs";
import { EXPECTED_AI_SDK_TRACES, EXPECTED_CALLS, startModelServer } from "./model-server.mjs";
import { withTable } from "./page-table.mjs";
import { tracesOf } from "./read-traces.mjs";
import { ROOT } from "./repository.mjs";
import { runApp } from "./run-app.mjs";

declareSdk();
const model = await startModelServer();
const folders = new Map();
for (const form of FORMS) folders.set(form.name, await buildForm(form));

/**
 * The runs of a cell: each end with a trace for each call, then all calls in one trace, then the calls of the AI SDK with register
 * and with the integration that the app registers itself.
 */
const runsOn = ({ ends = [] }) => [
  ...[...ENDS, ...ends].map((end) => ({ entry: "app", end, expected: EXPECTED_CALLS.map((call) => [call]) })),
  { entry: "traced", end: ENDS[0], expected: [["shop", ...EXPECTED_CALLS.map((call) => `  ${call}`)]] },
  { entry: "ai-sdk", end: ENDS[0], expected: EXPECTED_AI_SDK_TRACES },
  { entry: "ai-sdk-registered", end: ENDS[0], expected: EXPECTED_AI_SDK_TRACES, load: [] },
];

/** How often a run is tried while the machine is too busy for it. */
const MAX_TRIES = 5;

/** @returns {Promise<string[]>} what is wrong. */
async function checkCell(cell) {
  const problems = [];
  for (const run of runsOn(cell.runtime)) {
    for (let tries = 1; ; tries += 1) {
      const { isTooSoon, wrong } = await checkRun(cell, run, tries);
      if (isTooSoon && tries < MAX_TRIES) continue;
      if (wrong !== "") problems.push(`${run.entry}, ${run.end}: ${wrong}`);
      break;
    }
  }
  return problems;
}

/** Runs the app once, and compares its traces. */
async function checkRun({ runtime, form }, { entry, end, expected, load = runtime.load }, tries) {
  const service = [runtime.name, form.name, entry, end, tries].join(" ").replaceAll(/\W+/g, "-");
  const file = join(folders.get(form.name), `${entry}.${form.extension}`);
  const args = [...(runtime.run ?? []), ...(form.hasRegister ? [] : load), file];
  const env = {
    MODEL_URL: model.url,
    OBS_SERVICE: service,
    OBS_PUSH_URL: process.env.COLLECTOR_URL,
    OBS_PROVIDER_HOSTS: new URL(model.url).host,
  };
  const { isTooSoon, wrong = "" } = await runApp(await programOf(runtime.program), args, env, end);
  if (isTooSoon) return { isTooSoon, wrong };
  const traces = await tracesOf(service, expected.flat().length);
  const found = inOrder(traces.map((trace) => linesOf(trace)));
  return { isTooSoon, wrong: found === inOrder(expected) ? wrong : `${wrong} the traces are\n${found}` };
}

/** Traces as text, in an order that does not depend on time. */
function inOrder(traces) {
  return traces
    .map((lines) => lines.join("\n"))
    .sort()
    .join("\n");
}

/** Adds the installed SDK to package.json, as `npm install` does. Deno finds only what is named there. */
function declareSdk() {
  const { version } = JSON.parse(readFileSync("node_modules/@obspan/sdk/package.json", "utf8"));
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  manifest.dependencies["@obspan/sdk"] = version;
  writeFileSync("package.json", JSON.stringify(manifest));
}

/** The spans of a trace, children below their parents. */
function linesOf({ spans }, parent = undefined) {
  return spans
    .filter(({ parent_span_id }) => (parent_span_id ?? undefined) === parent?.span_id)
    .flatMap((span) => [lineOf(span), ...linesOf({ spans }, span).map((line) => `  ${line}`)]);
}

function lineOf({ name, span_type, status, attributes: { model, tokens_input, tokens_output } }) {
  const text = span_type === "llm" ? `${name}: ${model}, ${tokens_input} + ${tokens_output} tokens` : name;
  return status === "OK" ? text : `${text}, ${status}`;
}

const only = process.env.OBSPAN_RUNTIMES?.split(",");
const cells = CELLS.filter(({ runtime }) => only?.includes(runtime.name) ?? true);
const waiting = [...cells];
let failed = 0;
async function work() {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
    const problems = await checkCell(cell);
    const isAsExpected = problems.length > 0 === (cell.limit !== undefined);
    if (!isAsExpected) failed += 1;
    const result = cell.limit === undefined ? problems : [`limit: ${cell.limit}`];
    console.log(
      [`${isAsExpected ? "ok" : "FAILED"} ${cell.runtime.name}, ${cell.form.name}`, ...result].join("\n  "),
    );
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
model.close();
console.log(`${cells.length - failed} of ${cells.length} cells as expected`);
if (failed > 0) process.exitCode = 1;
else if (process.env.OBSPAN_WRITE_MATRIX !== undefined && cells.length === CELLS.length) {
  const page = join(ROOT, "docs/guide/register.md");
  writeFileSync(page, withTable(readFileSync(page, "utf8")));
}
