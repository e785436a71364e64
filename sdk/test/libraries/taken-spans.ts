import { expect } from "vitest";
import { takeSpans } from "../../src/index.js";
import type { Span } from "../../src/wire/index.js";

/** A recorded span with its attributes. */
export type TakenSpan = Span & { attributes: NonNullable<Span["attributes"]> };

/** Takes the recorded spans in the order of their start. */
export function takeAll(): TakenSpan[] {
  return takeSpans()
    .map((span) => ({ ...span, attributes: span.attributes ?? {} }))
    .sort((a, b) => Number(a.start_time) - Number(b.start_time));
}

/** Waits for the end of a trace, and takes its spans: some libraries end the outer spans after they have answered. */
export async function takeTrace(): Promise<TakenSpan[]> {
  const spans: TakenSpan[] = [];
  for (let attempt = 0; attempt < 200; attempt += 1) {
    spans.push(...takeAll());
    if (spans.some((span) => (span.parent_span_id ?? null) === null)) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return spans.sort((a, b) => Number(a.start_time) - Number(b.start_time));
}

/** The spans as lines, indented by their depth: `llm chat gpt-5`, with the status of those that failed. */
export function treeOf(spans: readonly TakenSpan[]): string[] {
  const lines: string[] = [];
  const visit = (parent: string | null | undefined, depth: number): void => {
    for (const span of spans) {
      if ((span.parent_span_id ?? null) !== (parent ?? null)) continue;
      const status = span.status === undefined || span.status === "OK" ? "" : ` ${span.status}`;
      const aborted = span.attributes["aborted"] === true ? " aborted" : "";
      const propagated = span.error_propagated === true ? " propagated" : "";
      lines.push(`${"  ".repeat(depth)}${span.span_type ?? ""} ${span.name}${status}${propagated}${aborted}`);
      visit(span.span_id, depth + 1);
    }
  };
  visit(undefined, 0);
  expect(lines).toHaveLength(spans.length);
  expect(new Set(spans.map((span) => span.trace_id)).size).toBeLessThanOrEqual(1);
  return lines;
}

/** The spans of one type. */
export function ofType(spans: readonly TakenSpan[], type: string): TakenSpan[] {
  return spans.filter((span) => span.span_type === type);
}
