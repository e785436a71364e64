import { attributeOf, textOf } from "./attributes.js";
import { canonicalData } from "./canonical-json.js";
import { eachInSteps, sortedInSteps, type Steps } from "./in-steps.js";
import type { ToolCallPart } from "./message.js";
import type { ModelCall } from "./model-calls.js";
import { isInside, type SpanNode, type SpanTree } from "./span-tree.js";
import { callIdOf } from "./tool-spans.js";

/** A tool that ran, or that a model called. */
export interface ToolUse {
  readonly name: string;
  /** The span of the tool, if it was recorded. */
  readonly node: SpanNode | undefined;
  /** The call of the model; undefined if the app ran the tool itself, or again. */
  readonly call: ToolCallPart | undefined;
  readonly caller: ModelCall | undefined;
  /** Undefined if not recorded. */
  readonly arguments: unknown;
}

/** Spans between two pauses. */
const PAUSE = 1024;
/** Calls between two pauses: many spans may be tried for each. */
const CALLS_PAUSE = 64;

/** The uses of tools, in steps: those that models called in the order of the calls, and those that apps ran. */
export function* toolUsesInSteps(tree: SpanTree, calls: readonly ModelCall[]): Steps<ToolUse[]> {
  const spans = new ToolSpans(tree);
  yield* spans.index();
  const untilMs = yield* nextStarts(calls);
  const uses: ToolUse[] = [];
  for (const caller of calls)
    for (const call of caller.output.flatMap(({ parts }) => parts)) {
      if (call.kind !== "call") continue;
      if (uses.length % CALLS_PAUSE === CALLS_PAUSE - 1) yield;
      const node = spans.take(call, caller, untilMs.get(caller) ?? Number.POSITIVE_INFINITY);
      const own = node === undefined ? undefined : inputOf(node);
      uses.push({ name: call.name, node, call, caller, arguments: call.arguments ?? own });
    }
  yield* eachInSteps(spans.rest(), (node) => uses.push(ranByApp(node)));
  return uses;
}

/** When the agent of a call called a model again. */
function* nextStarts(calls: readonly ModelCall[]): Steps<ReadonlyMap<ModelCall, number>> {
  const starts = new Map<ModelCall, number>();
  const next = new Map<SpanNode | undefined, number>();
  yield* eachInSteps(calls.toReversed(), (call) => {
    const startMs = next.get(call.agent);
    if (startMs !== undefined) starts.set(call, startMs);
    next.set(call.agent, call.node.startMs);
  });
  return starts;
}

function ranByApp(node: SpanNode): ToolUse {
  return { name: toolName(node), node, call: undefined, caller: undefined, arguments: inputOf(node) };
}

/** The name of a tool: its attribute, otherwise the name of its span. */
export function toolName({ span }: SpanNode): string {
  return textOf(span, "tool_name") ?? span.name;
}

function inputOf({ span }: SpanNode): unknown {
  return attributeOf(span, "input_text") ?? attributeOf(span, "prompt_messages");
}

/** Spans of tools that are tried for a call: a wrong one is worse than none. */
const MAX_TRIES = 256;

/** Spans of tools by name, and by name and arguments. */
interface NamedSpans {
  readonly byName: Map<string, InStartOrder>;
  readonly byCall: Map<string, InStartOrder>;
}

/** The spans of tools that no call has taken yet. */
class ToolSpans {
  readonly #waiting: Set<SpanNode>;
  readonly #byId = new Map<string, SpanNode>();
  readonly #all: NamedSpans = { byName: new Map(), byCall: new Map() };
  /** Those without the id of a call: only they may answer a call that has one. */
  readonly #withoutId: NamedSpans = { byName: new Map(), byCall: new Map() };

  constructor({ nodes }: SpanTree) {
    this.#waiting = new Set(nodes.filter(({ span }) => span.span_type === "tool"));
  }

  *index(): Steps<void> {
    const inOrder = yield* sortedInSteps([...this.#waiting], (a, b) => a.startMs - b.startMs);
    for (const [index, node] of inOrder.entries()) {
      if (index % PAUSE === PAUSE - 1) yield;
      const id = callIdOf(node.span);
      if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, node);
      const wanted = canonicalData(inputOf(node) ?? null);
      for (const name of new Set([node.span.name, toolName(node)])) {
        const call = `${name}\n${wanted}`;
        for (const { byName, byCall } of id === undefined ? [this.#all, this.#withoutId] : [this.#all]) {
          listOf(byName, name).add(node);
          listOf(byCall, call).add(node);
        }
      }
    }
  }

  /**
   * The span with the call's id; otherwise the first of its name and agent that started later, best with the same arguments.
   *
   * @param untilMs - when the model was called again. Only a span with the same arguments may start later.
   */
  take(call: ToolCallPart, caller: ModelCall, untilMs: number): SpanNode | undefined {
    const node = this.#withId(call) ?? this.#first(call, caller, untilMs);
    if (node !== undefined) this.#waiting.delete(node);
    return node;
  }

  rest(): SpanNode[] {
    return [...this.#waiting];
  }

  #withId({ id }: ToolCallPart): SpanNode | undefined {
    const node = id === "" ? undefined : this.#byId.get(id);
    return node !== undefined && this.#waiting.has(node) ? node : undefined;
  }

  #first(call: ToolCallPart, caller: ModelCall, untilMs: number): SpanNode | undefined {
    const wanted = canonicalData(call.arguments ?? {});
    const { agent } = caller;
    const isPossible = (node: SpanNode): boolean => agent === undefined || isInside(node, agent);
    const from = caller.node.startMs;
    const { byName, byCall } = call.id === "" ? this.#all : this.#withoutId;
    return (
      byCall.get(`${call.name}\n${wanted}`)?.first(this.#waiting, from, isPossible) ??
      byName
        .get(call.name)
        ?.first(
          this.#waiting,
          from,
          (node) => (inputOf(node) === undefined || node.startMs < untilMs) && isPossible(node),
        )
    );
  }
}

function listOf(lists: Map<string, InStartOrder>, key: string): InStartOrder {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = new InStartOrder()));
  return list;
}

/** Spans in order of start. Those that are taken are passed over without looking at each of them again. */
class InStartOrder {
  readonly #nodes: SpanNode[] = [];
  /** For each place, the next one that may still wait. */
  readonly #next: number[] = [];

  add(node: SpanNode): void {
    this.#next.push(this.#nodes.push(node) - 1);
  }

  /** The first waiting span that started at a time or later and is possible. */
  first(
    waiting: ReadonlySet<SpanNode>,
    fromMs: number,
    isPossible: (node: SpanNode) => boolean,
  ): SpanNode | undefined {
    let tries = 0;
    for (let at = this.#placeFrom(fromMs); tries < MAX_TRIES; at++, tries++) {
      at = this.#skipTaken(at, waiting);
      const node = this.#nodes[at];
      if (node === undefined || isPossible(node)) return node;
    }
    return undefined;
  }

  #placeFrom(fromMs: number): number {
    let [low, high] = [0, this.#nodes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#nodes[middle]?.startMs ?? 0) < fromMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #skipTaken(from: number, waiting: ReadonlySet<SpanNode>): number {
    let at = from;
    for (;;) {
      const node = this.#nodes[at];
      if (node === undefined || waiting.has(node)) break;
      at = Math.max(at + 1, this.#next[at] ?? 0);
    }
    for (let place = from; place < at;) {
      const next = Math.max(place + 1, this.#next[place] ?? 0);
      this.#next[place] = at;
      place = next;
    }
    return at;
  }
}
