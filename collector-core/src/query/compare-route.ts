import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  compareInSteps,
  comparisonHead,
  pairAnswer,
  type Comparison,
  type RunOfTrace,
} from "../analysis/compare/index.js";
import { readRunInSteps } from "../analysis/run.js";
import { buildSpanTree } from "../analysis/span-tree.js";
import { CompareQuerySchema, TraceComparisonSchema, type CompareQuery } from "../api-schema/compare.js";
import type { NormalizedSpan, TraceSummary } from "../api-schema/trace.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { TraceStore } from "../interfaces.js";
import type { Clock } from "../runtime/clock.js";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import { runInSlices, type Steps } from "../runtime/steps.js";
import { TimeSlice } from "../runtime/time-slice.js";
import { readStored } from "../span/stored-span.js";
import { ComparedSpans } from "./compared-spans.js";
import { errorResponses } from "./error-schemas.js";
import { findTraceKey } from "./find-trace-key.js";
import { requiredStore, traceNotFound, whenClosed, whileAnswering } from "./trace-requests.js";

/** Options of {@link compareRoute}. */
export interface CompareRouteOptions {
  /** Undefined if `trace_store.enabled` is false: the route then fails with trace_store_disabled. */
  readonly store: TraceStore | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /** Memory of the answers that are not sent yet. */
  readonly answers: Pick<ByteAccount, "require" | "release">;
}

/** Comparisons at the same time: each keeps two traces in memory. */
const CONCURRENCY = 1;
/** Steps of an answer that are written at once. */
const STEPS_PER_CHUNK = 100;
/** Loosely typed, since the response is streamed. */
const STREAMED: Record<number, object> = { 200: TraceComparisonSchema };

/** `GET /v1/compare` (contract 9): two traces beside each other. */
export const compareRoute: FastifyPluginAsyncTypebox<CompareRouteOptions> = async (
  app,
  { store, clock, answers },
) => {
  const limited = createConcurrencyLimit(CONCURRENCY);
  app.get(
    "/v1/compare",
    {
      schema: {
        tags: ["traces"],
        summary: "Two traces, step by step",
        description:
          "The steps of two traces beside each other: tools with the same arguments, then steps of the same name, then model " +
          "calls in the same place. What differs in each step, and the differences of time, tokens, cost and scores.",
        querystring: Type.Object(CompareQuerySchema.properties, { additionalProperties: false }),
        response: {
          ...STREAMED,
          ...errorResponses(
            "invalid_query",
            "invalid_tenant",
            "trace_not_found",
            "trace_store_disabled",
            "overloaded",
            "ambiguous_trace",
          ),
        },
      },
    },
    async ({ query }, reply) => {
      const chunks = await compare(query, reply.raw);
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      answers.require(bytes);
      whenClosed(reply.raw, () => answers.release(bytes));
      return await reply.type("application/json; charset=utf-8").send(Readable.from(chunks));
    },
  );

  async function compare(query: CompareQuery, response: ServerResponse): Promise<string[]> {
    const traces = requiredStore(store);
    const connected = whileAnswering(response);
    return await limited(async () => {
      const timeSlice = new TimeSlice(clock, connected);
      const spans = new ComparedSpans();
      const a = await readTrace(traces, query.a, query.tenant, spans, timeSlice, connected);
      const b = await readTrace(traces, query.b, query.tenant_b ?? query.tenant, spans, timeSlice, connected);
      const comparison = await runInSlices(compareTraces(a, b, spans), timeSlice);
      return await runInSlices(answerInSteps(comparison, spans.hasAll), timeSlice);
    }, connected);
  }
};

interface ReadTrace {
  readonly trace: TraceSummary;
  readonly spans: readonly NormalizedSpan[];
}

/** @throws `ApiError` trace_not_found with the id that is missing. */
async function readTrace(
  store: TraceStore,
  traceId: string,
  tenant: string | undefined,
  kept: ComparedSpans,
  timeSlice: TimeSlice,
  connected: AbortSignal,
): Promise<ReadTrace> {
  const key = await findTraceKey(store, traceId, tenant, connected);
  const stored = await store.get(key, connected);
  if (stored === undefined) throw traceNotFound(traceId);
  try {
    const spans: NormalizedSpan[] = [];
    for await (const page of stored.spans)
      for (const each of page) {
        if (timeSlice.isOver()) await timeSlice.next();
        spans.push(await runInSlices(kept.keep(await readStored(each, timeSlice)), timeSlice));
      }
    return { trace: stored.summary, spans };
  } finally {
    stored.release();
  }
}

function* compareTraces(a: ReadTrace, b: ReadTrace, kept: ComparedSpans): Steps<Comparison> {
  const [runA, runB] = [yield* runInSteps(a), yield* runInSteps(b)];
  return yield* compareInSteps(runA, runB, kept.fullText);
}

function* runInSteps({ trace, spans }: ReadTrace): Steps<RunOfTrace> {
  const tree = buildSpanTree(spans);
  yield;
  return { trace, run: yield* readRunInSteps(tree) };
}

/** The answer as pieces of JSON. What was compared is free as soon as they are written. */
function* answerInSteps(comparison: Comparison, hasAllTexts: boolean): Steps<string[]> {
  const head = JSON.stringify(comparisonHead(comparison, hasAllTexts));
  const chunks = [`${head.slice(0, -1)},"steps":[`];
  const { pairs } = comparison;
  for (let index = 0; index < pairs.length; index += STEPS_PER_CHUNK) {
    const steps = pairs.slice(index, index + STEPS_PER_CHUNK).map((pair) => JSON.stringify(pairAnswer(pair)));
    chunks.push((index === 0 ? "" : ",") + steps.join(","));
    yield;
  }
  chunks.push("]}");
  return chunks;
}
