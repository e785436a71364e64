import type { ContextPartKind } from "../../api-schema/context.js";
import type { NormalizedSpan } from "../../api-schema/trace.js";
import { attributeOf } from "../attributes.js";
import type { SpanMessage } from "../message.js";
import { recordedMessages } from "../messages.js";
import { readMessages } from "../read-messages.js";
import { isRecord, isTruncated, type LongText } from "../values.js";
import { newPiece, type ContextPiece } from "./context-piece.js";
import { estimateInSteps, estimateTokens } from "./estimate-tokens.js";
import type { KnownTexts } from "./known-texts.js";
import { otherPieces, toolPiece } from "./part-pieces.js";
import { rangesIn } from "./split-text.js";
import type { Steps } from "../in-steps.js";

/** Messages, and parts of a message, that are read in one step. */
const READ_AT_ONCE = 250;
/** Further pieces of a call are added to the last one of their kind. */
const MAX_PIECES = 20_000;
/** The estimates of texts of this length are kept, because the next call sends most texts again. */
const KEPT_LENGTH = 500;
/** Characters that are searched in one step: a text once for each document and memory. */
const SEARCHED_AT_ONCE = 4_000_000;
/** The cost of one search in a short text, in characters. */
const SEARCH_COST = 100;

/** Reads what calls send, in order of their start. */
export class PieceReader {
  readonly #known: KnownTexts;
  /** Pieces of the texts of the call before and of this call. */
  #earlier = new Map<string, readonly ContextPiece[]>();
  #current = new Map<string, readonly ContextPiece[]>();
  #knownSize = 0;
  /** Characters that were searched since the last step. */
  #searched = 0;

  constructor(known: KnownTexts) {
    this.#known = known;
  }

  /** @param spans - the call, then the wrappers of only this call: the first one with messages counts. */
  *read(spans: readonly NormalizedSpan[]): Steps<readonly ContextPiece[]> {
    this.#earlier = this.#known.size === this.#knownSize ? this.#current : new Map<string, ContextPiece[]>();
    this.#current = new Map();
    this.#knownSize = this.#known.size;
    const pieces = new PieceList();
    const tools = spans.map((span) => attributeOf(span, "tool_definitions")).find(isFilledList) ?? [];
    for (const [index, tool] of tools.entries()) {
      pieces.add(yield* toolPiece(tool));
      if (index % READ_AT_ONCE === 0) yield;
    }
    let message = 0;
    for (const read of messagesIn(spans)) {
      for (const each of read.messages)
        yield* this.#readMessage(each, read.isContinued ? message - 1 : message++, pieces);
      yield;
    }
    return pieces.list;
  }

  *#readMessage({ role, parts }: SpanMessage, message: number, pieces: PieceList): Steps<void> {
    const kind = KINDS.get(role.toLowerCase()) ?? "user";
    for (const part of parts) {
      if (part.kind === "text") yield* this.#readText(part.text, kind, message, pieces);
      else for (const piece of yield* otherPieces(part, kind, message)) pieces.add(piece);
    }
  }

  *#readText(text: LongText, kind: ContextPartKind, message: number, pieces: PieceList): Steps<void> {
    if (isTruncated(text)) {
      pieces.add(newPiece(kind, message, text.preview, estimateTokens(text)));
      return;
    }
    const kept = this.#earlier.get(text) ?? this.#current.get(text);
    const [first] = kept ?? [];
    if (kept !== undefined && first !== undefined && (first.kind === kind || kept.length > 1)) {
      this.#current.set(text, kept);
      for (const piece of kept) pieces.add({ ...piece, message });
      return;
    }
    const read: ContextPiece[] = [];
    const isData = kind === "assistant" || kind === "results";
    if (!isData) this.#searched += (text.length + SEARCH_COST) * this.#known.size;
    if (this.#searched > SEARCHED_AT_ONCE) {
      this.#searched = 0;
      yield;
    }
    const ranges = isData ? [] : yield* rangesIn(text, this.#known.all());
    let at = 0;
    for (const { start, end, ...range } of ranges) {
      yield* addRange(text, at, start, { kind, label: undefined }, message, read);
      yield* addRange(text, start, end, range, message, read);
      at = end;
    }
    yield* addRange(text, at, text.length, { kind, label: undefined }, message, read);
    for (const piece of read) pieces.add(piece);
    if (text.length >= KEPT_LENGTH) this.#current.set(text, read);
  }
}

function* addRange(
  text: string,
  from: number,
  to: number,
  { kind, label }: Pick<ContextPiece, "kind" | "label">,
  message: number,
  pieces: ContextPiece[],
): Steps<void> {
  if (from >= to) return;
  const part = from === 0 && to === text.length ? text : text.slice(from, to);
  if (part.trim() === "") return;
  const tokens = yield* estimateInSteps(part);
  pieces.push({ ...newPiece(kind, message, part, tokens), label });
}

/** Collects pieces; further ones are only counted. */
class PieceList {
  readonly list: ContextPiece[] = [];
  readonly #rest = new Map<ContextPartKind, number>();

  add(piece: ContextPiece): void {
    if (piece.tokens <= 0) return;
    if (this.list.length < MAX_PIECES) {
      this.list.push(piece);
      return;
    }
    const index = this.#rest.get(piece.kind);
    const rest = index === undefined ? undefined : this.list[index];
    if (index === undefined || rest === undefined) {
      this.#rest.set(piece.kind, this.list.length);
      this.list.push({ ...piece, text: "", label: undefined, callId: undefined });
    } else this.list[index] = { ...rest, tokens: rest.tokens + piece.tokens };
  }
}

interface ReadMessages {
  readonly messages: readonly SpanMessage[];
  /** These are further parts of the message before. */
  readonly isContinued: boolean;
}

const LIST_KEY = "prompt_messages";

/** The input messages of the first span that has any, some at a time. */
function* messagesIn(spans: readonly NormalizedSpan[]): Generator<ReadMessages> {
  const list = spans.map((span) => attributeOf(span, LIST_KEY)).find(isFilledList);
  if (list === undefined) {
    const messages = spans.map((span) => recordedMessages(span).input).find(({ length }) => length > 0) ?? [];
    yield { messages, isContinued: false };
    return;
  }
  let from = 0;
  for (const [index, value] of list.entries()) {
    const parts = longParts(value);
    if (parts === undefined && index - from < READ_AT_ONCE) continue;
    yield { messages: readMessages(list.slice(from, index), LIST_KEY, from), isContinued: false };
    from = index;
    if (parts === undefined) continue;
    from = index + 1;
    for (let at = 0; at < parts.list.length; at += READ_AT_ONCE) {
      const some = { ...parts.message, [parts.field]: parts.list.slice(at, at + READ_AT_ONCE) };
      yield { messages: readMessages([some], LIST_KEY, index), isContinued: at > 0 };
    }
  }
  yield { messages: readMessages(list.slice(from), LIST_KEY, from), isContinued: false };
}

/** The parts of a message with too many for one step. */
function longParts(message: unknown) {
  if (!isRecord(message)) return undefined;
  for (const field of ["parts", "content"]) {
    const list = message[field];
    if (Array.isArray(list) && list.length > READ_AT_ONCE)
      return { message, field, list: list as readonly unknown[] };
  }
  return undefined;
}

function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

const KINDS: ReadonlyMap<string, ContextPartKind> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["ai", "assistant"],
  ["output", "assistant"],
  ["tool", "results"],
  ["function", "results"],
]);
