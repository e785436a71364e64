import { describe, expect, it } from "vitest";
import { ErrorGroups } from "../../src/analysis/error-groups.js";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { newSpan, START_MS } from "./spans.js";

function failed(traceId: string, startMs: number, message: string, fields: Partial<NormalizedSpan> = {}) {
  return newSpan(`${traceId}-${startMs}`, null, startMs, 10, {
    trace_id: traceId,
    name: "lookup",
    span_type: "tool",
    status: "ERROR",
    attributes: { tool_name: "orders", error_type: "internal", error_message: message },
    ...fields,
  });
}

describe("errors are grouped by type and shape of message", () => {
  it("counts spans and traces, with the newest as the example", () => {
    const groups = new ErrorGroups();
    groups.add(failed("a", 200, "order 7 not found"), "");
    groups.add(failed("a", 300, "order 8 not found"), "");
    groups.add(failed("b", 100, "order 9 not found"), "");
    // The same id of another tenant is another trace.
    groups.add(failed("b", 50, "order 10 not found"), "acme");
    groups.add(failed("c", 900, "no answer"), "");
    expect(groups.list()).toMatchObject([
      {
        shape: "order # not found",
        type: "internal",
        spans: 4,
        traces: 3,
        places: new Set(["tool orders"]),
        firstTime: new Date(START_MS + 50).toISOString(),
        lastTime: new Date(START_MS + 300).toISOString(),
        example: { traceId: "a", spanId: "a-300", name: "lookup", message: "order 8 not found" },
      },
      { shape: "no answer", spans: 1, traces: 1 },
    ]);
  });

  it("lists the newest first among those of the same size", () => {
    const groups = new ErrorGroups();
    groups.add(failed("a", 100, "one"), "");
    groups.add(failed("b", 300, "two"), "");
    groups.add(failed("c", 200, "three"), "");
    expect(groups.list().map(({ shape }) => shape)).toEqual(["two", "three", "one"]);
  });

  it("keeps copies of parts of a message, not the message", () => {
    const copied: string[] = [];
    const groups = new ErrorGroups((text) => {
      copied.push(text);
      return text.toUpperCase();
    });
    groups.add(failed("a", 100, "x".repeat(100_000)), "");
    const [group] = groups.list();
    expect([group?.shape, group?.example.message]).toEqual(copied.map((text) => text.toUpperCase()));
    expect(copied.map(({ length }) => length)).toEqual([200, 500]);
  });

  it("does not count what succeeded, a propagated error or a failed evaluation", () => {
    const groups = new ErrorGroups();
    groups.add(failed("a", 100, "late", { status: "OK" }), "");
    groups.add(failed("a", 100, "late", { error_propagated: true }), "");
    groups.add(failed("a", 100, "late", { span_type: "evaluation" }), "");
    expect(groups.list()).toEqual([]);
  });
});
