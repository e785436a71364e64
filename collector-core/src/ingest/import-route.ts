import type { IncomingMessage } from "node:http";
import type { Span } from "@obspan/sdk/wire";
import { ApiError, internalError } from "../api-schema/errors.js";
import type { ImportResult } from "../api-schema/import.js";
import type { ImportOutcome } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { RequestAborted } from "../runtime/request-aborted.js";
import { SeededHash } from "../hashing/seeded-hash.js";
import type { readOtlpJsonInSteps } from "../otlp/read-otlp-json.js";
import type { SpanMarks } from "../otlp/span-marks.js";
import type { BatchContext } from "../span/span-facts.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { runInSlices } from "../runtime/steps.js";
import { shuttingDown } from "./admission.js";
import { bodyLines, type BodyLine, type BodyLineOptions } from "./body-lines.js";
import { createBodyPace, type BodyPace, type PaceLimits } from "./body-pace.js";
import { parseImportLine } from "./import-line.js";
import { createImportSlots } from "./import-slots.js";
import { createSpanGroups, type SpanGroup } from "./span-groups.js";
import type { IngestGate } from "./ingest-gate.js";
import type { IngestResponse, IngestRoute } from "./ingest-route.js";
import { requireJsonLines } from "./media-type.js";
import type { ExemptRequests } from "./exempt-requests.js";
import { onShortChunksRefused } from "./short-chunks.js";
import { tenantProblem, type ReadTenant } from "./tenant.js";
import { validateBatch } from "./validate-batch.js";

/** Stores the spans of one import. */
export interface SpanImport {
  /**
   * Resolves with the number of stored spans. `body` is their JSON, as of a batch; `marks` are what the file has with spans
   * beside their JSON.
   */
  store(
    context: BatchContext,
    spans: readonly Span[],
    body: Buffer,
    marks: ReadonlyMap<Span, SpanMarks>,
  ): Promise<number>;
  /** Resolves with what became of the stored spans. */
  end(): Promise<{
    readonly evictedTraces: number;
    readonly unsavedSpans: number;
    readonly reason: string | null;
  }>;
}

/** Options of {@link createImportRoute}. */
export interface ImportRouteOptions {
  /** Undefined if `trace_store.enabled` is false. */
  readonly beginImport: (() => SpanImport) | undefined;
  readonly gate: IngestGate;
  readonly readTenant: ReadTenant;
  readonly clock: Clock;
  /** `limits.max_body_bytes`. */
  readonly maxBodyBytes: number;
  readonly count: (outcome: ImportOutcome, spans: number) => void;
  readonly isStopping: () => boolean;
  /** Exempts requests from the time limits of the server; {@link pace} limits them. */
  readonly exemptRequests: ExemptRequests;
  /** Called when the client of an import has disconnected. */
  readonly onAborted: (kept: string) => void;
  /** Memory budget, charged with the bytes of lines. */
  readonly lineBudget: BodyLineOptions["budget"];
  /** Minimum speed of a file. Default: 16 KiB for each 15 s of waiting. */
  readonly pace?: PaceLimits;
}

/** Maximum number of lines that are processed concurrently. */
const MAX_LINES = 2;
const DEFAULT_PACE: PaceLimits = { windowMs: 15_000, minBytes: 16 * 1024 };
/**
 * Maximum length of a line, in units of `limits.max_body_bytes`. A line may be longer than the body that its spans arrived
 * in: an export writes messages twice, the second time under the name of the semantic conventions, and nested JSON has
 * more backslashes.
 */
const LINE_SIZE_FACTOR = 4;
/**
 * Maximum size of the spans of a line as JSON, in units of its own maximum. Spans of other libraries repeat the attributes
 * of their resource and the name of their scope.
 */
const MAPPED_SIZE_FACTOR = 4;
const MAX_PROBLEMS = 20;
/** Maximum count of traces in the response. */
const MAX_COUNTED_TRACES = 1_000_000;

/**
 * `POST /v1/import` (contract 3): reads the OTLP-JSON lines of `GET /v1/export` and of the file exporter of the
 * OpenTelemetry Collector. A file may have any length; each line is independent. Spans go directly into the trace store.
 * They bypass the queue, metrics, sampling, export and evaluation, because they have passed them before or belong to
 * another system.
 */
export function createImportRoute(options: ImportRouteOptions): IngestRoute {
  const { beginImport, gate, clock, count } = options;
  const { pace: limits = DEFAULT_PACE, lineBudget: budget } = options;
  const slots = createImportSlots();
  let readOtlpJson: typeof readOtlpJsonInSteps | undefined;
  const limitLines = createConcurrencyLimit(MAX_LINES);
  const maxLineBytes = options.maxBodyBytes * LINE_SIZE_FACTOR;
  const maxMappedLength = maxLineBytes * MAPPED_SIZE_FACTOR;

  async function handle(request: IncomingMessage): Promise<IngestResponse> {
    if (options.isStopping()) throw shuttingDown();
    const { headers } = gate.enter(request);
    if (beginImport === undefined)
      throw new ApiError("trace_store_disabled", "The trace store is off: trace_store.enabled is false.");
    requireJsonLines(request.headers["content-type"]);
    const tenant = options.readTenant(request);
    const pace = createBodyPace(limits, () => request.socket.bytesRead, clock);
    onShortChunksRefused(request, (error) => pace.end(error));
    return await slots.run(request, pace, async () => {
      options.exemptRequests.begin(request);
      try {
        const result = await importAll(request, pace, tenant, beginImport());
        return { status: 200, headers, body: JSON.stringify(result) };
      } finally {
        options.exemptRequests.end(request);
      }
    });
  }

  async function importAll(
    request: IncomingMessage,
    pace: BodyPace,
    tenant: string,
    spanImport: SpanImport,
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
    let hasUnsaved = false;
    const failure: unknown = await importLines().catch((error: unknown) => error);
    const unsaved: unknown = await endImport().catch((error: unknown) => error);
    if (failure !== undefined || unsaved !== undefined) throw incompleteImport(failure ?? unsaved);
    // If every line was refused, the file has another format.
    if (firstError !== undefined && result.refused_lines === result.lines) throw firstError;
    return { ...result, traces: traces.count };

    async function importLines(): Promise<void> {
      for await (const line of bodyLines(request, { maxLineBytes, pace, budget, timeSlice })) {
        result.lines++;
        lastLine = line.number;
        try {
          await limitLines(() => importLine(line));
        } catch (error) {
          // A client error affects one line. A server error ends the import.
          if (!(error instanceof ApiError) || error.status >= 500) throw error;
          firstError ??= atLine(line.number, error);
          result.refused_lines++;
          addProblem(line.number, error.message);
        }
        if (timeSlice.isOver()) await timeSlice.next();
        if (options.isStopping()) throw shuttingDown();
      }
    }

    /** Counts what became of the spans. Returns an error if the store could not save all of them. */
    async function endImport(): Promise<ApiError | undefined> {
      const { evictedTraces, unsavedSpans, reason } = await spanImport.end();
      result.evicted_traces = evictedTraces;
      if (unsavedSpans === 0) return undefined;
      hasUnsaved = true;
      result.spans = Math.max(0, result.spans - unsavedSpans);
      return new ApiError(
        "trace_store_unavailable",
        `${reason ?? "The trace store could not save all spans."} ${unsavedSpans} spans are not kept. Import the file again later.`,
        { unsaved_spans: unsavedSpans },
        { "Retry-After": "5" },
      );
    }

    /** Returns the error of an incomplete import, with the number of stored spans and the last line. */
    function incompleteImport(error: unknown): unknown {
      const counts = countsOf({ ...result, traces: traces.count });
      const kept =
        `The import ended after line ${lastLine}: ${result.spans} spans of ${hasUnsaved ? "up to " : ""}${traces.count} traces are kept, ` +
        `${result.refused_lines} lines and ${result.refused_spans} spans were refused.`;
      if (error instanceof RequestAborted) {
        options.onAborted(kept);
        return error;
      }
      const known = error instanceof ApiError ? error : internalError();
      // The rest of the body is not read and must not be parsed as the next request.
      const headers = { ...known.headers, Connection: "close" };
      const details = { ...known.details, ...counts, line: lastLine };
      const ended = new ApiError(known.code, `${known.message} ${kept}`, details, headers);
      return known === error ? ended : Object.assign(ended, { cause: error });
    }

    function addProblem(line: number, message: string): void {
      if (result.problems.length < MAX_PROBLEMS) result.problems.push({ line, message });
    }

    async function importLine(line: BodyLine): Promise<void> {
      if (line.type === "too_long") {
        const message = `The line has more than ${maxLineBytes} bytes (four times limits.max_body_bytes).`;
        throw new ApiError("body_too_large", message, { max_line_bytes: maxLineBytes });
      }
      const json = await parseImportLine(line.bytes, timeSlice);
      // Loaded with the first line, because most collectors never import. An import of each line would take several microseconds.
      readOtlpJson ??= (await import("../otlp/read-otlp-json.js")).readOtlpJsonInSteps;
      const { applications, refusedSpans, marks } = await runInSlices(readOtlpJson(json), timeSlice);
      refuse(line.number, refusedSpans, "have no usable trace id or span id");
      const groups = createSpanGroups(maxMappedLength);
      for (const { application, spans } of applications) {
        const owner = application.tenant ?? tenant;
        const problem = tenantProblem(owner);
        if (problem !== undefined) throw new ApiError("invalid_tenant", `obspan.tenant ${problem}.`);
        const context = { ...application, tenant: owner, receivedAtMs: clock.now() };
        const usable = usableSpans(line.number, spans);
        for (const group of groups.of(usable)) {
          if (timeSlice.isOver()) await timeSlice.next();
          await storeGroup(context, group, marks);
        }
      }
      refuse(
        line.number,
        groups.refused,
        `are left out: with the attributes of their resource, the spans of the line have more than ${maxMappedLength} characters as JSON`,
      );
    }

    async function storeGroup(
      context: BatchContext,
      { spans, body }: SpanGroup,
      marks: ReadonlyMap<Span, SpanMarks>,
    ): Promise<void> {
      const imported = await spanImport.store(context, spans, body, marks);
      for (const { trace_id: traceId } of spans) traces.add(context.tenant, traceId);
      result.spans += imported;
      result.dropped_spans += spans.length - imported;
      count("imported", imported);
      count("dropped", spans.length - imported);
    }

    /** Counts refused spans of a line. */
    function refuse(line: number, spans: number, reason?: string): void {
      if (spans === 0) return;
      result.refused_spans += spans;
      count("refused", spans);
      if (reason !== undefined) addProblem(line, `${spans} spans ${reason}.`);
    }

    /** The spans with the shape of contract 1; refuses the others. */
    function* usableSpans(line: number, spans: readonly Span[]): Generator<Span> {
      for (const span of spans) {
        try {
          validateBatch({ spans: [span] }, 1);
        } catch (error) {
          refuse(line, 1);
          addProblem(line, error instanceof ApiError ? error.message : "A span cannot be used.");
          continue;
        }
        yield span;
      }
    }
  }

  return { handle };
}

/** The counters of a result, which become the details of an error. */
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
