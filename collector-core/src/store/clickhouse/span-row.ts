import type { Span } from "@obspan/sdk/wire";
import { originOf, type PipelineSpan } from "../../span/pipeline-span.js";
import { truncateCodePoints } from "../../span/kept-text.js";
import { isRecord, MAX_NAME_LENGTH } from "../../span/span-facts.js";
import { foldCase } from "../memory/search/case-folding.js";
import { digestSpan, type Score } from "../traces/span-digest.js";
import { flagsOf } from "../traces/span-flags.js";
import { FLAG } from "../traces/span-table.js";

/** What the summary of a trace reads of a row of `spans`. */
export interface FactRow {
  readonly tenant: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly received_ms: number;
  readonly arrival: number;
  readonly parent_span_id: string;
  readonly name: string;
  readonly service: string;
  readonly env: string;
  readonly app_version: string | null;
  readonly span_type: string;
  readonly status: string;
  readonly model: string;
  readonly provider: string;
  readonly agent: string;
  readonly tool_name: string;
  readonly prompt_name: string;
  readonly prompt_version: string;
  readonly error_type: string;
  readonly evaluation_type: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly flags: number;
  readonly start_ms: number;
  readonly start_nanos: number;
  readonly duration_ms: number | null;
  readonly tokens_input: number | null;
  readonly tokens_output: number | null;
  readonly cost_usd: number | null;
  readonly ttft_ms: number | null;
  readonly input_preview: string | null;
  readonly output_preview: string | null;
  readonly score: string;
}

/** A row of `spans` as it is written. */
export interface SpanRow extends FactRow {
  /** A number of 62 bits. */
  readonly version: string;
  readonly search_text: string;
  readonly json: string;
}

/** The columns of {@link FactRow}. */
export const FACT_COLUMNS = [
  ...["tenant", "trace_id", "span_id", "received_ms", "arrival", "parent_span_id", "name", "service", "env"],
  ...["app_version", "span_type", "status", "model", "provider", "agent", "tool_name", "prompt_name"],
  ...["prompt_version", "error_type", "evaluation_type", "session_id", "user_id", "flags", "start_ms"],
  ...["start_nanos", "duration_ms", "tokens_input", "tokens_output", "cost_usd", "ttft_ms"],
  ...["input_preview", "output_preview", "score"],
].join(", ");

/** Spans of one millisecond that have a number of their own; further ones take those of the next millisecond. */
export const ARRIVALS_PER_MS = 4096;
/** Set in the version of a span that has ended. */
const ENDED = 2n ** 62n;
/** Estimated size of a row in memory, without its two long texts. */
const ROW_BYTES = 1500;

/** Numbers spans in order of arrival. Collectors share the clock of the queue, and few spans arrive in one millisecond. */
export class Arrivals {
  #ms = 0;
  #next = 0;

  next(receivedAtMs: number): number {
    if (receivedAtMs !== this.#ms) {
      this.#ms = receivedAtMs;
      this.#next = Math.trunc(receivedAtMs) * ARRIVALS_PER_MS;
    }
    return this.#next++;
  }
}

/** The row of a span. Its texts are well-formed: one lone surrogate would fail the insert of all rows. */
export function spanRowOf(pipelineSpan: PipelineSpan, arrivals: Arrivals): SpanRow {
  const { span, facts, context, countsUsage } = pipelineSpan;
  const arrival = arrivals.next(context.receivedAtMs);
  const { name, input, output, score } = digestSpan(span);
  return {
    tenant: context.tenant.toWellFormed(),
    trace_id: facts.traceId,
    span_id: facts.spanId,
    version: String(BigInt(arrival) + (facts.isRunning ? 0n : ENDED)),
    received_ms: Math.trunc(context.receivedAtMs),
    arrival,
    parent_span_id: facts.parentSpanId,
    name: name.toWellFormed(),
    service: context.service.toWellFormed(),
    env: context.env.toWellFormed(),
    app_version: context.version?.toWellFormed() ?? null,
    span_type: facts.spanType.toWellFormed(),
    status: facts.status.toWellFormed(),
    model: facts.model.toWellFormed(),
    provider: facts.provider.toWellFormed(),
    agent: facts.agent.toWellFormed(),
    tool_name: facts.toolName.toWellFormed(),
    prompt_name: facts.promptName.toWellFormed(),
    prompt_version: facts.promptVersion.toWellFormed(),
    error_type: facts.errorCategory,
    evaluation_type: facts.evaluationType.toWellFormed(),
    session_id: facts.sessionId.toWellFormed(),
    user_id: facts.userId.toWellFormed(),
    flags: flagsOf(facts, countsUsage),
    start_ms: facts.start.epochMs,
    start_nanos: facts.start.nanos,
    duration_ms: facts.durationMs ?? null,
    tokens_input: facts.tokensInput ?? null,
    tokens_output: facts.tokensOutput ?? null,
    cost_usd: facts.costUsd ?? null,
    ttft_ms: facts.ttftMs ?? null,
    input_preview: input?.toWellFormed() ?? null,
    output_preview: output?.toWellFormed() ?? null,
    score: score === null ? "" : JSON.stringify(wellFormedScore(score)),
    search_text: searchTextOf(span),
    json: jsonOf(pipelineSpan),
  };
}

/** Estimated memory of a row. */
export function bytesOfRow({ json, search_text }: SpanRow): number {
  return ROW_BYTES + json.length + search_text.length;
}

/** True for a row of a span that has started and not ended. */
export function isRunning({ flags }: Pick<FactRow, "flags">): boolean {
  return (flags & FLAG.running) !== 0;
}

/** The JSON writes a lone surrogate as an escape, which is plain ASCII. */
function jsonOf(pipelineSpan: PipelineSpan): string {
  const { span } = pipelineSpan;
  const { generatedSpanId } = originOf(pipelineSpan);
  return JSON.stringify(generatedSpanId === undefined ? span : { ...span, span_id: generatedSpanId });
}

function wellFormedScore({ type, score, label }: Score): Score {
  return { type: type.toWellFormed(), score, label: label?.toWellFormed() ?? null };
}

/** Between two texts: no search finds what begins in one and ends in another. */
const SEPARATOR = "\0";

/** The texts that a search compares: see `SpanText`. */
function searchTextOf({ name, attributes }: Span): string {
  const texts = [truncateCodePoints(name, MAX_NAME_LENGTH)];
  if (isRecord(attributes)) addTexts(texts, attributes);
  return foldCase(texts.join(SEPARATOR)).toWellFormed();
}

function addTexts(texts: string[], value: unknown): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) addTexts(texts, inner);
}
