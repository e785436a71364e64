import type { NormalizedSpan } from "../api-schema/trace.js";
import { attributeOf, textOf } from "./attributes.js";
import { isSameJson } from "./canonical-json.js";
import type { Steps } from "./in-steps.js";
import type { SpanMessage } from "./message.js";
import { recordedSide } from "./messages.js";
import { readMessagesInSteps } from "./read-messages.js";
import type { SpanNode, SpanTree } from "./span-tree.js";

/** A call of a model. */
export interface ModelCall {
  readonly node: SpanNode;
  /** The span of the agent that called; undefined outside of agents. */
  readonly agent: SpanNode | undefined;
  /** The span of the call and its wrappers, from inside: messages are those of the first one that has some. */
  readonly sources: readonly NormalizedSpan[];
  /** As recorded: results of tools are in messages of their own. */
  readonly input: readonly SpanMessage[];
  readonly output: readonly SpanMessage[];
}

/** Spans between two pauses. */
const PAUSE = 4096;

/**
 * The calls of models, in display order. A model call inside another one is a wrapper and its call: the innermost counts, with
 * the messages of the wrapper where it has none. Pauses, because a call may have very many messages.
 */
export function* modelCallsInSteps(tree: SpanTree): Steps<ModelCall[]> {
  const callsBelow = new Map<SpanNode, number>();
  const calls: SpanNode[] = [];
  // From the end, because children stand after their parents.
  for (const node of tree.nodes.toReversed()) {
    if (node.place % PAUSE === PAUSE - 1) yield;
    if (node.span.span_type !== "llm" || callsBelow.has(node)) continue;
    calls.push(node);
    // More than two need no count: what is around them has as many.
    for (let above = node.parent; above !== undefined; above = above.parent) {
      const count = callsBelow.get(above) ?? 0;
      if (count === 2) break;
      callsBelow.set(above, count + 1);
    }
  }
  const earlier = new Map<SpanNode | undefined, SentInput>();
  const found: ModelCall[] = [];
  for (const node of calls.toReversed()) {
    const { agent } = node;
    const spans = yield* spansOfCall(node, callsBelow);
    const sent = yield* readInput(spans, earlier.get(agent));
    earlier.set(agent, sent);
    const output = yield* firstMessages(spans, "output");
    found.push({ node, agent, sources: spans, input: sent.messages, output });
    yield;
  }
  return found;
}

/** The messages of the first span that has some. */
function* firstMessages(
  spans: readonly NormalizedSpan[],
  side: "input" | "output",
): Steps<readonly SpanMessage[]> {
  for (const [index, span] of spans.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    const messages = yield* recordedSide(span, side);
    if (messages.length > 0) return messages;
  }
  return [];
}

/** The span of a call and its wrappers, from inside. Wrappers contain a single call. */
function* spansOfCall(node: SpanNode, callsBelow: ReadonlyMap<SpanNode, number>): Steps<NormalizedSpan[]> {
  const spans = [node.span];
  let walked = 0;
  for (let above = node.parent; above !== undefined && callsBelow.get(above) === 1; above = above.parent) {
    if (++walked % PAUSE === 0) yield;
    if (above.span.span_type === "llm") spans.push(above.span);
  }
  return spans;
}

/** The name of an agent: its attribute, otherwise the name of its span. */
export function agentName({ span }: SpanNode): string {
  return textOf(span, "agent") ?? span.name;
}

/** The input of a call as it was sent, and as it was read. */
interface SentInput {
  readonly sent: readonly unknown[];
  readonly messages: readonly SpanMessage[];
}

const KEY = "prompt_messages";
/** Messages that are compared between two pauses. */
const MESSAGES_PAUSE = 512;

/**
 * Reads the input of a call. Most calls send again what the one before sent. These messages are not read again: the work would
 * grow with the square of the calls.
 */
function* readInput(spans: readonly NormalizedSpan[], earlier: SentInput | undefined): Steps<SentInput> {
  const sent = spans
    .map((span) => attributeOf(span, KEY))
    .find((value) => Array.isArray(value) && value.length > 0);
  if (sent === undefined) {
    return { sent: [], messages: yield* firstMessages(spans, "input") };
  }
  const list = sent as readonly unknown[];
  let same = 0;
  while (earlier !== undefined && same < list.length && isSameJson(list[same], earlier.sent[same]))
    if (++same % MESSAGES_PAUSE === 0) yield;
  const known = earlier?.messages.slice(0, same) ?? [];
  return { sent: list, messages: [...known, ...(yield* readMessagesInSteps(list.slice(same), KEY, same))] };
}
