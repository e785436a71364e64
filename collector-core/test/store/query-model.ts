import type { Span } from "@obspan/sdk/wire";
import fc from "fast-check";
import { expect } from "vitest";
import type { Harness } from "./contract/harness.js";
import { randomRuns } from "../random-runs.js";

/** A query with its plain meaning for a trace, which is all its spans. */
interface ModelledQuery {
  readonly query: string;
  readonly holds: (spans: readonly Span[]) => boolean;
}

const TOOLS = ["search", "crm", "two words"];
const TIERS = ["gold", "silver", 7, true, null];
const WORDS = ["alpha", "beta", "Gamma", "ab"];

const spans = fc.array(
  fc.record({
    trace: fc.nat(5),
    type: fc.constantFrom("llm", "tool", "span"),
    status: fc.constantFrom("OK", "ERROR"),
    tool: fc.constantFrom(...TOOLS),
    duration: fc.integer({ min: 1, max: 50 }),
    tokens: fc.nat(200),
    tier: fc.constantFrom(...TIERS),
    isFlat: fc.boolean(),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(" ")),
  }),
  { minLength: 1, maxLength: 25 },
);

function attributeOf({ attributes = {} }: Span): unknown {
  const { customer } = attributes as { customer?: { tier?: unknown } };
  return "customer.tier" in attributes ? attributes["customer.tier"] : customer?.tier;
}

function textOf({ attributes }: Span): string {
  const text = attributes?.["output_text"];
  return typeof text === "string" ? text.toLowerCase() : "";
}

function durationOf(all: readonly Span[]): number {
  return Math.max(...all.map(({ duration_ms: ms = 0 }) => ms));
}

const quoted = (value: unknown): string =>
  String(value).includes(" ") ? `"${String(value)}"` : String(value);

const plain: fc.Arbitrary<ModelledQuery> = fc.oneof(
  fc.uniqueArray(fc.constantFrom(...TOOLS, "none"), { minLength: 1, maxLength: 2 }).map((tools) => ({
    query: `tool:${tools.map(quoted).join()}`,
    holds: (all: readonly Span[]) =>
      all.some(
        (span) => span.span_type === "tool" && tools.some((tool) => tool === span.attributes?.["tool_name"]),
      ),
  })),
  fc.constantFrom("llm", "tool", "span").map((type) => ({
    query: `type:${type}`,
    holds: (all: readonly Span[]) => all.some((span) => span.span_type === type),
  })),
  fc.constant({
    query: "has:error",
    holds: (all: readonly Span[]) => all.some((span) => span.status === "ERROR"),
  }),
  fc.constant({
    query: "has:tool_error",
    holds: (all: readonly Span[]) => all.some((span) => span.status === "ERROR" && span.span_type === "tool"),
  }),
  fc.constant({
    query: "tool_output:empty",
    holds: (all: readonly Span[]) =>
      all.some((span) => span.status !== "ERROR" && span.span_type === "tool" && textOf(span) === ""),
  }),
  fc.tuple(fc.constantFrom(">", ">=", "<", "<="), fc.integer({ min: 1, max: 50 })).map(([sign, ms]) => ({
    query: `duration:${sign}${ms}ms`,
    holds: (all: readonly Span[]) => {
      const duration = durationOf(all);
      if (sign.startsWith(">")) return sign === ">" ? duration > ms : duration >= ms;
      return sign === "<" ? duration < ms : duration <= ms;
    },
  })),
  fc.tuple(fc.nat(300), fc.nat(300)).map(([from, length]) => ({
    query: `tokens_in:${from}..${from + length}`,
    holds: (all: readonly Span[]) => {
      const tokens = all.reduce((sum, span) => sum + Number(span.attributes?.["tokens_input"]), 0);
      return tokens >= from && tokens <= from + length;
    },
  })),
  fc.constantFrom(...TIERS, "bronze").map((tier) => ({
    query: `@customer.tier:${String(tier)}`,
    holds: (all: readonly Span[]) => all.some((span) => attributeOf(span) === tier),
  })),
  fc.integer({ min: 5, max: 9 }).map((from) => ({
    query: `@customer.tier:>=${from}`,
    holds: (all: readonly Span[]) => all.some((span) => Number(attributeOf(span) === 7) * 7 >= from),
  })),
  fc.constantFrom(...WORDS).map((word) => ({
    query: word,
    holds: (all: readonly Span[]) => all.some((span) => textOf(span).includes(word.toLowerCase())),
  })),
  fc.constantFrom("alpha beta", "beta gamma").map((phrase) => ({
    query: `"${phrase}"`,
    holds: (all: readonly Span[]) => all.some((span) => textOf(span).includes(phrase)),
  })),
);

const condition = fc.tuple(plain, fc.boolean()).map(([{ query, holds }, isNegated]) => ({
  query: isNegated ? `-${query}` : query,
  holds: (all: readonly Span[]) => holds(all) !== isNegated,
}));

const queries = fc.array(
  fc.array(condition, { minLength: 1, maxLength: 3 }).map((all) => ({
    query: all.map(({ query }) => query).join(" "),
    holds: (trace: readonly Span[]) => all.every(({ holds }) => holds(trace)),
  })),
  { minLength: 8, maxLength: 8 },
);

/** Asks a store random queries over random spans, and compares the answers with {@link ModelledQuery.holds}. */
export async function checkQueries({ append, idsOf, open }: Harness): Promise<void> {
  await fc.assert(
    fc.asyncProperty(spans, queries, async (fields, asked) => {
      await open();
      const byTrace = new Map<string, Span[]>();
      for (const [index, each] of fields.entries()) {
        const span: Span = {
          name: "n",
          trace_id: `t${each.trace}`,
          span_id: `s${index}`,
          span_type: each.type,
          status: each.status,
          start_time: "2026-01-01T00:00:00Z",
          duration_ms: each.duration,
          attributes: {
            tool_name: each.tool,
            tokens_input: each.tokens,
            output_text: each.text,
            ...(each.isFlat ? { "customer.tier": each.tier } : { customer: { tier: each.tier } }),
          },
        };
        byTrace.set(span.trace_id, [...(byTrace.get(span.trace_id) ?? []), span]);
        await append(span);
      }
      for (const { query, holds } of asked) {
        const expected = [...byTrace].filter(([, all]) => holds(all)).map(([id]) => id);
        expect((await idsOf({ query })).toReversed(), query).toEqual(expected);
      }
    }),
    { seed: 20260101, numRuns: randomRuns(10) },
  );
}
