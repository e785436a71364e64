import { attributesOf } from "../../analysis/attributes.js";
import { messageSources, messagesOf } from "../../analysis/messages.js";
import type { Run } from "../../analysis/run.js";
import type { SpanNode } from "../../analysis/span-tree.js";
import { messagesMarkdown } from "../../analysis/transcript/transcript-markdown.js";
import { prettyJson } from "../../analysis/values.js";
import type { NormalizedSpan } from "../../api-schema/trace.js";
import { durationText } from "../../share/trace-facts.js";
import { spanFigures } from "../../share/span-line.js";
import type { Output } from "../output/output.js";
import { wrapped } from "../output/paragraph.js";
import { safeLine, safeText } from "../output/safe-text.js";
import { statusColour } from "../trace-columns.js";

/** Prints one step whole: what went in and out, and its attributes. */
export function printStep(span: NormalizedSpan, node: SpanNode, { numbers }: Run, output: Output): void {
  const { colours } = output;
  const colour = statusColour(span.status, colours) ?? colours.bold;
  const facts = [
    span.span_type,
    `at ${durationText(node.startMs)}`,
    ...spanFigures(node),
    `span ${span.span_id}`,
  ].map(safeLine);
  output.print(
    `${colours.bold(`#${numbers.get(node.id) ?? ""} ${safeLine(span.name)}`)}  ${colour(safeLine(span.status.toLowerCase()))}\n`,
  );
  for (const line of wrapped(facts, " · ", output.columns)) output.print(`${line}\n`);
  const { input, output: answer } = messagesOf(span);
  for (const [title, messages] of [
    ["Input", input],
    ["Output", answer],
  ] as const)
    if (messages.length > 0)
      output.print(
        `\n${colours.bold(`── ${title}`)}\n\n${indented(messagesMarkdown(messages, title).trimEnd())}\n`,
      );
  const sources = messageSources(span);
  const others = Object.entries(attributesOf(span)).filter(([key]) => !Object.hasOwn(sources, key));
  if (others.length > 0) output.print(`\n${colours.bold("── Attributes")}\n\n`);
  for (const [key, value] of others)
    output.print(
      `${colours.dim(safeLine(key))} ${indented(typeof value === "string" ? value : prettyJson(value)).trimStart()}\n`,
    );
  if (span.events.length > 0)
    output.print(`\n${colours.bold("── Events")}\n\n${indented(prettyJson(span.events))}\n`);
}

/** A text of a sender. Titles begin at the margin: a text cannot look like one. */
function indented(text: string): string {
  return safeText(text).replace(/^(?=.)/gm, "  ");
}
