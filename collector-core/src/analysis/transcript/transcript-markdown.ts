import { oneLine } from "../attributes.js";
import { mapInSteps, runSteps, type Steps } from "../in-steps.js";
import type { SpanMessage, SpanPart } from "../message.js";
import { isLongText, isTruncated, prettyJson, type LongText } from "../values.js";
import type { StepError, Transcript, TranscriptEntry, TranscriptTool } from "./entries.js";

/** A transcript as Markdown, to paste into a ticket or a prompt. */
export function transcriptMarkdown({ entries }: Transcript): string {
  return `${entries.map((entry) => entryMarkdown(entry)).join("\n\n")}\n`;
}

/**
 * One entry as Markdown.
 *
 * @param isQuoted - puts prose into block quotes, so that text from a sender cannot start a section or leave a code block open.
 */
export function entryMarkdown(entry: TranscriptEntry, isQuoted = false): string {
  return joined([...entryBlocks(entry, isQuoted)]);
}

/**
 * The same block by block, for an entry with very many messages or tools. Blocks that are not empty stand with a blank line between
 * them.
 */
export function* entryBlocks(entry: TranscriptEntry, isQuoted: boolean): Generator<string> {
  switch (entry.kind) {
    case "message":
      yield `### ${inline(roleName(entry.message.role))}`;
      yield* messageBlocks(entry.message, isQuoted);
      return;
    case "turn":
      yield `### ${numbered(entry.number)}Assistant, ${inline(entry.node.span.name)}`;
      for (const message of [...entry.reasoning, ...entry.output]) yield* messageBlocks(message, isQuoted);
      for (const tool of entry.tools) yield toolMarkdown(tool);
      if (entry.error !== undefined) yield errorMarkdown(entry.error);
      return;
    case "step":
      yield toolMarkdown(entry.tool);
      return;
    case "steps":
      yield entry.steps
        .map(({ node, number }) => `- ${numbered(number)}${inline(node.span.name)}`)
        .join("\n");
      return;
    case "handoff":
      yield `### ${numbered(entry.number)}${inline(entry.from)} → ${inline(entry.to)}`;
      if (entry.note !== undefined) yield isQuoted ? quotedMarkdown(entry.note) : entry.note;
      return;
    case "error":
      yield `### ${inline(entry.node.span.name)}`;
      yield errorMarkdown(entry.error);
  }
}

/**
 * Messages as Markdown, each under its role.
 *
 * @param title - what they stand under, such as `Input`: the first message does not repeat it.
 */
export function messagesMarkdown(messages: readonly SpanMessage[], title?: string): string {
  return runSteps(messagesInMarkdown(messages, title));
}

/** The same with pauses: there may be very many messages. */
export function* messagesInMarkdown(messages: readonly SpanMessage[], title?: string): Steps<string> {
  const blocks = yield* mapInSteps(messages, (message, index) =>
    index === 0 && roleName(message.role) === title ? messageMarkdown(message) : messageSection(message),
  );
  return `${blocks.join("\n\n")}\n`;
}

function messageSection(message: SpanMessage): string {
  return `### ${inline(roleName(message.role))}\n\n${messageMarkdown(message)}`;
}

/** A message as Markdown. */
export function messageMarkdown(message: SpanMessage): string {
  return joined([...messageBlocks(message, false)]);
}

function* messageBlocks({ parts, form }: SpanMessage, isQuoted: boolean): Generator<string> {
  for (const part of parts) yield partMarkdown(part, form === "data", isQuoted);
}

function partMarkdown(part: SpanPart, isData: boolean, isQuoted: boolean): string {
  switch (part.kind) {
    case "text":
      if (isData) return fenced(textOf(part.text));
      return isQuoted ? quotedMarkdown(textOf(part.text)) : textOf(part.text);
    case "reasoning":
      return isQuoted
        ? `Reasoning:\n\n${quotedMarkdown(textOf(part.text))}`
        : quotedMarkdown(textOf(part.text));
    case "call":
      return joined([
        `**${inline(part.name)}**`,
        part.arguments === undefined ? undefined : fenced(dataOf(part.arguments)),
        part.result === undefined ? undefined : `Result:\n\n${fenced(dataOf(part.result.response))}`,
      ]);
    case "result":
      return `Result:\n\n${fenced(dataOf(part.response))}`;
    case "image":
      return `[image, ${inline(part.mimeType)}]`;
    case "link":
      return `[${inline(part.label)}] ${oneLine(part.uri, MAX_URI)}`;
    case "json":
      return fenced(dataOf(part.value));
  }
}

function toolMarkdown(tool: TranscriptTool): string {
  const { number, name, result, error, repeat } = tool;
  const again = repeat === undefined ? "" : ` (same call ${repeat.position} of ${repeat.count})`;
  return joined([
    `#### ${numbered(number)}${inline(name)}${again}`,
    tool.arguments === undefined ? undefined : fenced(dataOf(tool.arguments)),
    error === undefined ? undefined : errorMarkdown(error),
    result === undefined ? undefined : `Result:\n\n${fenced(dataOf(result.response))}`,
  ]);
}

function errorMarkdown({ type, message }: StepError): string {
  const reason = message === undefined ? "" : `\n\n${fenced(textOf(message))}`;
  return `**Failed${type === undefined ? "" : `: ${inline(type)}`}**${reason}`;
}

function dataOf(value: unknown): string {
  return isLongText(value) ? textOf(value) : prettyJson(value);
}

/** A preview says how long the text is. */
function textOf(text: LongText): string {
  return isTruncated(text) ? `${text.preview}… [${text.bytes} bytes in all]` : text;
}

/** Characters of an address. */
const MAX_URI = 2000;

/** A block quote. A carriage return ends a line of Markdown too. */
export function quotedMarkdown(text: string): string {
  return `> ${text.trim().replace(/\r\n?|\n/g, "\n> ")}`;
}

/** A code block with a fence that the text does not contain. */
function fenced(text: string): string {
  let longest = 0;
  for (const [{ length }] of text.matchAll(/`+/g)) longest = Math.max(longest, length);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function inline(text: string): string {
  return oneLine(text, 200).replace(/[\\*`[\]<>]/g, "\\$&");
}

const ROLES: ReadonlyMap<string, string> = new Map([
  ["system", "System"],
  ["developer", "Developer"],
  ["user", "User"],
  ["human", "User"],
  ["assistant", "Assistant"],
  ["model", "Assistant"],
  ["ai", "Assistant"],
  ["tool", "Tool"],
  ["function", "Tool"],
  ["input", "Input"],
  ["output", "Output"],
]);

/** The name of a role, as a page shows it. */
export function roleName(role: string): string {
  return ROLES.get(role.toLowerCase()) ?? role;
}

function numbered(number: number | undefined): string {
  return number === undefined ? "" : `${number}. `;
}

function joined(blocks: readonly (string | undefined)[]): string {
  return blocks.filter((block) => block !== undefined && block !== "").join("\n\n");
}
