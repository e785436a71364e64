import type { Readable } from "node:stream";
import { isRecord } from "../../analysis/values.js";
import { CommandFailure } from "../command-failure.js";
import { textLines } from "./text-lines.js";

/** Spans that are sent in one batch. */
const BATCH = 200;
/** Longest text that is not JSON lines. The collector takes no longer body. */
const MAX_TEXT = 256 * 2 ** 20;

const NOT_SPANS =
  'it is neither a batch {"service", "spans"}, nor a span {"name", "trace_id"}, nor OTLP {"resourceSpans"}';

/** A request to make, or why a value is none. */
export type SpanRequest =
  | {
      readonly type: "request";
      /** Where its value begins. */
      readonly line: number;
      readonly path: "/v1/telemetry" | "/v1/traces";
      readonly value: unknown;
      readonly spans: number;
      /** The same in two requests; undefined for what was a batch in the file. */
      readonly halves?: () => readonly [SpanRequest, SpanRequest];
    }
  | { readonly type: "problem"; readonly line: number; readonly message: string; readonly spans: 0 };

/** The batch of spans that come without one. */
interface BatchFields {
  readonly service: string | undefined;
  readonly env: string | undefined;
}

/**
 * Reads JSON, or JSON lines, as requests with spans. Spans on lines of their own are gathered.
 *
 * @throws CommandFailure if the text is neither.
 */
export async function* readRequests(stream: Readable, fields: BatchFields): AsyncGenerator<SpanRequest> {
  const gathered = new SpanGroup(fields);
  for await (const { value, line, problem } of readValues(stream)) {
    if (problem !== undefined) yield { type: "problem", line, message: problem, spans: 0 };
    else if (isRecord(value) && Array.isArray(value["resourceSpans"]))
      yield requestOf("/v1/traces", value, line, otlpSpans(value["resourceSpans"]));
    else if (isRecord(value) && Array.isArray(value["spans"]))
      yield requestOf("/v1/telemetry", value, line, value["spans"].length);
    else
      for (const span of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (!isRecord(span) || !("trace_id" in span)) {
          yield { type: "problem", line, message: NOT_SPANS, spans: 0 };
          break;
        }
        yield* gathered.add(span, line);
      }
  }
  yield* gathered.rest();
}

function requestOf(
  path: "/v1/telemetry" | "/v1/traces",
  value: unknown,
  line: number,
  spans: number,
): SpanRequest & { readonly type: "request" } {
  return { type: "request", path, value, line, spans };
}

/** A span with its line. */
interface LineSpan {
  readonly span: unknown;
  readonly line: number;
}

/** A batch of spans that came without one. */
function gatheredRequest(list: readonly LineSpan[], fields: BatchFields): SpanRequest {
  const value = { ...fields, spans: list.map(({ span }) => span) };
  const request = requestOf("/v1/telemetry", value, list[0]?.line ?? 1, list.length);
  if (list.length < 2) return request;
  const middle = Math.ceil(list.length / 2);
  const halves = () =>
    [gatheredRequest(list.slice(0, middle), fields), gatheredRequest(list.slice(middle), fields)] as const;
  return { ...request, halves };
}

/** Spans that wait until they are a batch. */
class SpanGroup {
  readonly #fields: BatchFields;
  #list: LineSpan[] = [];

  constructor(fields: BatchFields) {
    this.#fields = fields;
  }

  *add(span: unknown, line: number): Generator<SpanRequest> {
    this.#list.push({ span, line });
    if (this.#list.length === BATCH) yield* this.rest();
  }

  *rest(): Generator<SpanRequest> {
    const list = this.#list;
    this.#list = [];
    if (list.length > 0) yield gatheredRequest(list, this.#fields);
  }
}

interface ReadValue {
  readonly value?: unknown;
  readonly line: number;
  readonly problem?: string;
}

/** The values of lines, if the first line with a text is a value; otherwise the value of the whole text. */
async function* readValues(stream: Readable): AsyncGenerator<ReadValue> {
  let line = 0;
  let firstLine = 1;
  /** Undefined until a line with a text was read; then the text so far unless it is read by line. */
  let whole: string[] | undefined;
  let isByLine = false;
  let length = 0;
  for await (const text of textLines(stream)) {
    line++;
    const content = line === 1 ? text.replace(/^\ufeff/, "") : text;
    if (content.trim() === "") continue;
    if (whole === undefined && !isByLine) {
      firstLine = line;
      isByLine = parsed(content) !== undefined;
    }
    if (isByLine) {
      const value = parsed(content);
      yield value === undefined ? { line, problem: "it is not JSON" } : { line, ...value };
      continue;
    }
    (whole ??= []).push(content);
    length += content.length;
    if (length > MAX_TEXT) throw new CommandFailure("The text is too long, and not JSON lines.");
  }
  if (whole === undefined) return;
  const value = parsed(whole.join("\n"));
  if (value === undefined)
    throw new CommandFailure(`The text is neither JSON nor JSON lines: line ${firstLine} is no value.`);
  yield { line: firstLine, ...value };
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function otlpSpans(resourceSpans: readonly unknown[]): number {
  let count = 0;
  for (const resource of resourceSpans)
    for (const scope of listIn(resource, "scopeSpans")) count += listIn(scope, "spans").length;
  return count;
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? (list as readonly unknown[]) : [];
}
