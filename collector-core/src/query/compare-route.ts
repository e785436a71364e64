import { Readable } from "node:stream";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Type } from "typebox";
import { comparisonHead, pairAnswer, type Comparison } from "../analysis/compare/index.js";
import { CompareQuerySchema, TraceComparisonSchema } from "../api-schema/compare.js";
import type { ByteAccount } from "../in-flight/byte-budget.js";
import type { Steps } from "../runtime/steps.js";
import type { CompareTraces } from "./compare-traces.js";
import { errorResponses, TRACE_ERRORS } from "./error-schemas.js";
import { whenClosed, whileAnswering } from "./trace-requests.js";

const CompareParameters = Type.Object(CompareQuerySchema.properties, { additionalProperties: false });

/** Options of {@link compareRoute}. */
export interface CompareRouteOptions {
  readonly compare: CompareTraces;
  /** Memory of the answers that are not sent yet. */
  readonly answers: Pick<ByteAccount, "require" | "release">;
}

/** Steps of an answer that are written at once. */
const STEPS_PER_CHUNK = 100;
/** Loosely typed, since the response is streamed. */
const STREAMED: Record<number, object> = { 200: TraceComparisonSchema };

/** `GET /v1/compare` (contract 9): two traces beside each other. */
export const compareRoute: FastifyPluginAsyncTypebox<CompareRouteOptions> = async (
  app,
  { compare, answers },
) => {
  app.get(
    "/v1/compare",
    {
      schema: {
        tags: ["traces"],
        summary: "Two traces, step by step",
        description:
          "The steps of two traces beside each other: tools with the same arguments, then steps of the same name, then model " +
          "calls in the same place. What differs in each step, and the differences of time, tokens, cost and scores.",
        querystring: CompareParameters,
        response: {
          ...STREAMED,
          ...errorResponses(...TRACE_ERRORS),
        },
      },
    },
    async ({ query }, reply) => {
      const chunks = await compare(query, whileAnswering(reply.raw), (comparison, spans) =>
        answerInSteps(comparison, spans.hasAll),
      );
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      answers.require(bytes);
      whenClosed(reply.raw, () => answers.release(bytes));
      return await reply.type("application/json; charset=utf-8").send(Readable.from(chunks));
    },
  );
};

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
