import { textOf, isFailure } from "../analysis/attributes.js";
import type { Run } from "../analysis/run.js";
import type { SpanNode } from "../analysis/span-tree.js";
import { entryBlocks } from "../analysis/transcript/transcript-markdown.js";
import { inlineMarkdown, RECORDED } from "./markdown-text.js";
import type { FileContent } from "./shared-trace.js";
import { spanFigures } from "./span-line.js";
import { fileNotes, traceFacts } from "./trace-facts.js";

/** Deeper spans are not indented further: Markdown would show them as code. */
const MAX_INDENT = 12;

/** A trace as Markdown, for a coding agent or a ticket: figures, errors, the conversation, and the spans. */
export function* traceMarkdown({ shared, run, transcript }: FileContent): Generator<string> {
  const { summary } = shared;
  yield `# Trace: ${inlineMarkdown(summary.root_name)}\n\n`;
  for (const { name, value } of traceFacts(summary)) yield `- ${name}: ${inlineMarkdown(value)}\n`;
  yield `- Trace id: ${inlineMarkdown(summary.trace_id)}\n`;
  yield `\n${[...fileNotes(shared), RECORDED].join(" ")}\n`;
  yield* errors(run);
  yield "\n## Transcript\n\n";
  for (const entry of transcript.entries)
    for (const block of entryBlocks(entry, true)) if (block !== "") yield `${block}\n\n`;
  yield "## Spans\n\n";
  for (const node of run.tree.nodes) yield spanLine(node, run);
}

function* errors({ tree, numbers }: Run): Generator<string> {
  const failed = tree.nodes.filter(({ span }) => isFailure(span));
  if (failed.length === 0) return;
  yield "\n## Errors\n\n";
  for (const { id, span } of failed) {
    const type = textOf(span, "error_type");
    const message = textOf(span, "error_message");
    const reason = [type, message].filter((part) => part !== undefined).join(": ");
    yield `- ${numbered(numbers.get(id))}${inlineMarkdown(span.name)}${reason === "" ? "" : `: ${inlineMarkdown(reason)}`}\n`;
  }
}

function spanLine(node: SpanNode, { numbers, hints }: Run): string {
  const { span } = node;
  const indent = "  ".repeat(Math.min(node.depth, MAX_INDENT));
  const hint = hints.get(node.id);
  const parts = [span.span_type, ...spanFigures(node), ...(span.status === "OK" ? [] : [span.status])];
  const name = `${numbered(numbers.get(node.id))}${inlineMarkdown(span.name)}${hint === undefined ? "" : ` ${inlineMarkdown(hint)}`}`;
  return `${indent}- ${name} (${parts.map(inlineMarkdown).join(", ")})\n`;
}

function numbered(number: number | undefined): string {
  return number === undefined ? "" : `#${number} `;
}
