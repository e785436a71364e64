import type { SpanPart } from "../message.js";
import type { MessageUnit } from "../transcript/message-units.js";
import { isLongText, isRecord, isTruncated, parseJsonText, prettyJson, type LongText } from "../values.js";
import type { ToolDefinition } from "./tool-definitions.js";
import { unitKey } from "./unit-key.js";

/** A piece of text in one step. */
export interface TextItem {
  /** Equal for equal pieces. */
  readonly key: string;
  /** Equal for pieces of one kind: in the same place, one is a new version of the other. */
  readonly like: string;
  /** The role, or the name of the tool. */
  readonly label: string;
  /** Prose is what a person or a model wrote; data is shown as it is. */
  readonly form: "prose" | "plain" | "data";
  readonly text: string;
  /** The schema of a tool, which is shown where it differs. */
  readonly schema?: string;
}

/** A piece of a message. */
export function itemOfUnit(unit: MessageUnit): TextItem {
  const { parts, role, message } = unit;
  const [part] = parts;
  const like = JSON.stringify([role, part?.kind, part?.kind === "call" ? part.name : ""]);
  if (part?.kind === "reasoning")
    return { key: unitKey(unit), like, label: "reasoning", form: "prose", text: shown(part.text) };
  if (part?.kind === "text" && message.form !== "data")
    return { key: unitKey(unit), like, label: role, form: message.form, text: parts.map(partText).join("") };
  const label = part?.kind === "call" ? part.name : role;
  const text = parts.map(partText).join("");
  const data = part?.kind === "text" ? dataText(text) : text;
  // Fields of JSON have no order.
  return { key: data === text ? unitKey(unit) : data, like, label, form: "data", text: data };
}

/** A tool that a model could call. */
export function itemOfTool({ name, description, parameters, key }: ToolDefinition): TextItem {
  const schema = prettyJson(sorted(parameters ?? null));
  const text = `(${argumentNames(parameters).join(", ")}) ${description}`;
  return { key, like: name, label: name, form: "data", text, schema };
}

function argumentNames(schema: unknown): string[] {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

function partText(part: SpanPart): string {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return shown(part.text);
    case "call":
      return part.arguments === undefined ? "" : dataText(part.arguments);
    case "result":
      return dataText(part.response);
    case "image":
      return `[${part.mimeType}, ${isTruncated(part.content) ? part.content.bytes : part.content.length} characters in base64]`;
    case "link":
      return part.uri;
    case "json":
      return dataText(part.value);
  }
}

/** Data as text: JSON is indented, with sorted keys, so that only what differs in it differs in the text. */
function dataText(value: unknown): string {
  if (!isLongText(value)) return prettyJson(sorted(value));
  const parsed = typeof value === "string" ? parseJsonText(value) : undefined;
  return parsed === undefined ? shown(value) : prettyJson(sorted(parsed));
}

function shown(text: LongText): string {
  return isTruncated(text) ? `${text.preview}…` : text;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value) || isTruncated(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}
