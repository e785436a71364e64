import type { FastifyRequest } from "fastify";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Value } from "typebox/value";
import { Type } from "typebox";
import { ApiError } from "../api-schema/errors.js";
import {
  EvaluationListSchema,
  EvaluationQuerySchema,
  EvaluationRunAnswerSchema,
  EvaluationRunSchema,
  EvaluationSummaryQuerySchema,
  EvaluationSummarySchema,
  type Evaluation,
  type EvaluationList,
  type EvaluationQuery,
  type EvaluationRun,
  type EvaluationRunAnswer,
  type EvaluationSummary,
  type ListedEvaluation,
} from "../api-schema/evaluations.js";
import type { NormalizedSpan } from "../api-schema/trace.js";
import type { ReadJsonBody, SpanPages, TraceKey, TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { eachSpan } from "../span/each-span.js";
import { OUTPUT_ATTRIBUTES } from "../span/output-preview.js";
import { readScalars, readStored, type StoredSpan } from "../span/stored-span.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { askOnce, evaluatedSpan, referenceText } from "./distinct-spans.js";
import { errorResponses } from "./error-schemas.js";
import type { EvaluationLog } from "./evaluation-log.js";
import { findTraceKey } from "./find-trace-key.js";
import { summarizeEvaluations } from "./evaluation-summary.js";
import { orAborted, requiredStore, whileAnswering, withoutTimeLimit } from "./trace-requests.js";

const EvaluationParameters = Type.Object(EvaluationQuerySchema.properties, { additionalProperties: false });
const EvaluationSummaryParameters = Type.Object(EvaluationSummaryQuerySchema.properties, {
  additionalProperties: false,
});

/** Runs evaluation types on a stored span. */
export interface EvaluationRunner {
  /** Why a type cannot run; undefined if it can. */
  problemOf(type: string): Promise<string | undefined>;
  run(
    span: NormalizedSpan,
    tenant: string,
    types: readonly string[],
  ): { readonly enqueued: number; readonly dropped: number };
  describe(): NonNullable<EvaluationSummary["evaluation"]>;
}

/** Options of {@link evaluationsRoutes}. */
export interface EvaluationsRoutesOptions {
  readonly log: EvaluationLog;
  /** Undefined if `trace_store.enabled` is false. */
  readonly store: TraceStore | undefined;
  /** Undefined if evaluation is off. */
  readonly runner: EvaluationRunner | undefined;
  readonly clock: Clock;
  readonly readJson: ReadJsonBody;
}

/** Maximum size of the body of an evaluation run. */
export const MAX_RUN_BYTES = 1024 * 1024;
const TAGS = ["evaluations"];

/** `GET` and `POST /v1/evaluations`, `GET /v1/evaluations/summary` (contract 3). */
export const evaluationsRoutes: FastifyPluginAsyncTypebox<EvaluationsRoutesOptions> = async (
  app,
  { log, store, runner, clock, readJson },
) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async ({ raw }: FastifyRequest) =>
    requireRun(await readJson(raw)),
  );

  app.get(
    "/v1/evaluations",
    {
      schema: {
        tags: TAGS,
        summary: "Recent scores of judges and users",
        querystring: EvaluationParameters,
        response: {
          200: EvaluationListSchema,
          ...errorResponses("invalid_limit", "invalid_query", "invalid_tenant", "trace_store_unavailable"),
        },
      },
    },
    async ({ query }, reply) => {
      return await listEvaluations(query, { log, store }, whileAnswering(reply.raw));
    },
  );

  app.get(
    "/v1/evaluations/summary",
    {
      schema: {
        tags: TAGS,
        summary: "Summary of recent scores",
        description:
          "Means over time, distributions, means by agent and by model, outcomes, and latency and cost of the judge.",
        querystring: EvaluationSummaryParameters,
        response: {
          200: EvaluationSummarySchema,
          ...errorResponses("invalid_query", "invalid_tenant", "trace_store_unavailable"),
        },
      },
    },
    async ({ query }, reply) => {
      const connected = whileAnswering(reply.raw);
      await orAborted(log.settled(), connected);
      return await summarizeEvaluations({
        log,
        query,
        nowMs: clock.now(),
        evaluation: runner?.describe() ?? null,
        timeSlice: new TimeSlice(clock, connected),
      });
    },
  );

  app.post(
    "/v1/evaluations",
    {
      schema: {
        tags: TAGS,
        summary: "Evaluate stored spans, or the model calls of stored traces",
        description:
          "Ignores trace sampling and evaluation sampling. The scores arrive as evaluation spans and as events of `GET /v1/live`.",
        body: EvaluationRunSchema,
        response: {
          202: EvaluationRunAnswerSchema,
          ...errorResponses(
            "invalid_json",
            "invalid_payload",
            "invalid_tenant",
            "trace_not_found",
            "ambiguous_trace",
            "trace_store_disabled",
            "overloaded",
            "body_too_large",
            "invalid_encoding",
            "unsupported_encoding",
            "unsupported_media_type",
            "evaluation_unavailable",
          ),
        },
      },
    },
    async (request, reply) => {
      const answering = whileAnswering(reply.raw);
      const answer = await evaluateStored(request.body, { store, runner, clock }, answering, () => {
        // A run that ends early has begun evaluations, and a client that sends it again has them made twice.
        return withoutTimeLimit(request, reply.raw);
      });
      return await reply.code(202).send(answer);
    },
  );
};

/** One page of scores, with the names of their traces and the evaluated texts. */
export async function listEvaluations(
  query: EvaluationQuery,
  { log, store }: Pick<EvaluationsRoutesOptions, "log" | "store">,
  signal: AbortSignal,
): Promise<EvaluationList> {
  await orAborted(log.settled(), signal);
  const { found, nextCursor } = log.list(query);
  const listed = found.map(({ evaluation }) => evaluation);
  return { evaluations: await withTraces(listed, store, signal), next_cursor: nextCursor };
}

/**
 * Evaluates stored spans in the background.
 *
 * @param signal - aborts while the request is checked.
 * @param onStart - called when the request is checked, before the spans are read. Returns the signal that aborts from then on.
 * @throws `ApiError` evaluation_unavailable, trace_store_disabled, invalid_payload, ambiguous_trace, trace_not_found.
 */
export async function evaluateStored(
  body: EvaluationRun,
  { store, runner, clock }: Pick<EvaluationsRoutesOptions, "store" | "runner" | "clock">,
  signal: AbortSignal,
  onStart: () => AbortSignal,
): Promise<EvaluationRunAnswer> {
  if (runner === undefined)
    throw new ApiError("evaluation_unavailable", "Evaluation is off: evaluation.enabled is false.");
  const traces = requiredStore(store);
  await checkTypes(body, runner);
  // Before anything is evaluated, so that an ambiguous id fails the request.
  const keys = await keysOf(body, traces, clock, signal);
  return await run(body, runner, traces, keys, new TimeSlice(clock, onStart()));
}

async function checkTypes({ types }: EvaluationRun, runner: EvaluationRunner): Promise<void> {
  for (const type of types) {
    const problem = await runner.problemOf(type);
    if (problem !== undefined) throw new ApiError("invalid_payload", `types: ${problem}.`);
  }
}

/** The keys of all traces by their ids. */
async function keysOf(
  { trace_ids: traceIds = [], spans = [], tenant }: EvaluationRun,
  store: TraceStore,
  clock: Clock,
  answering: AbortSignal,
): Promise<ReadonlyMap<string, TraceKey>> {
  const timeSlice = new TimeSlice(clock, answering);
  const keys = new Map<string, TraceKey>();
  for (const traceId of [...traceIds, ...spans.map(({ trace_id: id }) => id)]) {
    if (timeSlice.isOver()) await timeSlice.next();
    if (!keys.has(traceId)) keys.set(traceId, await findTraceKey(store, traceId, tenant, answering));
  }
  return keys;
}

async function run(
  { types, trace_ids: traceIds = [], spans = [] }: EvaluationRun,
  runner: EvaluationRunner,
  store: TraceStore,
  keys: ReadonlyMap<string, TraceKey>,
  timeSlice: TimeSlice,
): Promise<EvaluationRunAnswer> {
  const answer = { status: "accepted" as const, enqueued: 0, dropped: 0, spans: 0, missing: 0 };
  const evaluate = (span: NormalizedSpan, { tenant }: TraceKey): void => {
    const { enqueued, dropped } = runner.run(span, tenant, [...new Set(types)]);
    answer.enqueued += enqueued;
    answer.dropped += dropped;
    answer.spans++;
  };
  const foundKey = (traceId: string): TraceKey => keys.get(traceId) ?? { tenant: "", traceId };
  for (const traceId of new Set(traceIds)) {
    if (timeSlice.isOver()) await timeSlice.next();
    const key = foundKey(traceId);
    const trace = await store.get(key);
    if (trace === undefined) {
      answer.missing++;
      continue;
    }
    try {
      for await (const stored of modelCallsOf(trace.spans, timeSlice))
        evaluate(await readStored(stored, timeSlice), key);
    } finally {
      trace.release();
    }
  }
  const references = spans.map(({ trace_id: id, span_id: spanId }) => ({ ...foundKey(id), spanId }));
  const named = new Map(references.map((reference) => [referenceText(reference), reference]));
  for (const reference of named.values()) {
    if (timeSlice.isOver()) await timeSlice.next();
    const stored = await store.getSpan(reference, reference.spanId);
    if (stored === undefined) {
      answer.missing++;
      continue;
    }
    try {
      evaluate(await readStored(stored, timeSlice), reference);
    } finally {
      stored.release();
    }
  }
  if (answer.missing === new Set(traceIds).size + named.size)
    throw new ApiError(
      "trace_not_found",
      "None of the given traces and spans is in the store: they were never received, or were evicted.",
    );
  return answer;
}

/**
 * Model calls that ended with an output. A call that wraps another call is left out, since it repeats the same output.
 * Spans are parsed again when they are evaluated: all of them parsed at once may exceed the memory.
 */
async function* modelCallsOf(pages: SpanPages, timeSlice: TimeSlice): AsyncGenerator<StoredSpan> {
  const wrappers = new Set<string | null>();
  const calls: { readonly position: number; readonly id: string }[] = [];
  let count = 0;
  for await (const stored of eachSpan(pages, timeSlice)) {
    const span = await readScalars(stored, OUTPUT_ATTRIBUTES, timeSlice);
    if (span.span_type === "llm") wrappers.add(span.parent_span_id);
    if (hasOutput(span)) calls.push({ position: count, id: span.span_id });
    count++;
  }
  const evaluated = new Set(calls.filter(({ id }) => !wrappers.has(id)).map(({ position }) => position));
  let position = 0;
  for await (const stored of eachSpan(pages, timeSlice)) if (evaluated.has(position++)) yield stored;
}

function hasOutput({ span_type: type, status, attributes }: NormalizedSpan): boolean {
  if (type !== "llm" || status === "RUNNING") return false;
  return [...OUTPUT_ATTRIBUTES].some((key) => Object.hasOwn(attributes, key));
}

/** Adds the names of the traces and the beginnings of the evaluated texts, with two questions to the store. */
async function withTraces(
  evaluations: readonly Evaluation[],
  store: TraceStore | undefined,
  connected: AbortSignal,
): Promise<ListedEvaluation[]> {
  const references = evaluations.map(evaluatedSpan);
  const ofTraces = references.map((reference) => ({ ...reference, spanId: null }));
  const [summaries, previews] =
    store === undefined
      ? [[], []]
      : await Promise.all([
          askOnce(ofTraces, (keys) => store.summaries(keys, connected)),
          askOnce(references, (spans) => store.outputPreviews(spans, connected)),
        ]);
  return evaluations.map((evaluation, index) => {
    const trace = summaries[index];
    // Without the span, the trace shows what was answered.
    const text = previews[index] === undefined ? trace?.output_preview : previews[index];
    return { ...evaluation, trace_name: trace?.root_name ?? null, evaluated_text: text ?? null };
  });
}

/** Validates the body itself: the schema validator reports errors as `invalid_query`. */
function requireRun(body: unknown): EvaluationRun {
  if (!Value.Check(EvaluationRunSchema, body) || (body.trace_ids ?? body.spans) === undefined)
    throw new ApiError(
      "invalid_payload",
      'The body must be {"types": […], "trace_ids": […]} or {"types": […], "spans": [{"trace_id": "…", "span_id": "…"}]}: ' +
        "1 to 20 types, at most 1000 traces and 1000 spans.",
    );
  return body;
}
