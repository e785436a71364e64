import { canonicalData, canonicalJson } from "../canonical-json.js";
import { eachInSteps, mapInSteps, runSteps, type Steps } from "../in-steps.js";
import type { SpanMessage, SpanPart } from "../message.js";
import { isTruncated, truncatedBytes, type LongText } from "../values.js";

/**
 * The smallest piece of a conversation that is found again in a later call: the text of a message, one tool call, one result.
 * Senders group pieces to messages differently, and write them differently in the answer and in the next request.
 */
export interface MessageUnit {
  /** Equal for equal pieces. */
  readonly key: string;
  /** The call that the piece belongs to, if it has an id of its own. */
  readonly callKey: string | undefined;
  /** Whether a long text in it is only a preview: {@link key} may then differ for equal pieces. */
  readonly isCut: boolean;
  /** `system`, `user`, `assistant`, `tool`, or the provider's own role. */
  readonly role: string;
  readonly isReasoning: boolean;
  readonly message: SpanMessage;
  /** The adjacent parts that it consists of. */
  readonly parts: readonly SpanPart[];
}

/** The pieces of messages, in order. */
export function unitsOf(messages: readonly SpanMessage[]): MessageUnit[] {
  return runSteps(unitsInSteps(messages));
}

/** Messages between two pauses. */
const PAUSE = 512;

/** The same with pauses: there may be very many messages, and parts of one message. */
export function* unitsInSteps(messages: readonly SpanMessage[]): Steps<MessageUnit[]> {
  const found: MessageUnit[] = [];
  for (const [index, message] of messages.entries()) {
    if (index % PAUSE === PAUSE - 1) yield;
    let units = known.get(message);
    if (units === undefined) {
      const groups = yield* partGroups(message.parts);
      units = yield* mapInSteps(groups, (parts) => unitOf(message, parts));
      known.set(message, units);
    }
    for (const unit of units) found.push(unit);
  }
  return found;
}

/** Messages that many calls send are read once. */
const known = new WeakMap<SpanMessage, readonly MessageUnit[]>();

/** Texts beside each other are one piece, because providers split a text differently. */
function* partGroups(parts: readonly SpanPart[]): Steps<SpanPart[][]> {
  const groups: SpanPart[][] = [];
  yield* eachInSteps(parts, (part) => {
    const last = groups.at(-1);
    if (part.kind === "text" && last?.[0]?.kind === "text") last.push(part);
    else groups.push([part]);
  });
  return groups;
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ["model", "assistant"],
  ["ai", "assistant"],
  ["output", "assistant"],
  ["human", "user"],
  ["input", "user"],
  ["function", "tool"],
  ["developer", "system"],
]);

function unitOf(message: SpanMessage, parts: readonly SpanPart[]): MessageUnit {
  const role = ROLES.get(message.role.toLowerCase()) ?? message.role.toLowerCase();
  const [part] = parts;
  return {
    key: keyOf(role, parts),
    callKey: callKeyOf(part),
    isCut: parts.some((each) => truncatedBytes(each) > 0),
    role,
    isReasoning: part?.kind === "reasoning",
    message,
    parts,
  };
}

function keyOf(role: string, parts: readonly SpanPart[]): string {
  const [part] = parts;
  switch (part?.kind) {
    case undefined:
      return `${role} nothing`;
    case "text":
      return `${role} text ${parts
        .map((each) => (each.kind === "text" ? plainText(each.text) : ""))
        .join("")
        .trim()}`;
    case "reasoning":
      return `reasoning ${plainText(part.text).trim()}`;
    // Ids are left out: some senders make new ones for each request.
    case "call":
      return `call ${part.name} ${canonicalData(part.arguments ?? {})}`;
    case "result":
      return `result ${canonicalData(part.response)}`;
    case "image":
      return `${role} image ${part.mimeType} ${imageKey(part.content)}`;
    case "link":
      return `${role} link ${part.uri}`;
    case "json":
      return `${role} json ${canonicalJson(part.value)}`;
  }
}

/** The text, or a short form of it: a whole text is equal to its preview. */
function plainText(text: LongText): string {
  if (isTruncated(text)) return `${text.bytes} ${text.preview}`;
  if (text.length * 3 > MAX_TEXT_BYTES) {
    const bytes = utf8Length(text);
    if (bytes > MAX_TEXT_BYTES) return `${bytes} ${firstCodePoints(text, PREVIEW_LENGTH)}`;
  }
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}

/** Where the collector cuts texts, and how much it leaves of them. */
const MAX_TEXT_BYTES = 4096;
const PREVIEW_LENGTH = 400;

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function firstCodePoints(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}

/** Images are compared by their length and their ends, because they are large. */
const COMPARED = 200;

function imageKey(content: LongText): string {
  if (isTruncated(content)) return plainText(content);
  return `${content.length} ${content.slice(0, COMPARED)} ${content.slice(-COMPARED)}`;
}

/** Some senders give the name of the tool where an id is missing. */
function callKeyOf(part: SpanPart | undefined): string | undefined {
  if (part?.kind === "call") return part.id === "" || part.id === part.name ? undefined : `call ${part.id}`;
  return part?.kind === "result" && part.id !== "" ? `result ${part.id}` : undefined;
}
