import type { TraceSummary } from "../../api-schema/trace.js";

/** Traces that are remembered: those that end soon, and those that were shown. */
const MAX_TRACES = 10_000;

/**
 * Decides when a trace is shown: once when it runs, and once when it has ended. Spans of an ended trace may arrive one after the
 * other, so that it has ended when nothing has changed between two ticks. It is shown again if it changes later.
 */
export class TailState {
  readonly #ended = new Map<string, { readonly trace: TraceSummary; isOld: boolean }>();
  readonly #shown = new Map<string, string>();

  /** A trace is new or has changed. @returns the traces to show now. */
  changed(trace: TraceSummary): TraceSummary[] {
    const key = keyOf(trace);
    this.#ended.delete(key);
    if (trace.running) return this.#shown.has(key) ? [] : this.#show(key, trace);
    this.#ended.set(key, { trace, isOld: false });
    if (this.#ended.size <= MAX_TRACES) return [];
    const [oldest] = this.#ended;
    return oldest === undefined ? [] : this.#end(oldest[0], oldest[1].trace);
  }

  /** Some time is over. @returns the traces to show now. */
  tick(): TraceSummary[] {
    const old = [...this.#ended].filter(([, entry]) => entry.isOld);
    for (const entry of this.#ended.values()) entry.isOld = true;
    return old.flatMap(([key, { trace }]) => this.#end(key, trace));
  }

  #end(key: string, trace: TraceSummary): TraceSummary[] {
    this.#ended.delete(key);
    return this.#shown.get(key) === stateOf(trace) ? [] : this.#show(key, trace);
  }

  #show(key: string, trace: TraceSummary): TraceSummary[] {
    this.#shown.delete(key);
    this.#shown.set(key, stateOf(trace));
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_TRACES && oldest !== undefined) this.#shown.delete(oldest);
    return [trace];
  }
}

function keyOf({ tenant, trace_id: id }: TraceSummary): string {
  return JSON.stringify([tenant, id]);
}

/** What a line shows. Scores come later, and are no reason for another line. */
function stateOf({ status, root_name: name, span_count: spans, error_count: errors }: TraceSummary): string {
  return JSON.stringify([status, name, spans, errors]);
}
