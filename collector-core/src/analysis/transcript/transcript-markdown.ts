import { oneLine } from "../attributes.js";
import type { SpanMessage, SpanPart } from "../message.js";
import { isLongText, isTruncated, prettyJson, type LongText } from "../values.js";
import type { StepError, Transcript, TranscriptEntry, TranscriptTool } from "./entries.js";

/** A transcript as Markdown, to paste into a ticket or a prompt. */
export function transcriptMarkdown({ entries }: Transcript): string {
  return `${entries.map(entryMarkdown).join("\n\n")}\n`;
}

/** One entry as Markdown. */
export function entryMarkdown(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case "message":
      return messagesMarkdown([entry.message]).trimEnd();
    case "turn":
      return joined([
        `### ${numbered(entry.number)}Assistant, ${entry.node.span.name}`,
        ...[...entry.reasoning, ...entry.output].map(messageMarkdown),
        ...entry.tools.map(toolMarkdown),
        entry.error && errorMarkdown(entry.error),
      ]);
    case "step":
      return toolMarkdown(entry.tool);
    case "steps":
      return entry.steps.map(({ node, number }) => `- ${numbered(number)}${node.span.name}`).join("\n");
    case "handoff":
      return joined([`### ${numbered(entry.number)}${entry.from} → ${entry.to}`, entry.note]);
    case "error":
      return joined([`### ${entry.node.span.name}`, errorMarkdown(entry.error)]);
  }
}

/**
 * Messages as Markdown, each under its role.
 *
 * @param title - what they stand under, such as `Input`: the first message does not repeat it.
 */
export function messagesMarkdown(messages: readonly SpanMessage[], title?: string): string {
  const blocks = messages.map((message, index) => {
    const role = roleName(message.role);
    const text = messageMarkdown(message);
    return index === 0 && role === title ? text : `### ${role}\n\n${text}`;
  });
  return `${blocks.join("\n\n")}\n`;
}

/** A message as Markdown. */
export function messageMarkdown({ parts, form }: SpanMessage): string {
  return joined(parts.map((part) => partMarkdown(part, form === "data")));
}

function partMarkdown(part: SpanPart, isData: boolean): string {
  switch (part.kind) {
    case "text":
      return isData ? fenced(textOf(part.text)) : textOf(part.text);
    case "reasoning":
      return textOf(part.text)
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
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
      return `[${inline(part.label)}] ${part.uri}`;
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

/** A code block with a fence that the text does not contain. */
function fenced(text: string): string {
  const longest = text.match(/`+/g)?.reduce((most, { length }) => Math.max(most, length), 0) ?? 0;
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function inline(text: string): string {
  return oneLine(text, 200).replace(/[*`[\]]/g, "\\$&");
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
