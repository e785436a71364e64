import { costOf, textOf as attributeText } from "../../analysis/attributes.js";
import type { SpanNode } from "../../analysis/span-tree.js";
import type {
  StepError,
  StepsEntry,
  Transcript,
  TranscriptEntry,
  TranscriptTool,
  TurnEntry,
} from "../../analysis/transcript/entries.js";
import { roleName } from "../../analysis/transcript/transcript-markdown.js";
import { durationText, markedCost } from "../trace-facts.js";
import { escapeHtml } from "./escape.js";
import { dataHtml, messageHtml, textOf, toolHtml } from "./message-html.js";

/** Deeper agents are not indented further. */
const MAX_LEVEL = 4;

/** The run as one conversation, piece by piece: an entry may have very many messages and tools. */
export function* transcriptHtml({ entries }: Transcript): Generator<string> {
  for (const entry of entries) yield* entryHtml(entry);
}

function entryHtml(entry: TranscriptEntry): Iterable<string> {
  switch (entry.kind) {
    case "message":
      return article(
        entry,
        `said ${kindOf(entry.message.role)}`,
        roleName(entry.message.role),
        messageHtml(entry.message),
      );
    case "turn": {
      const notes = [
        badge(entry.node.span.name),
        badge(attributeText(entry.node.span, "model")),
        entry.isFinal ? `<b class="final">final answer</b>` : "",
        entry.isRunning ? `<b class="running">running</b>` : "",
      ].join("");
      return article(entry, "turn", "Assistant", turnHtml(entry), notes);
    }
    case "step":
      return article(entry, "step", "", [transcriptToolHtml(entry.tool)]);
    case "steps":
      return article(entry, "steps", "", stepsHtml(entry));
    case "handoff":
      return article(
        entry,
        "handoff",
        `${entry.from} → ${entry.to}`,
        entry.note === undefined ? [] : [`<p>${escapeHtml(entry.note)}</p>`],
      );
    case "error":
      return article(entry, "step", entry.node.span.name, [errorHtml(entry.error)]);
  }
}

function* turnHtml({ reasoning, output, tools, error }: TurnEntry): Generator<string> {
  for (const message of [...reasoning, ...output]) yield* messageHtml(message);
  for (const tool of tools) yield transcriptToolHtml(tool);
  if (error !== undefined) yield errorHtml(error);
}

function* stepsHtml({ steps }: StepsEntry): Generator<string> {
  for (const { node } of steps) yield badge(node.span.name);
}

function* article(
  entry: TranscriptEntry,
  kind: string,
  title: string,
  body: Iterable<string>,
  notes = "",
): Generator<string> {
  const { node, atMs, level } = entry;
  const cost = entry.kind === "turn" ? costOf(node.span) : undefined;
  const costText = cost === undefined ? "" : markedCost(cost.usd, cost.isComputed);
  const head =
    title === "" && notes === ""
      ? ""
      : `<header><h3>${escapeHtml(title)}</h3>${notes}` +
        `${costText === "" ? "" : `<span class="cost">${costText}</span>`}</header>`;
  yield (
    `<article class="${kind} level${Math.min(level, MAX_LEVEL)}"><div class="time">${durationText(atMs)}` +
      `${entry.kind === "turn" ? tookHtml(node) : ""}</div><div class="body">${head}`
  );
  yield* body;
  yield "</div></article>\n";
}

function tookHtml({ startMs, endMs }: SpanNode): string {
  return endMs === undefined ? "" : `<small>${durationText(endMs - startMs)}</small>`;
}

function transcriptToolHtml(tool: TranscriptTool): string {
  const { name, node, error, repeat, result } = tool;
  const took = node?.endMs === undefined ? "" : `<small>${durationText(node.endMs - node.startMs)}</small>`;
  const again = repeat === undefined ? "" : `<small>same call ${repeat.position} of ${repeat.count}</small>`;
  return toolHtml({
    name,
    input: tool.arguments,
    output: result?.response,
    notes: `${again}${took}`,
    hasFailed: error !== undefined,
    after: error === undefined ? "" : errorHtml(error),
  });
}

/** Why a span failed. */
export function errorHtml({ type, message }: StepError): string {
  return (
    `<div class="error"><b>${escapeHtml(type ?? "failed")}</b>` +
    `${message === undefined ? "" : dataHtml(textOf(message))}</div>`
  );
}

function badge(text: string | undefined): string {
  return text === undefined ? "" : `<code class="badge">${escapeHtml(text)}</code>`;
}

/** The classes of the style sheet. */
function kindOf(role: string): string {
  const name = roleName(role);
  if (name === "User") return "user";
  return name === "Assistant" ? "assistant" : "other";
}
