import type { NormalizedSpan, TraceSummary } from "../../../src/api-schema/trace.js";
import type { RunOfTrace } from "../../../src/analysis/compare/compare-runs.js";
import { readRun } from "../../../src/analysis/run.js";
import { buildSpanTree } from "../../../src/analysis/span-tree.js";
import { newSpan, START_MS } from "../spans.js";

/** A summary with nothing in it. */
export function newSummary(fields: Partial<TraceSummary> = {}): TraceSummary {
  return {
    trace_id: "t",
    tenant: "",
    root_name: "run",
    service: "shop",
    env: "production",
    version: null,
    agent: null,
    session_id: null,
    user_id: null,
    models: [],
    providers: [],
    tools: [],
    prompts: [],
    status: "OK",
    error_type: null,
    error_count: 0,
    start_time: new Date(START_MS).toISOString(),
    duration_ms: 1000,
    ttft_ms: null,
    span_count: 1,
    llm_calls: 0,
    tool_calls: 0,
    tokens_input: 0,
    tokens_output: 0,
    cost_usd: 0,
    cost_source: null,
    scores: [],
    input_preview: null,
    output_preview: null,
    dropped_spans: 0,
    running: false,
    partial: false,
    ...fields,
  };
}

/** The run of some spans. */
export function runOf(spans: readonly NormalizedSpan[], fields: Partial<TraceSummary> = {}): RunOfTrace {
  return { trace: newSummary(fields), run: readRun(buildSpanTree(spans)) };
}

/** A step of a run in these tests. */
export type Step =
  | { readonly tool: string; readonly with?: string; readonly gives?: string; readonly error?: string }
  | { readonly model: string; readonly says?: string; readonly system?: string; readonly asks?: string };

/** The spans of an agent that takes steps one after the other, 100 ms each. */
export function spansOf(steps: readonly Step[], id = "s"): NormalizedSpan[] {
  return [
    newSpan(`${id}-root`, null, 0, steps.length * 100, { name: "agent", span_type: "agent" }),
    ...steps.map((step, index) => spanOf(step, `${id}${index}`, `${id}-root`, index * 100)),
  ];
}

/** The run of an agent that takes steps one after the other. */
export function stepsRun(steps: readonly Step[], id = "s"): RunOfTrace {
  return runOf(spansOf(steps, id), { trace_id: id });
}

function spanOf(step: Step, id: string, parent: string, startMs: number): NormalizedSpan {
  if ("tool" in step) {
    const { tool, with: input, gives, error } = step;
    return newSpan(id, parent, startMs, 100, {
      name: tool,
      span_type: "tool",
      status: error === undefined ? "OK" : "ERROR",
      attributes: {
        ...(input === undefined ? {} : { input_text: input }),
        ...(gives === undefined ? {} : { output_text: gives }),
        ...(error === undefined ? {} : { error_message: error }),
      },
    });
  }
  const { model, says = "", system, asks } = step;
  return newSpan(id, parent, startMs, 100, {
    name: "answer",
    span_type: "llm",
    attributes: {
      model,
      prompt_messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...(asks === undefined ? [] : [{ role: "user", content: asks }]),
      ],
      completion_text: says,
    },
  });
}
