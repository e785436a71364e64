/** Reads from the collector what arrived of an app. */
import { setTimeout as sleep } from "node:timers/promises";

const COLLECTOR_URL = process.env.COLLECTOR_URL ?? "http://127.0.0.1:8080";

/**
 * The traces of a service, once the collector has a number of spans of it; sooner if the time limit passes. The collector
 * processes spans shortly after it accepts them.
 *
 * @param {string} service
 * @param {number} spanCount
 * @param {number} withinMs
 * @returns {Promise<Trace[]>}
 */
export async function tracesOf(service, spanCount, withinMs = 10_000) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const traces = await readTraces(service);
    const arrived = traces.reduce((sum, { spans }) => sum + spans.length, 0);
    if (arrived >= spanCount || Date.now() > deadline) return traces;
    await sleep(50);
  }
}

/** @typedef {{ spans: Span[] }} Trace */
/** @typedef {{ span_id: string, parent_span_id?: string, name: string, span_type: string, status: string, attributes: Record<string, unknown> }} Span */

async function readTraces(service) {
  const { traces } = await getJson(`/v1/traces?service=${encodeURIComponent(service)}&limit=100`);
  return await Promise.all(traces.map(({ trace_id }) => getJson(`/v1/traces/${trace_id}`)));
}

async function getJson(path) {
  const response = await fetch(COLLECTOR_URL + path);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}
