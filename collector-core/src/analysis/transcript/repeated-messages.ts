import type { NormalizedSpan } from "../../api-schema/trace.js";
import type { SpanMessage } from "../message.js";
import { recordedMessages } from "../messages.js";
import { agentName, type ModelCall } from "../model-calls.js";
import { modelCallOf, type Run } from "../run.js";
import type { SpanNode } from "../span-tree.js";
import { unitsOf, type MessageUnit } from "./message-units.js";

/** The messages with which a call begins as a call before it did. */
export interface RepeatedMessages {
  /** The keys of the messages in the input of the call. */
  readonly keys: ReadonlySet<string>;
  /** The call before. */
  readonly before: SpanNode;
  /** Whether it is the last call of the agent before this one. */
  readonly isLast: boolean;
}

/** Calls before that a call is compared with. An agent may have several conversations at a time. */
const COMPARED_CALLS = 8;

/**
 * Finds what a model call sends again: most calls send the conversation so far, and its reader looks for what is new.
 *
 * @param span - the span of the call; its texts may be whole where the run has previews.
 * @returns undefined if no call before begins alike.
 */
export function repeatedMessages({ calls }: Run, span: NormalizedSpan): RepeatedMessages | undefined {
  const { input } = recordedMessages(span);
  const own = modelCallOf({ calls }, span.span_id);
  if (own === undefined || input.length === 0) return undefined;
  const earlier = callsBefore(calls, own);
  let best: { readonly count: number; readonly call: ModelCall } | undefined;
  for (const call of earlier) {
    const count = sharedStart(input, [...unitsOf(call.input), ...unitsOf(call.output)]);
    if (count > (best?.count ?? 0)) best = { count, call };
  }
  if (best === undefined) return undefined;
  const keys = new Set(input.slice(0, best.count).map(({ key }) => key));
  withoutNewResults(input, keys);
  return keys.size === 0 ? undefined : { keys, before: best.call.node, isLast: best.call === earlier[0] };
}

/** The calls of the same agent that started before, the last one first. */
function callsBefore(calls: readonly ModelCall[], { node, agent }: ModelCall): ModelCall[] {
  const name = agent && agentName(agent);
  return calls
    .filter((call) => call.node.startMs < node.startMs && (call.agent && agentName(call.agent)) === name)
    .toSorted((a, b) => b.node.startMs - a.node.startMs)
    .slice(0, COMPARED_CALLS);
}

/** How many messages at the start are known, in their order. What was known and is left out does not matter. */
function sharedStart(messages: readonly SpanMessage[], known: readonly MessageUnit[]): number {
  let at = 0;
  for (const [index, message] of messages.entries()) {
    for (const { key } of unitsOf([message])) {
      while (at < known.length && known[at]?.key !== key) at++;
      if (at++ === known.length) return index;
    }
  }
  return messages.length;
}

/** A tool call is shown with its result. It is not repeated if the result is new. */
function withoutNewResults(input: readonly SpanMessage[], keys: Set<string>): void {
  const answered = new Set(
    input.flatMap(({ key, parts }) =>
      keys.has(key) ? [] : parts.flatMap((part) => (part.kind === "result" ? [part.id] : [])),
    ),
  );
  const first = input.findIndex(({ parts }) =>
    parts.some((part) => part.kind === "call" && answered.has(part.id)),
  );
  if (first >= 0) for (const { key } of input.slice(first)) keys.delete(key);
}
