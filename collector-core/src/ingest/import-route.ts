import type { IncomingMessage } from "node:http";
import type { Span } from "@obspan/sdk/wire";
import { ApiError, internalError } from "../api-schema/errors.js";
import type { ImportResult } from "../api-schema/import.js";
import type { ImportOutcome } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { SeededHash } from "../hashing/seeded-hash.js";
import type { BatchContext } from "../span/span-facts.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { shuttingDown } from "./admission.js";
import { bodyLines, type BodyLine, type BodyLineOptions } from "./body-lines.js";
import { createBodyPace, type BodyPace, type PaceLimits } from "./body-pace.js";
import { parseImportLine } from "./import-line.js";
import { createImportPlaces } from "./import-places.js";
import type { IngestGate } from "./ingest-gate.js";
import type { IngestAnswer, IngestRoute } from "./ingest-route.js";
import { requireLines } from "./media-type.js";
import type { OwnPace } from "./own-pace.js";
import { onShortChunksRefused } from "./short-chunks.js";
import { tenantProblem, type ReadTenant } from "./tenant.js";
import { validateBatch } from "./validate-batch.js";

/** Puts spans of a file where they are kept. */
export type ImportSpans = (
  context: BatchContext,
  spans: readonly Span[],
) => Promise<{ readonly imported: number; readonly evictedTraces: number }>;

/** What {@link createImportRoute} needs. */
export interface ImportRouteOptions {
  /** Undefined where `trace_store.enabled` is false. */
  readonly importSpans: ImportSpans | undefined;
  readonly gate: IngestGate;
  readonly readTenant: ReadTenant;
  readonly clock: Clock;
  /** `limits.max_body_bytes`. */
  readonly maxBodyBytes: number;
  readonly count: (outcome: ImportOutcome, spans: number) => void;
  readonly isStopping: () => boolean;
  /** The requests that this route times by itself. */
  readonly ownPace: OwnPace;
  /** Told of an import whose sender went away: there is nobody to answer. */
  readonly onAborted: (kept: string) => void;
  /** Charged with the bytes of lines. */
  readonly lineBudget: BodyLineOptions["budget"];
  /** How slowly a file may come. Default: 16 KiB within 15 s of waiting for it. */
  readonly pace?: PaceLimits;
}

/** Lines that are worked on at once. */
const MAX_LINES = 2;
const DEFAULT_PACE: PaceLimits = { windowMs: 15_000, minBytes: 16 * 1024 };
/** Spans of a line that are taken at once. */
const MAX_SPANS_AT_ONCE = 100;
/**
 * A line may be longer than what a span came in: an export writes messages twice, once under the conventions' name, and
 * JSON within JSON has more backslashes.
 */
const LINE_BODIES = 4;
const MAX_PROBLEMS = 20;
/** Traces that are told apart in the answer. */
const MAX_COUNTED_TRACES = 1_000_000;

/**
 * `POST /v1/import` (contract 3): OTLP-JSON lines, as `GET /v1/export` writes them and the OpenTelemetry Collector's file
 * exporter. A file has any length; every line stands for itself. What is read goes into the trace store, past the queue, the
 * metrics, sampling, export and evaluation: it has been through them, or belongs to somebody else's figures.
 */
export function createImportRoute(options: ImportRouteOptions): IngestRoute {
  const { importSpans, gate, clock, count } = options;
  const { pace: limits = DEFAULT_PACE, lineBudget: budget } = options;
  const places = createImportPlaces();
  const lineInTurn = createConcurrencyLimit(MAX_LINES);
  const maxLineBytes = options.maxBodyBytes * LINE_BODIES;

  async function handle(request: IncomingMessage): Promise<IngestAnswer> {
    if (options.isStopping()) throw shuttingDown();
    const headers = gate.enter(request);
    if (importSpans === undefined)
      throw new ApiError("trace_store_disabled", "The trace store is off: trace_store.enabled is false.");
    requireLines(request.headers["content-type"]);
    const tenant = options.readTenant(request);
    const pace = createBodyPace(limits, () => request.socket.bytesRead, clock);
    onShortChunksRefused(request, (error) => pace.end(error));
    return await places.run(request, pace, async () => {
      options.ownPace.begin(request);
      try {
        const result = await importAll(request, pace, tenant, importSpans);
        return { status: 200, headers, body: JSON.stringify(result) };
      } finally {
        options.ownPace.end(request);
      }
    });
  }

  async function importAll(
    request: IncomingMessage,
    pace: BodyPace,
    tenant: string,
    importLine: ImportSpans,
  ): Promise<ImportResult> {
    const result: ImportResult = {
      lines: 0,
      refused_lines: 0,
      traces: 0,
      spans: 0,
      refused_spans: 0,
      dropped_spans: 0,
      evicted_traces: 0,
      problems: [],
    };
    const traces = createTraceCounter();
    let firstError: ApiError | undefined;
    const timeSlice = new TimeSlice(clock);
    let lastLine = 0;
    try {
      await takeAll();
    } catch (error) {
      throw endedEarly(error);
    }
    // Then it is another kind of file.
    if (firstError !== undefined && result.refused_lines === result.lines) throw firstError;
    return { ...result, traces: traces.count };

    async function takeAll(): Promise<void> {
      for await (const line of bodyLines(request, { maxLineBytes, pace, budget })) {
        result.lines++;
        lastLine = line.number;
        try {
          await lineInTurn(() => takeLine(line));
        } catch (error) {
          // What is wrong with a line is no reason to leave out the others; what is wrong here is.
          if (!(error instanceof ApiError) || error.status >= 500) throw error;
          firstError ??= atLine(line.number, error);
          result.refused_lines++;
          addProblem(line.number, error.message);
        }
        if (timeSlice.isOver()) await timeSlice.next();
        if (options.isStopping()) throw shuttingDown();
      }
    }

    /** Says what was kept of a file that did not come to its end, and where it stopped. */
    function endedEarly(error: unknown): unknown {
      const counts = countsOf({ ...result, traces: traces.count });
      const kept =
        `The import ended after line ${lastLine}: ${result.spans} spans of ${traces.count} traces are kept, ` +
        `${result.refused_lines} lines and ${result.refused_spans} spans were refused.`;
      if (error instanceof RequestAborted) {
        options.onAborted(kept);
        return error;
      }
      const known = error instanceof ApiError ? error : internalError();
      // What comes of a body that nobody reads any more must not be taken for another request.
      const headers = { ...known.headers, Connection: "close" };
      const details = { ...known.details, ...counts, line: lastLine };
      const ended = new ApiError(known.code, `${known.message} ${kept}`, details, headers);
      return known === error ? ended : Object.assign(ended, { cause: error });
    }

    function addProblem(line: number, message: string): void {
      if (result.problems.length < MAX_PROBLEMS) result.problems.push({ line, message });
    }

    async function takeLine(line: BodyLine): Promise<void> {
      if (line.type === "too_long") {
        const message = `A line may have ${maxLineBytes} bytes (four times limits.max_body_bytes).`;
        throw new ApiError("body_too_large", message, { max_line_bytes: maxLineBytes });
      }
      const json = await parseImportLine(line.bytes, timeSlice);
      // Loaded when the first line comes: most collectors never see one.
      const { readOtlpJson } = await import("../otlp/read-otlp-json.js");
      const { applications, refusedSpans } = readOtlpJson(json);
      if (refusedSpans > 0) {
        result.refused_spans += refusedSpans;
        count("refused", refusedSpans);
        addProblem(line.number, `${refusedSpans} spans have no usable trace id or span id.`);
      }
      for (const { application, spans } of applications) {
        const owner = application.tenant ?? tenant;
        const problem = tenantProblem(owner);
        if (problem !== undefined) throw new ApiError("invalid_tenant", `obspan.tenant ${problem}.`);
        await takeSpans(line.number, { ...application, tenant: owner, receivedAtMs: clock.now() }, spans);
      }
    }

    /** Some at a time: everything else has its turn in between. */
    async function takeSpans(line: number, context: BatchContext, spans: readonly Span[]): Promise<void> {
      for (let from = 0; from < spans.length; from += MAX_SPANS_AT_ONCE) {
        if (timeSlice.isOver()) await timeSlice.next();
        await takeSome(line, context, spans.slice(from, from + MAX_SPANS_AT_ONCE));
      }
    }

    async function takeSome(line: number, context: BatchContext, spans: readonly Span[]): Promise<void> {
      const usable = spans.filter((span) => isUsable(line, span));
      const refused = spans.length - usable.length;
      result.refused_spans += refused;
      if (refused > 0) count("refused", refused);
      const { imported, evictedTraces } = await importLine(context, usable);
      for (const { trace_id: traceId } of usable) traces.add(context.tenant, traceId);
      result.spans += imported;
      result.evicted_traces += evictedTraces;
      result.dropped_spans += usable.length - imported;
      count("imported", imported);
      count("dropped", usable.length - imported);
    }

    /** Whether it has the shape that contract 1 wants of any span. */
    function isUsable(line: number, span: Span): boolean {
      try {
        validateBatch({ spans: [span] }, 1);
        return true;
      } catch (error) {
        addProblem(line, error instanceof ApiError ? error.message : "A span cannot be used.");
        return false;
      }
    }
  }

  return { handle };
}

/** What stands in the details of an error: numbers alone. */
function countsOf(result: ImportResult): Record<string, number> {
  return Object.fromEntries(
    Object.entries(result).filter(([, value]) => typeof value === "number"),
  ) as Record<string, number>;
}

function atLine(line: number, error: ApiError): ApiError {
  return new ApiError(error.code, `Line ${line}: ${error.message}`, { ...error.details, line });
}

function createTraceCounter() {
  const hash = new SeededHash();
  const known = new Set<number>();
  return {
    add(tenant: string, traceId: string): void {
      if (known.size < MAX_COUNTED_TRACES) known.add(hash.ofPair(tenant, traceId).number);
    },
    get count() {
      return known.size;
    },
  };
}
