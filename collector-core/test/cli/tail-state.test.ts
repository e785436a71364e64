import { expect, it } from "vitest";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { TailState } from "../../src/cli/tail/tail-state.js";

function trace(id: string, fields: Partial<TraceSummary> = {}): TraceSummary {
  const summary: Partial<TraceSummary> = {
    trace_id: id,
    tenant: "",
    root_name: "run",
    status: "OK",
    running: false,
    span_count: 1,
    error_count: 0,
    scores: [],
    ...fields,
  };
  return summary as TraceSummary;
}

it("contract 9: obspan tail shows a trace when it runs, and when it has ended and is complete", () => {
  const state = new TailState();
  const running = trace("a", { status: "RUNNING", running: true });
  expect(state.changed(running)).toEqual([running]);
  expect(state.changed({ ...running, span_count: 2 })).toEqual([]);

  // Its spans arrive one after the other.
  expect(state.changed(trace("a", { span_count: 3 }))).toEqual([]);
  expect(state.tick()).toEqual([]);
  const ended = trace("a", { span_count: 4 });
  expect(state.changed(ended)).toEqual([]);
  expect(state.tick()).toEqual([]);
  expect(state.tick()).toEqual([ended]);
  expect(state.tick()).toEqual([]);

  // A score is no reason for another line, a late span is.
  state.changed({ ...ended, scores: [{ type: "relevance", score: 1, label: null }] });
  expect([...state.tick(), ...state.tick()]).toEqual([]);
  const late = trace("a", { span_count: 5 });
  state.changed(late);
  expect([...state.tick(), ...state.tick()]).toEqual([late]);
  expect(state.changed(trace("a", { tenant: "other", running: true }))).toHaveLength(1);
});

it("contract 9: obspan tail keeps a bounded number of traces", () => {
  const state = new TailState();
  let shown = 0;
  for (let index = 0; index < 25_000; index++) shown += state.changed(trace(`t${index}`)).length;
  expect(shown).toBe(15_000);
  state.tick();
  expect(state.tick()).toHaveLength(10_000);
});
