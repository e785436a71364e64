import type { Span } from "@obspan/sdk/wire";
import { truncateCodePoints } from "../../span/kept-text.js";
import { isRecord, MAX_LABEL_LENGTH, MAX_NAME_LENGTH } from "../../span/span-facts.js";

/** Characters of a preview (contract 3). */
const PREVIEW_LENGTH = 200;

/** A score in the summary of a trace. */
export interface Score {
  type: string;
  score: number;
  label: string | null;
}

/** The text of a span that the summary of its trace may show. */
export interface SpanDigest {
  readonly name: string;
  readonly input: string | null;
  readonly output: string | null;
  readonly score: Score | null;
}

/** Reads the digest of a span. */
export function digestSpan(span: Span): SpanDigest {
  const attributes: Record<string, unknown> = isRecord(span.attributes) ? span.attributes : {};
  return {
    name: truncateCodePoints(span.name, MAX_NAME_LENGTH),
    input:
      preview(attributes["input_text"]) ??
      preview(attributes["prompt_text"]) ??
      preview(lastMessageText(attributes["prompt_messages"], "user")),
    output:
      preview(attributes["output_text"]) ??
      preview(attributes["completion_text"]) ??
      preview(lastMessageText(attributes["completion_messages"])),
    score: span.span_type === "evaluation" ? readScore(attributes) : null,
  };
}

function preview(text: unknown): string | null {
  return typeof text === "string" && text !== "" ? truncateCodePoints(text, PREVIEW_LENGTH) : null;
}

/** The last text of a message, of that role if given. */
function lastMessageText(messages: unknown, role?: string): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  for (const message of (messages as unknown[]).toReversed()) {
    if (!isRecord(message) || (role !== undefined && message["role"] !== role)) continue;
    if (!Array.isArray(message["parts"])) continue;
    let text = "";
    for (const part of message["parts"] as unknown[]) {
      if (!isRecord(part) || part["type"] !== "text" || typeof part["content"] !== "string") continue;
      text += text === "" ? part["content"] : `\n${part["content"]}`;
    }
    if (text !== "") return text;
  }
  return undefined;
}

function readScore(attributes: Record<string, unknown>): Score | null {
  const type = attributes["evaluation_type"];
  const score = attributes["evaluation_score"];
  const label = attributes["evaluation_label"];
  if (typeof type !== "string" || typeof score !== "number" || !(score >= 0 && score <= 1)) return null;
  return {
    type: truncateCodePoints(type, MAX_LABEL_LENGTH),
    score,
    label: typeof label === "string" ? truncateCodePoints(label, MAX_LABEL_LENGTH) : null,
  };
}
