/** The traces that arrived at the collector, as lines that a check compares. */
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {object} Span
 * @property {string} span_id
 * @property {string | null} [parent_span_id]
 * @property {string} name
 * @property {string} span_type
 * @property {string} status
 * @property {string} start_time - as RFC 3339, with the time zone Z.
 * @property {Record<string, unknown>} attributes
 */

/** The address of the collector that the project sends to. */
export const COLLECTOR_URL = process.env.COLLECTOR_URL ?? "http://127.0.0.1:8080";

/**
 * All traces of a service, each as the lines of its spans: `llm chat gpt-5-mini 15+20`, with the tokens of a model call and the
 * status of a failed span. Children are indented below their parents. The line of a span whose parent is not in the
 * trace starts with the parent's id.
 *
 * @param {string} service
 * @returns {Promise<string[][]>} in the order of their lines.
 */
export async function tracesOf(service) {
  const { traces } = await getJson(`/v1/traces?service=${encodeURIComponent(service)}&limit=200`);
  const details = await Promise.all(
    traces.map((/** @type {{ trace_id: string }} */ { trace_id }) => getJson(`/v1/traces/${trace_id}`)),
  );
  return details.map(({ spans }) => linesOf(spans)).sort(byText);
}

/**
 * Waits until a service has exactly these traces, in any order.
 *
 * @param {string} service
 * @param {string[][]} expected - the lines of each trace, as {@link tracesOf} returns them.
 * @param {number} withinMs
 */
export async function untilTraces(service, expected, withinMs = 60_000) {
  const wanted = JSON.stringify([...expected].sort(byText));
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await tracesOf(service);
    if (JSON.stringify(found) === wanted) return;
    if (Date.now() > deadline)
      throw new Error(`The traces of ${service} are:\n${show(found)}\nThey should be:\n${show(expected)}`);
    await sleep(50);
  }
}

/** @param {readonly Span[]} spans */
function linesOf(spans) {
  const sorted = [...spans].sort((left, right) => byTime(left.start_time, right.start_time));
  const ids = new Set(spans.map(({ span_id }) => span_id));
  /** @type {string[]} */
  const lines = [];
  const add = (/** @type {Span} */ span, /** @type {number} */ depth, mark = "") => {
    lines.push("  ".repeat(depth) + mark + lineOf(span));
    for (const child of sorted) if (child.parent_span_id === span.span_id) add(child, depth + 1);
  };
  for (const span of sorted) {
    const parentId = span.parent_span_id ?? undefined;
    if (parentId === undefined) add(span, 0);
    else if (!ids.has(parentId)) add(span, 0, `${parentId} > `);
  }
  return lines;
}

/**
 * The order of two times, to the last digit of their fractions.
 *
 * @param {string} left
 * @param {string} right
 */
export function byTime(left, right) {
  const [first, second] = [left, right].map((time) => time.replace("Z", "").split("."));
  return byText([first[0]], [second[0]]) || Number(`0.${first[1] ?? 0}`) - Number(`0.${second[1] ?? 0}`);
}

/** @param {Span} span */
function lineOf({ span_type, name, status, attributes }) {
  const { tokens_input, tokens_output } = attributes;
  const tokens = tokens_input === undefined ? "" : ` ${tokens_input}+${tokens_output}`;
  return `${span_type} ${name}${tokens}${status === "OK" ? "" : ` ${status}`}`;
}

/** @param {readonly string[]} left @param {readonly string[]} right */
function byText(left, right) {
  const [first, second] = [left.join("\n"), right.join("\n")];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** @param {readonly string[][]} traces */
function show(traces) {
  return traces.length === 0 ? "  none" : traces.map((lines) => `  ${lines.join("\n  ")}`).join("\n  --\n");
}

/** @param {string} path */
async function getJson(path) {
  const response = await fetch(COLLECTOR_URL + path);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}
