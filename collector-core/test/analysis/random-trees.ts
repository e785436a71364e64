import fc from "fast-check";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { newSpan } from "./spans.js";

const TYPES = ["agent", "task", "llm", "tool", "retrieval", "embedding", "evaluation"];

/** A span of a random tree. */
interface RandomSpan {
  /** The parent, as a part of the spans before it; undefined for a root. */
  readonly parent: number | undefined;
  readonly startMs: number;
  readonly durationMs: number | null;
  readonly type: string;
  readonly name: string;
  readonly fails: boolean;
  readonly attributes: Readonly<Record<string, number | string>>;
}

/** None, or at least a billionth of a dollar: sums of the least numbers that a double has are not exact to a part of them. */
const cost = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 9, arbitrary: fc.double({ min: 1e-9, max: 1, noNaN: true }) },
);

const randomSpan = fc.record<RandomSpan>({
  parent: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined, freq: 8 }),
  startMs: fc.integer({ min: 0, max: 1000 }),
  durationMs: fc.option(fc.integer({ min: 0, max: 1000 }), { freq: 10 }),
  type: fc.constantFrom(...TYPES),
  name: fc.constantFrom("a", "b", "c", "mcp__files__read", "mcp__files__write"),
  fails: fc.boolean(),
  attributes: fc.record(
    {
      agent: fc.constantFrom("one", "two", "three"),
      model: fc.constantFrom("small", "large"),
      input_text: fc.constantFrom('{"x":1}', '{"x":2}'),
      tokens_input: fc.integer({ min: 0, max: 5000 }),
      tokens_output: fc.integer({ min: 0, max: 500 }),
      tokens_cached: fc.integer({ min: 0, max: 5000 }),
      cost_usd: cost,
      ttft_ms: fc.integer({ min: 0, max: 2000 }),
    },
    { requiredKeys: [] },
  ),
});

/** The spans of a trace, in order of start: any tree, with spans that overlap, run, fail, and outlive their parents. */
export const randomSpans: fc.Arbitrary<NormalizedSpan[]> = fc
  .array(randomSpan, { minLength: 1, maxLength: 40 })
  .map((list) =>
    list
      .map(({ parent, startMs, durationMs, type, name, fails, attributes }, index) =>
        newSpan(
          `s${index}`,
          parent === undefined || index === 0 ? null : `s${Math.floor(parent * (index - 1))}`,
          startMs,
          durationMs,
          {
            name,
            span_type: type,
            attributes,
            ...(fails && durationMs !== null ? { status: "ERROR" } : {}),
          },
        ),
      )
      .toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time)),
  );
