import { parseJsonOrText } from "../json-fields.js";
import type { BodyReader } from "../model-client/stream-settings.js";
import { EventStreamReader } from "./event-stream-reader.js";
import { LineReader } from "./line-reader.js";

/** Creates the reader of lines of JSON or of messages of AWS; undefined for any other type of content. */
export function createReader(contentType: string, onChunk: (chunk: unknown) => void): BodyReader | undefined {
  if (contentType.includes("vnd.amazon.eventstream")) return new EventStreamReader(onChunk);
  if (!/ndjson|jsonl|json-lines|stream\+json/.test(contentType)) return undefined;
  return new LineReader((line) => onChunk(parseJsonOrText(line)));
}
