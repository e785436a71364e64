import { attributesOf } from "../../analysis/attributes.js";
import type { Run } from "../../analysis/run.js";
import type { SpanNode } from "../../analysis/span-tree.js";
import { isLongText, prettyJson } from "../../analysis/values.js";
import { spanFigures } from "../span-line.js";
import { escapeHtml } from "./escape.js";
import { textOf } from "./message-html.js";

/** Deeper spans are not indented further. */
const MAX_DEPTH = 12;
/** Characters of an attribute in the list. The data of the page has it as far as the file does. */
const MAX_SHOWN = 2000;
/** Units of the whole width of a bar. */
const BAR = 1000;

/** The spans as a tree, piece by piece: each with its figures and its place in time, and its attributes to unfold. */
export function* spansHtml(run: Run): Generator<string> {
  const { tree } = run;
  const lengthMs = Math.max(1, tree.endMs);
  for (const node of tree.nodes) yield* spanHtml(node, run, lengthMs);
}

function* spanHtml(node: SpanNode, { numbers, hints }: Run, lengthMs: number): Generator<string> {
  const { span, id, depth } = node;
  const number = numbers.get(id);
  const hint = hints.get(id);
  const status =
    span.status === "OK" ? "" : `<b class="${classOf(span.status)}">${escapeHtml(span.status)}</b>`;
  yield (
    `<details class="span depth${Math.min(depth, MAX_DEPTH)}"><summary>` +
      `<span class="number">${number ?? ""}</span><span class="name"><i class="type ${typeOf(span.span_type)}"></i>` +
      `<bdi>${escapeHtml(span.name)}</bdi>${hint === undefined ? "" : `<small>${escapeHtml(hint)}</small>`}${status}</span>` +
      `<span class="figures">${escapeHtml(spanFigures(node).join(" · "))}</span>${barSvg(node, lengthMs)}</summary>` +
      `<dl class="attributes"><dt>span_id</dt><dd><pre>${escapeHtml(id)}</pre></dd>`
  );
  for (const [key, value] of Object.entries(attributesOf(span)))
    yield `<dt>${escapeHtml(key)}</dt><dd><pre dir="auto">${escapeHtml(shown(value))}</pre></dd>`;
  yield "</dl></details>\n";
}

/** A bar as a picture: styles of elements are not allowed. */
function barSvg({ startMs, endMs, span }: SpanNode, lengthMs: number): string {
  const x = Math.max(0, Math.min(BAR - 4, Math.round((startMs / lengthMs) * BAR)));
  const width = Math.round((((endMs ?? lengthMs) - startMs) / lengthMs) * BAR);
  const kind = span.status === "ERROR" ? "failed" : typeOf(span.span_type);
  return (
    `<svg class="bar" viewBox="0 0 ${BAR} 8" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect class="${kind}" x="${x}" y="1" width="${Math.max(4, Math.min(BAR - x, width))}" height="6"/></svg>`
  );
}

function shown(value: unknown): string {
  const text = isLongText(value) ? textOf(value) : prettyJson(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const TYPES: ReadonlySet<string> = new Set(["llm", "tool", "agent", "retrieval", "embedding", "evaluation"]);

function typeOf(type: string): string {
  return TYPES.has(type) ? type : "task";
}

function classOf(status: string): string {
  return status === "ERROR" ? "failed" : "running";
}
