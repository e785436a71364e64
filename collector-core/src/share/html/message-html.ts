import { imageAddress } from "../../analysis/image-address.js";
import type { SpanMessage, SpanPart } from "../../analysis/message.js";
import { inlineJson, isLongText, isTruncated, prettyJson, type LongText } from "../../analysis/values.js";
import { whole } from "../../runtime/counted.js";
import { escapeHtml } from "./escape.js";

/** The parts of a message. Nothing in it can be clicked, and no image is fetched. */
export function* messageHtml({ parts, form }: SpanMessage): Generator<string> {
  for (const part of parts) yield partHtml(part, form === "data");
}

function partHtml(part: SpanPart, isData: boolean): string {
  switch (part.kind) {
    case "text":
      return isData ? dataHtml(part.text) : proseHtml(part.text);
    case "reasoning":
      return `<div class="thought">${proseHtml(part.text)}</div>`;
    case "call":
      return toolHtml({ name: part.name, input: part.arguments, output: part.result?.response });
    case "result":
      return dataHtml(part.response);
    case "image":
      return imageHtml(part.mimeType, part.content);
    case "link":
      return `<p class="link">${escapeHtml(part.label)} <code>${escapeHtml(part.uri)}</code></p>`;
    case "json":
      return dataHtml(part.value);
  }
}

/** A tool as a card: its arguments, and what it returned. Undefined is left out. */
export function toolHtml(tool: {
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly notes?: string;
  readonly hasFailed?: boolean;
  readonly after?: string;
}): string {
  const { name, input, output, notes = "", hasFailed = false, after = "" } = tool;
  const line = input === undefined ? undefined : isLongText(input) ? shortText(input) : shortLine(input);
  const beside = line === undefined ? "" : `<code class="input" dir="auto">${escapeHtml(line)}</code>`;
  return (
    `<details class="card${hasFailed ? " failed" : ""}" open><summary><code>${escapeHtml(name)}</code>${beside}${notes}</summary>` +
    (input === undefined || line !== undefined ? "" : dataHtml(input)) +
    after +
    (output === undefined ? "" : `<div class="result">${dataHtml(output)}</div>`) +
    "</details>"
  );
}

/** Most characters of data in one line. */
const LINE = 100;

/** A small value in one line. */
function shortLine(value: unknown): string | undefined {
  const text = prettyJson(value);
  if (text.length > LINE * 2) return undefined;
  const line = inlineJson(value);
  return line.length <= LINE ? line : undefined;
}

/** A short text without line breaks, as it is. */
function shortText(text: LongText): string | undefined {
  return isTruncated(text) || text.length > LINE || /[\n\r]/.test(text) ? undefined : text;
}

/** Data: monospace text, as it is. */
export function dataHtml(value: unknown): string {
  const text = isLongText(value) ? textOf(value) : (shortLine(value) ?? prettyJson(value));
  return `<pre dir="auto">${escapeHtml(text)}</pre>`;
}

/** What a person or a model wrote, with its code blocks. */
export function proseHtml(text: LongText): string {
  // Every second piece is inside a fence.
  const pieces = textOf(text).split(/^ {0,3}```[^\n`]*$/m);
  return pieces
    .map((piece, index) => {
      const shown = piece.replace(/^\n+/, "").trimEnd();
      if (shown === "") return "";
      return index % 2 === 1
        ? `<pre>${escapeHtml(shown)}</pre>`
        : `<div class="prose" dir="auto">${marked(escapeHtml(shown))}</div>`;
    })
    .join("");
}

/** Headings, bold text and code of Markdown, in a text that is escaped already. The rest is shown as it was written. */
function marked(escaped: string): string {
  return escaped
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*\n]+)\*\*/g, "<strong>$1</strong>")
    .replace(/^#{1,6} (.+)$/gm, "<strong>$1</strong>");
}

/** A text that was cut says how long it is. */
export function textOf(text: LongText): string {
  return isTruncated(text) ? `${text.preview}… [${whole(text.bytes)} bytes in all]` : text;
}

function imageHtml(mimeType: string, content: LongText): string {
  const address = isTruncated(content) ? undefined : imageAddress(mimeType, content);
  if (address !== undefined) return `<img alt="Image of the message" src="${escapeHtml(address)}">`;
  const what = isTruncated(content) ? `${whole(content.bytes)} bytes` : content.slice(0, 200);
  return `<p class="link">Image, ${escapeHtml(mimeType)} <code>${escapeHtml(what)}</code></p>`;
}
