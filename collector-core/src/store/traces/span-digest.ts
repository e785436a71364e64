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
      preview(lastMessageText(attributes["prompt_messages"], true)),
    output:
      preview(attributes["output_text"]) ??
      preview(attributes["completion_text"]) ??
      preview(lastMessageText(attributes["completion_messages"], false)),
    score: span.span_type === "evaluation" ? readScore(attributes) : null,
  };
}

function preview(text: unknown): string | null {
  return typeof text === "string" && text !== "" ? truncateCodePoints(text, PREVIEW_LENGTH) : null;
}

/** Roles of the people that a model answers, as APIs name them. */
const USERS: ReadonlySet<unknown> = new Set(["user", "human"]);
/** Types of the parts of a message that are texts; others are calls, results, reasoning and images. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, "text", "input_text", "output_text"]);

/** The last text of a message, of the users if asked for: in the shape of contract 1, or as APIs and frameworks have it. */
function lastMessageText(messages: unknown, isOfUser: boolean): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as unknown;
    if (typeof message === "string" && message !== "") return message;
    if (!isRecord(message) || (isOfUser && !USERS.has(message["role"] ?? message["type"]))) continue;
    const text = textIn(message["parts"] ?? message["content"]);
    if (text !== "") return text;
  }
  return undefined;
}

/** The texts of the parts of a message. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of Array.isArray(content) ? (content as unknown[]) : []) {
    const found = typeof part === "string" ? part : isRecord(part) ? textOfPart(part) : "";
    if (found !== "") text += text === "" ? found : `\n${found}`;
  }
  return text;
}

function textOfPart({ type, content, text, thought }: Record<string, unknown>): string {
  if (!TEXT_TYPES.has(type) || thought === true) return "";
  const found = content ?? text;
  return typeof found === "string" ? found : "";
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
