import { attributeOf, numberOf } from "./attributes.js";
import { estimateTokens } from "./context/estimate-tokens.js";
import type { SpanMessage, SpanPart } from "./message.js";
import type { ModelCall } from "./model-calls.js";
import type { Run } from "./run.js";
import type { SpanNode } from "./span-tree.js";
import { callIdOf } from "./tool-spans.js";
import { isTruncated } from "./values.js";

/** A model call that was sent the result of a tool. */
export interface LaterRead {
  readonly call: ModelCall;
  /** The tool whose result it is. */
  readonly tool: SpanNode;
  /** Estimated by the text and scaled to the input that the call reports. */
  readonly tokens: number;
  /** Most of the result lies in the part of the request that the provider read from its cache. */
  readonly isCached: boolean;
}

/** The later model calls that were sent the results of tools: what a tool costs after it ran. */
export function laterReads({ calls, uses }: Run, tools: readonly SpanNode[]): LaterRead[] {
  const wanted = new Set(tools);
  const toolOf = new Map<string, SpanNode>();
  for (const { node, call } of uses) {
    if (node === undefined || !wanted.has(node)) continue;
    const id = call === undefined || call.id === "" ? callIdOf(node.span) : call.id;
    if (id !== undefined) toolOf.set(id, node);
  }
  if (toolOf.size === 0) return [];
  return calls.flatMap((call) => readsIn(call, toolOf));
}

function readsIn(call: ModelCall, toolOf: ReadonlyMap<string, SpanNode>): LaterRead[] {
  const { span, startMs } = call.node;
  const found: { readonly tool: SpanNode; readonly estimate: number; readonly middle: number }[] = [];
  let at = definitionTokens(call);
  for (const message of call.input) {
    const before = at;
    at += messageTokens(message);
    for (const part of message.parts) {
      const id = part.kind === "result" || (part.kind === "call" && part.result) ? part.id : undefined;
      const tool = id === undefined ? undefined : toolOf.get(id);
      if (tool === undefined || tool.startMs > startMs) continue;
      found.push({ tool, estimate: resultTokens(part), middle: before + messageTokens(message) / 2 });
    }
  }
  const reported = numberOf(span, "tokens_input") ?? 0;
  const scale = reported > 0 && at > 0 ? reported / at : 1;
  const cached = numberOf(span, "tokens_cached") ?? 0;
  return found.map(({ tool, estimate, middle }) => ({
    call,
    tool,
    tokens: estimate * scale,
    isCached: middle * scale <= cached,
  }));
}

/** By message: calls that send a message again share it. */
const known = new WeakMap<SpanMessage, number>();

function messageTokens(message: SpanMessage): number {
  let tokens = known.get(message);
  if (tokens === undefined) {
    tokens = message.parts.reduce((sum, part) => sum + partTokens(part), 0);
    known.set(message, tokens);
  }
  return tokens;
}

function partTokens(part: SpanPart): number {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return estimateTokens(part.text);
    case "call":
      return estimateTokens(part.name) + dataTokens(part.arguments) + resultTokens(part);
    case "result":
      return resultTokens(part);
    case "json":
      return dataTokens(part.value);
    // Their size says nothing about their tokens.
    case "image":
    case "link":
      return 0;
  }
}

function resultTokens(part: SpanPart): number {
  if (part.kind === "result") return dataTokens(part.response);
  return part.kind === "call" && part.result !== undefined ? dataTokens(part.result.response) : 0;
}

function definitionTokens({ sources }: ModelCall): number {
  const tools = sources
    .map((span) => attributeOf(span, "tool_definitions"))
    .find((each) => each !== undefined);
  return dataTokens(tools);
}

function dataTokens(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === "string" || isTruncated(value)) return estimateTokens(value);
  return estimateTokens(JSON.stringify(value));
}
