import type { CallContext } from "../../../api-schema/context.js";
import { ApiError } from "../../../api-schema/errors.js";
import { leafUsageOf } from "../../../analysis/leaf-usage.js";
import type { ModelCall } from "../../../analysis/model-calls.js";
import type { SpanNode } from "../../../analysis/span-tree.js";
import type { ReadContext } from "../../read-context.js";
import type { Answer, Section } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import { asCost, asCount, asDuration, asShare, costCell } from "../formats.js";
import { requiredNode, type ReadTraceRun } from "../read-run.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";

/** What fills the context window of a model call. */
export function explainContext(readRun: ReadTraceRun, readContext: ReadContext): Tool {
  return defineTool({
    name: "explain_context",
    title: "Explain the context of a model call",
    description:
      "Shows what fills the context window of one model call (system prompt, tool definitions, history, retrieved documents, tool " +
      "results), how the context grew over the calls of the agent, where and why the prompt cache broke, and what the context " +
      "contains several times. Without step it takes the call with the most input tokens.",
    arguments: { trace_id: ARGUMENTS.traceId, step: ARGUMENTS.step, span_id: ARGUMENTS.spanId },
    async run({ trace_id, step, span_id, ...rest }, { signal }) {
      const reference = { trace_id, ...tenantOf(rest) };
      const asked = await readRun(reference, signal, (traceRun) => {
        const node = requiredNode(traceRun, { step, span_id }) ?? largestCall(traceRun.run.calls);
        const numbers = new Map(traceRun.run.numbers);
        return { spanId: node.id, numbers };
      });
      const context = await readContext({ ...reference, span_id: asked.spanId }, signal);
      return contextAnswer(context, asked.numbers);
    },
  });
}

function largestCall(calls: readonly Pick<ModelCall, "node">[]): SpanNode {
  const [first, ...others] = calls;
  if (first === undefined)
    throw new ApiError(
      "invalid_query",
      "The trace has no model call, so that there is no context to explain. Use get_trace.",
    );
  return others.reduce(
    (largest, { node }) => (leafUsageOf(node).input > leafUsageOf(largest).input ? node : largest),
    first.node,
  );
}

function contextAnswer(context: CallContext, numbers: ReadonlyMap<string, number>): Answer {
  const { tokens, window_tokens: window, tokens_cached: cached } = context;
  const stepOf = (spanId: string): number | null => numbers.get(spanId) ?? null;
  return {
    lead:
      `Step ${stepOf(context.span_id) ?? "–"} is call ${context.call} of ${context.calls_total} of its agent: ${asCount(tokens) || "0"} input tokens` +
      `${context.tokens_reported ? "" : " (estimated)"}${window === null ? "" : `, ${asShare(tokens / window)} of a window of ${asCount(window)}`}` +
      `${cached === null ? "" : `, ${asCount(cached) || "0"} read from the prompt cache`}. Tokens of parts, and what was sent or billed again, are estimates.`,
    sections: [
      {
        kind: "table",
        title: "Parts of the context",
        columns: [
          { name: "part" },
          { name: "tokens", format: asCount },
          { name: "share", format: asShare },
          { name: "items" },
          { name: "equal items" },
          { name: "detail", length: 100 },
        ],
        rows: context.parts.map((part) => [
          part.kind,
          part.tokens,
          part.tokens / Math.max(1, tokens),
          part.items,
          part.equal_items || null,
          part.detail,
        ]),
      },
      ...cacheBreak(context, stepOf),
      ...duplicates(context),
      {
        kind: "table",
        title: "Calls of the agent",
        columns: [
          { name: "step" },
          { name: "call" },
          { name: "tokens in", format: asCount },
          { name: "from cache", format: asCount },
          { name: "sent again", format: asCount },
          { name: "cache break" },
          { name: "cost", format: asCost },
          { name: "cost of what was sent again", format: asCost },
        ],
        rows: context.calls.map((call) => [
          stepOf(call.span_id),
          call.call,
          call.tokens,
          call.tokens_cached,
          call.tokens_again,
          call.cause,
          costCell(call.cost_usd, call.cost_source === "computed"),
          call.cause === null ? null : costCell(call.again_cost_usd, true),
        ]),
        rest: () => "name a later step, or use a larger max_tokens",
      },
    ],
    notes: ["The text of a call: get_trace with its step."],
  };
}

function cacheBreak(
  { cache_break: found }: CallContext,
  stepOf: (spanId: string) => number | null,
): Section[] {
  if (found === null) return [];
  const lines = found.lines.map(
    ({ type, text }) => `${{ same: " ", removed: "-", added: "+" }[type]} ${text}`,
  );
  return [
    {
      kind: "facts",
      title: "Cache break",
      facts: [
        { name: "Cause", value: found.cause },
        { name: "Compared with step", value: stepOf(found.compared_with) },
        { name: "First change in", value: found.part },
        { name: "At token", value: found.at_token, format: asCount },
        { name: "Billed again", value: found.tokens_again, format: (count) => counted(count, "token") },
        ...(found.cost_usd === null
          ? []
          : [{ name: "Costs", value: costCell(found.cost_usd, true), format: asCost }]),
        { name: "Time since that call", value: found.gap_ms, format: asDuration },
      ],
    },
    { kind: "text", title: "First change", text: lines.join("\n") },
  ];
}

function duplicates({ duplicates: found }: CallContext): Section[] {
  if (found.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Contained several times",
      columns: [
        { name: "part" },
        { name: "what", length: 80 },
        { name: "times" },
        { name: "tokens each", format: asCount },
        { name: "tokens again", format: asCount },
        { name: "cost", format: asCost },
      ],
      rows: found.map((each) => [
        each.kind,
        each.name,
        each.times,
        each.tokens_each,
        each.tokens_again,
        costCell(each.cost_usd, true),
      ]),
    },
  ];
}
