import type { NormalizedSpan } from "../../api-schema/trace.js";
import { isFailure, textOf } from "../attributes.js";
import { eachInSteps, runSteps, type Steps } from "../in-steps.js";
import type { SpanMessage } from "../message.js";
import { messagesInSteps, type SpanMessages } from "../messages.js";
import { readRunInSteps, type Run } from "../run.js";
import { spanTreeInSteps, type SpanNode, type SpanTree } from "../span-tree.js";
import { toolName, type ToolUse } from "../tool-uses.js";
import { inlineJson, isLongText, isTruncated, type LongText } from "../values.js";

/** What a user or an agent said. */
export interface Utterance {
  /** The recorded text, or its beginning. */
  readonly text: string;
  /** Bytes of the whole text, if it was cut. */
  readonly bytes: number | undefined;
  /** Images beside the text. */
  readonly images: number;
}

/** A tool with the number of its calls. */
export interface ToolCount {
  readonly name: string;
  readonly count: number;
}

/** One trace of a session as a turn of the conversation. */
export interface TurnReading {
  readonly tree: SpanTree;
  readonly root: SpanNode | undefined;
  readonly question: Utterance | undefined;
  readonly answer: Utterance | undefined;
  readonly run: Run;
  /** In order of start. */
  readonly steps: readonly SpanNode[];
  readonly models: number;
  readonly tools: number;
  readonly agents: number;
  /** In order of their first call. */
  readonly toolCounts: readonly ToolCount[];
  readonly failed: readonly SpanNode[];
  readonly evaluations: readonly NormalizedSpan[];
}

const USERS: ReadonlySet<string> = new Set(["user", "human", "input"]);

/** Reads the spans of a trace, in order of start. */
export function readTurn(spans: readonly NormalizedSpan[]): TurnReading {
  return runSteps(readTurnInSteps(spans));
}

/** The same with pauses: a trace may have very many spans. */
export function* readTurnInSteps(spans: readonly NormalizedSpan[]): Steps<TurnReading> {
  const evaluations = spans.filter(({ span_type: type }) => type === "evaluation");
  const tree = yield* spanTreeInSteps(spans.filter(({ span_type: type }) => type !== "evaluation"));
  const [root] = tree.roots;
  const run = yield* readRunInSteps(tree);
  const calls = run.calls.map(({ node }) => node);
  const tools = tree.nodes.filter(({ span }) => span.span_type === "tool");
  const messages = new Messages();
  return {
    tree,
    root,
    question:
      (yield* questionIn(yield* messages.of(root))) ?? (yield* questionIn(yield* messages.of(calls[0]))),
    answer:
      (yield* answerIn(yield* messages.of(root))) ?? (yield* answerIn(yield* messages.of(calls.at(-1)))),
    run,
    steps: run.steps,
    models: calls.length,
    tools: tools.length,
    agents: tree.nodes.filter((node) => node !== root && node.span.span_type === "agent").length,
    toolCounts: countTools(tools),
    failed: tree.nodes.filter(({ span }) => isFailure(span)),
    evaluations,
  };
}

/** `get_order, track_parcel ×4`. */
export function toolNames({ toolCounts }: Pick<TurnReading, "toolCounts">): string {
  return toolCounts.map(({ name, count }) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}

/** Why a score of a type was given: the sentence of the latest judge or user. */
export function scoreReason(
  { evaluations }: Pick<TurnReading, "evaluations">,
  type: string,
): string | undefined {
  const span = evaluations.findLast((each) => textOf(each, "evaluation_type") === type);
  return span && (textOf(span, "evaluation_explanation") ?? textOf(span, "evaluation_comment"));
}

function countTools(tools: readonly SpanNode[]): ToolCount[] {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    const name = toolName(tool);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Array.from(counts, ([name, count]) => ({ name, count }));
}

/** The messages of spans, each read once. */
class Messages {
  readonly #known = new Map<SpanNode, SpanMessages>();

  *of(node: SpanNode | undefined): Steps<SpanMessages> {
    if (node === undefined) return { input: [], output: [] };
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const messages = yield* messagesInSteps(node.span);
    this.#known.set(node, messages);
    return messages;
  }
}

/** The last message of the user. */
function* questionIn({ input }: SpanMessages): Steps<Utterance | undefined> {
  return yield* utterance(input.findLast(({ role }) => USERS.has(role.toLowerCase())));
}

/** The last message with a text. */
function* answerIn({ output }: SpanMessages): Steps<Utterance | undefined> {
  for (const message of output.toReversed()) {
    const said = yield* utterance(message);
    if (said !== undefined && said.text !== "") return said;
  }
  return undefined;
}

function* utterance(message: SpanMessage | undefined): Steps<Utterance | undefined> {
  if (message === undefined) return undefined;
  const texts: string[] = [];
  let bytes: number | undefined;
  let images = 0;
  const add = (text: LongText): void => {
    texts.push(isTruncated(text) ? text.preview : text);
    if (isTruncated(text)) bytes = (bytes ?? 0) + text.bytes;
  };
  yield* eachInSteps(message.parts, (part) => {
    if (part.kind === "text") add(part.text);
    else if (part.kind === "image") images++;
    else if (part.kind === "json") {
      if (isLongText(part.value)) add(part.value);
      else texts.push(inlineJson(part.value));
    }
  });
  const text = texts.join("\n\n");
  return text === "" && images === 0 ? undefined : { text, bytes, images };
}

/** What stands out in a turn. */
export interface TurnFinding {
  readonly type: "error" | "repeat" | "cache";
  readonly title: string;
  readonly detail: string;
  readonly ms: number | undefined;
  /** What was billed again, as far as it is known. Estimated. */
  readonly again?: BilledAgain;
  /** The span to open. */
  readonly spanId: string;
}

/** Estimated tokens that were not read from the cache, and what they cost more; undefined without a price. */
export interface BilledAgain {
  readonly tokens: number;
  readonly costUsd: number | undefined;
}

/** So many equal calls are a finding. */
const MIN_REPEATS = 3;

/**
 * What stands out in a turn: model calls that did not read the cache, tools called again with the same arguments, and spans that
 * failed.
 *
 * @param cacheBreaks - what these model calls billed again, by their id, as far as they are known.
 */
export function findingsOf(
  { failed, run }: TurnReading,
  cacheBreaks: ReadonlyMap<string, BilledAgain> = NONE,
): TurnFinding[] {
  const repeats = repeatedUses(run).flatMap((uses): TurnFinding[] => {
    const [first] = uses;
    const spanId = first?.node?.id ?? first?.caller?.node.id;
    if (first === undefined || spanId === undefined || uses.length < MIN_REPEATS) return [];
    return [
      {
        type: "repeat",
        title: `Same call ×${uses.length}`,
        detail: `${first.name}, same arguments`,
        ms: uses.reduce((sum, { node }) => sum + (node?.span.duration_ms ?? 0), 0),
        spanId,
      },
    ];
  });
  const errors = failed.map(({ id, span }): TurnFinding => ({
    type: "error",
    title: span.name,
    detail:
      [textOf(span, "error_type"), textOf(span, "error_message")].filter(Boolean).join(" · ") || "failed",
    ms: span.duration_ms ?? undefined,
    spanId: id,
  }));
  return [...cacheFindings(run, cacheBreaks), ...repeats, ...errors];
}

const NONE: ReadonlyMap<string, BilledAgain> = new Map();

function cacheFindings({ calls, numbers }: Run, broken: ReadonlyMap<string, BilledAgain>): TurnFinding[] {
  const nodes = calls.flatMap(({ node }) => (broken.has(node.id) ? [node] : []));
  const [first] = nodes;
  if (first === undefined) return [];
  const again = nodes.map(({ id }) => broken.get(id) ?? NOTHING_AGAIN);
  const costs = again.flatMap(({ costUsd }) => costUsd ?? []);
  const nameOf = ({ id, span }: SpanNode): string => `${span.name} (step ${numbers.get(id) ?? "?"})`;
  return [
    {
      type: "cache",
      title: nodes.length === 1 ? "Cache broke" : `Cache broke ×${nodes.length}`,
      detail: nodes.map(nameOf).join(", "),
      ms: undefined,
      again: {
        tokens: again.reduce((sum, { tokens }) => sum + tokens, 0),
        costUsd: costs.length < again.length ? undefined : costs.reduce((sum, usd) => sum + usd, 0),
      },
      spanId: first.id,
    },
  ];
}

const NOTHING_AGAIN: BilledAgain = { tokens: 0, costUsd: 0 };

/** The uses of the same tool with the same arguments, group by group. */
function repeatedUses({ repeats }: Run): ToolUse[][] {
  const groups: ToolUse[][] = [];
  for (const [use, { position }] of repeats) {
    if (position === 1) groups.push([use]);
    else groups.at(-1)?.push(use);
  }
  return groups;
}
