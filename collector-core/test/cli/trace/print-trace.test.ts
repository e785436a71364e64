import { describe, expect, it } from "vitest";
import { readRun } from "../../../src/analysis/run.js";
import { buildSpanTree } from "../../../src/analysis/span-tree.js";
import type { TraceDetail } from "../../../src/api-schema/trace.js";
import { printOutline } from "../../../src/cli/trace/print-outline.js";
import { printStep } from "../../../src/cli/trace/print-step.js";
import { newSpan } from "../../analysis/spans.js";
import { keptOutput } from "../printed.js";

const tool = (attributes: Record<string, string>) =>
  newSpan("search", null, 0, 10, { span_type: "tool", status: "ERROR", attributes });

describe("contract 9: obspan trace", () => {
  it("shows the first line of an error whole", () => {
    const cause = "the index orders_2026 has no field customer_id, which the filter of the query names";
    const run = readRun(
      buildSpanTree([
        tool({ error_type: "timeout", error_message: `${cause}: ${"x".repeat(200)} end\n  at a.js` }),
      ]),
    );
    const trace = {
      root_name: "run",
      trace_id: "t",
      status: "OK",
      start_time: "2026-11-21T14:32:20Z",
      duration_ms: 10,
      span_count: 1,
      ...{ service: null, env: null, version: null, agent: null, session_id: null, user_id: null },
      ...{ tenant: null, ttft_ms: null, input_preview: null, output_preview: null, error_type: null },
      ...{ tokens_input: 0, tokens_output: 0, cost_usd: 0, llm_calls: 0, tool_calls: 0, error_count: 0 },
      ...{ dropped_spans: 0, models: [], scores: [] },
    };
    const output = keptOutput(60);
    printOutline({ trace } as unknown as TraceDetail, run, output);
    const [, errors = ""] = output.stdout.split("\nErrors\n");
    expect(errors.replace(/\s+/g, " ")).toContain(`#1 search: timeout: ${cause}: xxxx`);
    expect(errors.replace(/[^x]/g, "")).toHaveLength(201);
    expect(errors).toMatch(/x end …\n$/);
    for (const line of errors.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("names what went in and out of a step once", () => {
    const span = tool({ input_text: '{"id":1}', output_text: "nothing" });
    const run = readRun(buildSpanTree([span]));
    const [node] = run.steps;
    const output = keptOutput();
    if (node !== undefined) printStep(span, node, run, output);
    expect(output.stdout).toContain("── Input\n\n  ```\n");
    expect(output.stdout).toContain("── Output\n\n  ```\n  nothing\n");
  });
});
